// Path `gather` for anything: the resample is drawn out in full and every statistic looks at it.
//
// The same code computes the estimates of statistics that are not functions of sums: the data are
// their own first resample.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "paths/paths.h"
#include "paths/sums.h"
#include "resample/sampler.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using planning::Prepared;
using study::kTileRows;
using study::Part;

using numeric::Compensated;

class Evaluator {
 public:
  explicit Evaluator(const Prepared& prepared)
      : prepared_(prepared),
        problem_(prepared.problem),
        kernels_(execution::simd::kernels(prepared.plan.level)),
        finish_(prepared),
        tile_rows_(study::feature_tile_rows(problem_.features.count())),
        made_(problem_.features.count() * tile_rows_),
        integers_(tile_rows_) {}

  /// All values of one resample.
  void operator()(const statistic::Resample& resample, std::span<double> values) {
    if (!problem_.features.empty()) evaluate_sums(resample, values);
    for (const Part& part : problem_.parts) {
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      std::vector<const double*> columns;
      for (const std::uint32_t c : part.columns) columns.push_back(resample.columns[c]);
      const statistic::Resample view{columns, resample.rows};
      if (const auto* order = std::get_if<statistic::Order>(&part.bound.body)) {
        evaluate_order(*order, view, own);
      } else if (const auto* fold = std::get_if<statistic::Fold>(&part.bound.body)) {
        evaluate_fold(*fold, view, own);
      } else if (const auto* call = std::get_if<statistic::Call>(&part.bound.body)) {
        call->call(view, own);
      }
    }
  }

 private:
  void evaluate_sums(const statistic::Resample& resample, std::span<double> values) {
    const std::size_t count = problem_.features.count();
    std::vector<__int128> sums(count);
    std::vector<Compensated> doubles(count);
    std::vector<const double*> columns(resample.columns.size());
    for (std::size_t row = 0; row < resample.rows; row += tile_rows_) {
      const std::size_t size = std::min(tile_rows_, resample.rows - row);
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = resample.columns[c] + row;
      problem_.features.make({columns, size}, made_.data(), tile_rows_);
      for (std::size_t f = 0; f < count; ++f) {
        const double* made = made_.data() + f * tile_rows_;
        if (prepared_.compensated) {
          for (std::size_t i = 0; i < size; ++i) doubles[f].add(made[i]);
        } else {
          kernels_.quantize(made, size, prepared_.fixed[f].point, integers_.data());
          for (std::size_t i = 0; i < size; ++i) sums[f] += integers_[i];
        }
      }
    }
    if (!prepared_.compensated) {
      finish_(sums, static_cast<double>(resample.rows), values);
      return;
    }
    std::vector<double> means(count);
    std::vector<double> scratch(count);
    for (std::size_t f = 0; f < count; ++f)
      means[f] = doubles[f].value() / static_cast<double>(resample.rows);
    problem_.finish_sums(means, static_cast<double>(resample.rows), 0, values, scratch);
  }

  void evaluate_order(const statistic::Order& order, const statistic::Resample& resample,
                      std::span<double> values) {
    copy_.assign(resample.column(0).begin(), resample.column(0).end());
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(numeric::select_quantile(copy_, q));
    order.finish(quantiles, values);
  }

  void evaluate_fold(const statistic::Fold& fold, const statistic::Resample& resample,
                     std::span<double> values) {
    ones_.assign(std::min(kTileRows, resample.rows), 1);
    const auto state = fold.fresh();
    for (std::size_t row = 0; row < resample.rows; row += kTileRows) {
      const std::size_t size = std::min(kTileRows, resample.rows - row);
      std::vector<const double*> columns;
      for (const double* column : resample.columns) columns.push_back(column + row);
      state->accumulate({columns, size}, {ones_.data(), size});
    }
    state->finish(values);
  }

  const Prepared& prepared_;
  const study::Problem& problem_;
  const execution::simd::Kernels& kernels_;
  Finisher finish_;
  std::size_t tile_rows_;
  std::vector<double> made_;
  std::vector<std::int64_t> integers_;
  std::vector<double> copy_;
  std::vector<std::uint32_t> ones_;
};

/// Draws resamples and hands them to the evaluator.
class Resampler {
 public:
  Resampler(const Run& run, const resample::Sampling& sampling)
      : run_(run),
        sampler_(sampling.sampler()),
        evaluate_(run.prepared),
        columns_(run.prepared.problem.data.columns()) {}

  void make(std::uint64_t replicate) {
    const std::span<const std::uint32_t> drawn = sampler_->draw(replicate);
    const std::span<double> values = run_.values_of(replicate);
    if (drawn.empty()) {  // a scheme may draw no row at all
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    std::vector<const double*> pointers;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].resize(drawn.size());
      run_.prepared.problem.data.column(c).gather(drawn, columns_[c]);
      pointers.push_back(columns_[c].data());
    }
    evaluate_({pointers, drawn.size()}, values);
  }

 private:
  const Run& run_;
  std::unique_ptr<resample::Sampler> sampler_;
  Evaluator evaluate_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

void run_resampled(const Run& run) {
  const Plan& plan = run.prepared.plan;
  const auto sampling =
      resample::Sampling::make(run.prepared.scheme, plan.rows, run.seed, plan.replicates,
                               execution::simd::kernels(plan.level));
  std::vector<std::unique_ptr<Resampler>> resamplers(plan.threads);
  for_each_group(run, std::max<std::uint64_t>(1, 16384 / plan.draws), plan.draws,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   auto& resampler = resamplers[worker.index()];
                   if (!resampler) resampler = std::make_unique<Resampler>(run, *sampling);
                   for (std::uint64_t r = first; r < last; ++r) {
                     worker.check();
                     resampler->make(r);
                   }
                   worker.advance(static_cast<double>((last - first) * plan.draws));
                 });
}

}  // namespace bootfold::paths
