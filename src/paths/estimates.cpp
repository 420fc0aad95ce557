// The statistics on the data as they are, with nothing copied that need not be.
#include "paths/estimates.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "paths/order_data.h"
#include "resample/overloaded.h"
#include "statistic/ordered.h"
#include "study/tile.h"

namespace bootfold::paths {

std::vector<std::uint32_t> repetitions(std::span<const double> weights, std::size_t resample) {
  numeric::Compensated total;
  for (const double weight : weights) total.add(weight);
  const auto rows = static_cast<double>(weights.size());
  const double offset = (static_cast<double>(resample) + 0.5) / kWholeResamples;
  std::vector<std::uint32_t> counts(weights.size());
  numeric::Compensated reached;
  double before = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    reached.add(weights[row]);
    const double after = std::floor(reached.value() / total.value() * rows + offset);
    counts[row] = static_cast<std::uint32_t>(std::max(0.0, after - before));
    before = std::max(before, after);
  }
  return counts;
}

std::vector<std::uint32_t> repeated_rows(std::span<const double> weights, std::size_t resample) {
  const std::vector<std::uint32_t> counts = repetitions(weights, resample);
  std::vector<std::uint32_t> rows;
  rows.reserve(counts.size());
  for (std::uint32_t row = 0; row < counts.size(); ++row) rows.insert(rows.end(), counts[row], row);
  return rows;
}

namespace {

using study::kTileRows;
using study::Part;

/// `counts`: of all rows, or empty if all are 1.
void fold_rows(const study::Problem& problem, const Part& part,
               std::span<const std::uint32_t> counts, const Execution& execution,
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
    state->accumulate({columns, size},
                      counts.empty() ? std::span(ones).first(size) : counts.subspan(row, size));
  }
  state->finish(values);
}

void estimate_fold(const study::Problem& problem, const Part& part, const resample::Design& design,
                   const Execution& execution, std::span<double> values) {
  if (design.weights().empty()) return fold_rows(problem, part, {}, execution, values);
  mean_of_resamples(execution, values, [&](std::size_t resample, std::span<double> one) {
    fold_rows(problem, part, repetitions(design.weights(), resample), execution, one);
  });
}

/// The mean of a column without a share of the weight at each end.
double weighted_trimmed_mean(const ColumnView& column, double share,
                             std::span<const double> weights) {
  std::vector<double> values(weights.size());
  column.read(0, values);
  std::vector<numeric::WeightedRow> rows;
  for (std::size_t row = 0; row < values.size(); ++row)
    if (weights[row] > 0) rows.push_back({values[row], weights[row]});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
  return numeric::weighted_trimmed_mean(rows, share, weights.size());
}

