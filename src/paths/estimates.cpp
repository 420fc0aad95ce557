// The statistics on the data as they are, with nothing copied that need not be.
#include "paths/estimates.h"

#include <memory>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "paths/order_data.h"
#include "resample/overloaded.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using study::kTileRows;
using study::Part;

void estimate_fold(const study::Problem& problem, const Part& part, const Execution& execution,
                   std::span<double> values) {
  const auto& fold = std::get<statistic::Fold>(part.bound.body);
  const auto state = fold.fresh();
  const std::vector<std::uint32_t> ones(kTileRows, 1);
  study::TileReader reader(problem.data, kTileRows);
  for (std::size_t row = 0; row < problem.data.rows(); row += kTileRows) {
    const std::size_t size = std::min(kTileRows, problem.data.rows() - row);
    if (execution.stop.stop_requested()) throw Cancelled();
    const statistic::Tile tile = reader.read(row, size);
    std::vector<const double*> columns;
    for (const std::uint32_t c : part.columns) columns.push_back(tile.columns[c]);
    state->accumulate({columns, size}, {ones.data(), size});
  }
  state->finish(values);
}

void estimate_call(const study::Problem& problem, const Part& part, std::span<double> values) {
  study::TileReader reader(problem.data, problem.data.rows());
  const statistic::Tile all = reader.read(0, problem.data.rows());
  std::vector<const double*> columns;
  for (const std::uint32_t c : part.columns) columns.push_back(all.columns[c]);
  std::get<statistic::Call>(part.bound.body).call({columns, all.rows}, values);
}

/// The means of all features under the probabilities of a scheme.
std::vector<double> weighted_means(const study::Problem& problem, std::span<const double> weights,
                                   const Execution& execution) {
  const std::size_t features = problem.features.count();
  const std::size_t tile_rows = study::feature_tile_rows(features);
  std::vector<double> made(features * tile_rows);
  std::vector<numeric::Compensated> sums(features + 1);
  study::TileReader reader(problem.data, tile_rows);
  for (std::size_t row = 0; row < weights.size(); row += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const std::size_t size = std::min(tile_rows, weights.size() - row);
    problem.features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) {
      sums[features].add(weights[row + i]);
      for (std::size_t f = 0; f < features; ++f)
        sums[f].add(weights[row + i] * made[f * tile_rows + i]);
    }
  }
  std::vector<double> means;
  for (std::size_t f = 0; f < features; ++f)
    means.push_back(sums[f].value() / sums[features].value());
  return means;
}

/// Quantiles of one statistic among others.
void estimate_order(const study::Problem& problem, const Part& part, const Execution& execution,
                    std::span<double> values) {
  study::Problem alone = problem;
  alone.parts = {part};
  alone.parts[0].first_output = 0;
  OrderData(alone, problem.data.rows(), 0, execution.stop).estimate(values);
}

}  // namespace

std::vector<double> estimates(const study::Study& study, const resample::Design& design,
                              const Execution& execution) {
  const study::Problem& problem = study.problem();
  std::vector<double> values(problem.outputs.size());
  if (!problem.features.empty()) {
    std::vector<double> means;
    for (const auto& summary : study.summaries()) means.push_back(summary.mean);
    if (!design.weights().empty()) means = weighted_means(problem, design.weights(), execution);
    std::vector<double> scratch(means.size());
    problem.finish_sums(means, static_cast<double>(study.rows()), 0, values, scratch);
  }
  for (const Part& part : problem.parts) {
    const std::span<double> own = std::span(values).subspan(part.first_output, part.outputs());
    std::visit(overloaded{
                   [](const statistic::Sums&) {},  // finish_sums() has made them
                   [&](const statistic::Order&) { estimate_order(problem, part, execution, own); },
                   [&](const statistic::Fold&) { estimate_fold(problem, part, execution, own); },
                   [&](const statistic::Call&) { estimate_call(problem, part, own); },
               },
               part.bound.body);
  }
  return values;
}

}  // namespace bootfold::paths
