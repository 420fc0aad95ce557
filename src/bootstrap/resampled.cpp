// Path `gather` for anything: the resample is drawn out in full and every statistic looks at it.
//
// The same code computes the estimates of statistics that are not functions of sums: the data are
// their own first resample.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "bootfold/error.h"
#include "bootstrap/paths.h"
#include "bootstrap/sums.h"
#include "plan/tile.h"
#include "resample/rows.h"
#include "statistic/quantile.h"

namespace bootfold::paths {

namespace {

using planning::kTileRows;
using planning::Part;
using planning::Prepared;

/// A sum in two doubles (Knuth's two-sum): about 106 bits.
struct Compensated {
  double sum = 0;
  double lost = 0;

  void add(double value) {
    const double next = sum + value;
    const double back = next - sum;
    lost += (sum - (next - back)) + (value - back);
    sum = next;
  }
  [[nodiscard]] double value() const { return sum + lost; }
};

class Evaluator {
 public:
  explicit Evaluator(const Prepared& prepared)
      : prepared_(prepared),
        problem_(prepared.problem),
        kernels_(execution::simd::kernels(prepared.plan.level)),
        finish_(prepared),
        tile_rows_(planning::planning_tile_rows(problem_.features.count())),
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
      finish_(sums, values);
      return;
    }
    std::vector<double> means(count);
    std::vector<double> scratch(count);
    for (std::size_t f = 0; f < count; ++f)
      means[f] = doubles[f].value() / static_cast<double>(resample.rows);
    problem_.finish_sums(means, false, values, scratch);
  }

  void evaluate_order(const statistic::Order& order, const statistic::Resample& resample,
                      std::span<double> values) {
    copy_.assign(resample.column(0).begin(), resample.column(0).end());
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(statistic::select_quantile(copy_, q));
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
  const planning::Problem& problem_;
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
  explicit Resampler(const Run& run)
      : run_(run),
        kernels_(execution::simd::kernels(run.prepared.plan.level)),
        evaluate_(run.prepared),
        drawn_(run.prepared.plan.rows + resample::kSideBySide),
        columns_(run.prepared.problem.data.columns()) {
    for (auto& column : columns_) column.resize(run.prepared.plan.rows);
  }

  void make(std::uint64_t replicate) {
    const std::size_t rows = run_.prepared.plan.rows;
    const std::span<const std::uint32_t> drawn = draw(replicate, static_cast<std::uint32_t>(rows));
    std::vector<const double*> pointers;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      run_.prepared.problem.data.column(c).gather(drawn, columns_[c]);
      pointers.push_back(columns_[c].data());
    }
    evaluate_({pointers, rows}, run_.values_of(replicate));
  }

 private:
  /// The rows of a replicate; short ones are drawn a batch at a time.
  std::span<const std::uint32_t> draw(std::uint64_t replicate, std::uint32_t rows) {
    if (rows > resample::kShortRows) {
      resample::draw_rows(kernels_, run_.seed, replicate, rows, {drawn_.data(), rows});
      return {drawn_.data(), rows};
    }
    const std::uint64_t batch = replicate / resample::kSideBySide;
    if (batch_ != batch) {
      drawn_.resize(std::size_t{rows} * resample::kSideBySide);
      resample::draw_batch(kernels_, run_.seed, batch, rows, drawn_);
      batch_ = batch;
    }
    return {drawn_.data() + replicate % resample::kSideBySide * rows, rows};
  }

  const Run& run_;
  const execution::simd::Kernels& kernels_;
  Evaluator evaluate_;
  std::uint64_t batch_ = ~std::uint64_t{0};
  std::vector<std::uint32_t> drawn_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

void run_resampled(const Run& run) {
  const std::size_t rows = run.prepared.plan.rows;
  std::vector<std::unique_ptr<Resampler>> resamplers(run.prepared.plan.threads);
  for_each_group(run, std::max<std::uint64_t>(1, 16384 / rows),
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   auto& resampler = resamplers[worker.index()];
                   if (!resampler) resampler = std::make_unique<Resampler>(run);
                   for (std::uint64_t r = first; r < last; ++r) {
                     worker.check();
                     resampler->make(r);
                   }
                   worker.advance(static_cast<double>((last - first) * rows));
                 });
}

}  // namespace bootfold::paths