/// A statistic whose last column holds weights, with these multiplied by `weights`.
void weigh_again(const study::Problem& problem, const Part& part, std::span<const double> weights,
                 std::span<double> values) {
  std::vector<std::vector<double>> columns;
  std::vector<const double*> starts;
  for (const std::uint32_t c : part.columns) {
    columns.emplace_back(problem.data.rows());
    problem.data.column(c).read(0, columns.back());
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (std::size_t row = 0; row < weights.size(); ++row)
    columns.back()[row] *= weights[row] / largest;
  for (const auto& column : columns) starts.push_back(column.data());
  std::get<statistic::Call>(part.bound.body).call({starts, weights.size()}, values);
}

/// A statistic of sorted rows, with weights.
double weighted_ordered(const study::Problem& problem, const Part& part,
                        const statistic::Ordered& ordered, std::span<const double> weights) {
  std::vector<std::vector<double>> columns;
  std::vector<const double*> starts;
  for (const std::uint32_t c : part.columns) {
    columns.emplace_back(problem.data.rows());
    problem.data.column(c).read(0, columns.back());
  }
  for (const auto& column : columns) starts.push_back(column.data());
  starts.push_back(weights.data());
  return statistic::weighted_value(ordered, {starts, weights.size()});
}

void estimate_call(const study::Problem& problem, const Part& part, const resample::Design& design,
                   const Execution& execution, std::span<double> values) {
  const std::span<const double> weights = design.weights();
  const auto& call = std::get<statistic::Call>(part.bound.body);
  if (!weights.empty() && call.trimmed) {
    values[0] = weighted_trimmed_mean(problem.data.column(part.columns[0]), *call.trimmed, weights);
    return;
  }
  if (!weights.empty() && call.ordered) {
    values[0] = weighted_ordered(problem, part, *call.ordered, weights);
    return;
  }
  if (!weights.empty() && part.weighted) return weigh_again(problem, part, weights, values);
  study::TileReader reader(problem.data, problem.data.rows());
  const auto evaluate = [&](const statistic::Tile& rows, std::span<double> found) {
    std::vector<const double*> columns;
    for (const std::uint32_t c : part.columns) columns.push_back(rows.columns[c]);
    call.call({columns, rows.rows}, found);
  };
  if (weights.empty()) return evaluate(reader.read(0, problem.data.rows()), values);
  mean_of_resamples(execution, values, [&](std::size_t resample, std::span<double> one) {
    evaluate(reader.gather(repeated_rows(weights, resample)), one);
  });
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
void estimate_order(const study::Problem& problem, const Part& part,
                    std::span<const double> weights, const Execution& execution,
                    std::span<double> values) {
  study::Problem alone = problem;
  alone.parts = {part};
  alone.parts[0].first_output = 0;
  OrderData(alone, problem.data.rows(), 0, execution.stop, weights).estimate(values);
}

/// Whether no quantile takes the first or the last order statistic, as a maximum does. Replicates
/// of those lie on one side of the estimate, so that no weights are about their middle.
bool inside(const statistic::Order& order, std::uint64_t rows) {
  const auto last = static_cast<double>(rows - 1);
  return std::all_of(order.probabilities.begin(), order.probabilities.end(),
                     [&](double p) { return last * p >= 1 && last * (1 - p) >= 1; });
}

}  // namespace

std::vector<double> estimates(const study::Study& study, const resample::Design& design,
                              const Execution& execution) {
  const study::Problem& problem = study.problem();
  const std::span<const double> weights = design.weights();
  std::vector<double> values(problem.outputs.size());
  if (!problem.features.empty()) {
    std::vector<double> means;
    for (const auto& summary : study.summaries()) means.push_back(summary.mean);
    if (!weights.empty()) means = weighted_means(problem, weights, execution);
    std::vector<double> scratch;
    problem.finish_sums(means, static_cast<double>(study.rows()), 0, values, scratch);
  }
  for (const Part& part : problem.parts) {
    const std::span<double> own = std::span(values).subspan(part.first_output, part.outputs());
    std::visit(
        overloaded{
            [](const statistic::Sums&) {},  // finish_sums() has made them
            [&](const statistic::Order&) {
              estimate_order(problem, part, weights, execution, own);
            },
            [&](const statistic::Fold&) { estimate_fold(problem, part, design, execution, own); },
            [&](const statistic::Call&) { estimate_call(problem, part, design, execution, own); },
        },
        part.bound.body);
  }
  return values;
}

std::vector<double> centres(const study::Study& study, const resample::Design& design,
                            std::span<const double> estimates, const Execution& execution) {
  const std::vector<double> counts = design.expected_counts(study.rows());
  if (counts.empty()) return {};
  const study::Problem& problem = study.problem();
  std::vector<double> values(estimates.begin(), estimates.end());
  if (!problem.features.empty()) {
    const std::vector<double> means = weighted_means(problem, counts, execution);
    std::vector<double> scratch;
    problem.finish_sums(means, static_cast<double>(study.rows()), 0, values, scratch);
  }
  for (const Part& part : problem.parts) {
    const std::span<double> own = std::span(values).subspan(part.first_output, part.outputs());
    std::visit(overloaded{
                   [](const statistic::Sums&) {},  // finish_sums() has made them
                   [&](const statistic::Order& order) {
                     if (inside(order, study.rows()))
                       estimate_order(problem, part, counts, execution, own);
                   },
                   [](const statistic::Fold&) {},  // takes whole rows only
                   [&](const statistic::Call& call) {
                     if (part.weighted &&
                         (!call.weighted_order || inside(*call.weighted_order, study.rows())))
                       weigh_again(problem, part, counts, own);
                     if (call.trimmed)
                       own[0] = weighted_trimmed_mean(problem.data.column(part.columns[0]),
                                                      *call.trimmed, counts);
                     if (call.ordered)
                       own[0] = weighted_ordered(problem, part, *call.ordered, counts);
                   },
               },
               part.bound.body);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) values[k] = estimates[k];
  return values;
}

}  // namespace bootfold::paths
