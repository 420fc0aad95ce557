#include "paths/deletion.h"

#include <algorithm>
#include <memory>

#include "bootfold/map_reduce.h"
#include "jackknife/cumulants.h"
#include "jackknife/heavy_rows.h"
#include "jackknife/influence.h"
#include "jackknife/order_statistics.h"
#include "jackknife/row_weights.h"
#include "jackknife/shifted_means.h"
#include "numeric/moments.h"

namespace bootfold::paths {

namespace {

using study::Part;

/// The values of functions of sums without each row: means that moved a little.
void delete_from_sums(const Run& run, const jackknife::Task& task) {
  const study::Problem& problem = task.problem;
  const std::uint64_t n = problem.data.rows();
  const double step = 1 / static_cast<double>(n - 1);
  const std::size_t tile_rows = study::feature_tile_rows(problem.features.count());
  const Execution silent{run.execution.threads, run.execution.level, run.execution.stop, {}};
  const jackknife::HeavyRows heavy(task);
  struct Nothing {};
  static_cast<void>(map_reduce(
      {0, static_cast<std::size_t>((n + tile_rows - 1) / tile_rows), 1}, Nothing{},
      [&](Nothing&, std::size_t tile, const execution::Worker& worker) {
        worker.check();
        study::TileReader reader(problem.data, tile_rows);
        jackknife::Mover mover(task, static_cast<double>(n - 1));
        std::vector<double> made(problem.features.count() * tile_rows);
        const std::uint64_t first = tile * tile_rows;
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, n - first));
        problem.features.make(reader.read(first, size), made.data(), tile_rows);
        jackknife::for_each_part(task, [&](const Part& part) {
          for (std::size_t i = 0; i < size; ++i) {
            const std::span<double> values =
                run.values_of(first + i).subspan(part.first_output, part.outputs());
            const std::span<const double> others = heavy.means_without(first + i);
            if (others.empty()) {
              mover.at(part, made.data() + i, tile_rows, nullptr, -step, values);
            } else {
              mover.at(part, others, values);
            }
          }
        });
      },
      [](Nothing&, Nothing&&) {}, silent));
}

/// The values of quantiles without each row, by its rank. Of equal rows it does not matter which is
/// left out, so a row has the first of the classes whose last value it does not exceed.
void delete_from_order(const Run& run, const jackknife::Task& task, const Part& part) {
  const auto deletions = jackknife::order_deletions(task, part);
  std::vector<double> highest;
  for (std::size_t j = 0; j + 1 < deletions.last.size(); ++j)
    highest.push_back(task.order(part, deletions.last[j]));
  const ColumnView& column = task.problem.data.column(part.columns[0]);
  std::vector<double> buffer(study::kTileRows);
  for (std::size_t row = 0; row < column.rows(); row += buffer.size()) {
    if (run.execution.stop.stop_requested()) throw Cancelled();
    const auto tile = std::span(buffer).first(std::min(buffer.size(), column.rows() - row));
    column.read(row, tile);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const auto found = std::lower_bound(highest.begin(), highest.end(), tile[i]);
      const auto& values = deletions.values[static_cast<std::size_t>(found - highest.begin())];
      std::copy(values.begin(), values.end(),
                run.values_of(row + i).begin() + static_cast<std::ptrdiff_t>(part.first_output));
    }
  }
}

/// What values that were made one by one say.
Influence influence_of(const Run& run, double estimate, std::size_t output) {
  const auto units = static_cast<double>(run.replicates());
  numeric::Moments moments;
  for (std::uint64_t unit = 0; unit < run.replicates(); ++unit)
    moments.add((units - 1) * (estimate - run.values_of(unit)[output]));
  Influence found;
  found.method = "delete-one";
  found.rows = units;
  found.estimate = estimate;
  found.shift = -moments.mean() / (units - 1);
  found.mean = estimate + found.shift;
  jackknife::conclude(jackknife::Spread(moments), found);
  return found;
}

}  // namespace

void run_deletion(const Run& run) {
  const study::Problem& problem = run.prepared.problem;
  jackknife::Lookup lookup(problem, run.execution.stop);
  const jackknife::Measure measure(problem.data.rows());
  const jackknife::Task task{
      problem,       run.prepared.features,
      measure,       [&](const Part& part, std::uint64_t rank) { return lookup(part, rank); },
      run.execution, run.outputs()};
  if (!problem.features.empty()) delete_from_sums(run, task);
  for (const Part& part : problem.parts)
    if (std::holds_alternative<statistic::Order>(part.bound.body))
      delete_from_order(run, task, part);
}

std::vector<Influence> jackknife_influences(const Run& run, std::span<const double> estimates) {
  if (run.prepared.plan.path == Path::deletion) {
    const study::Problem& problem = run.prepared.problem;
    jackknife::Lookup lookup(problem, run.execution.stop);
    const jackknife::Measure measure(problem.data.rows());
    return jackknife::influences(
        {problem, run.prepared.features, measure,
         [&](const Part& part, std::uint64_t rank) { return lookup(part, rank); }, run.execution,
         run.outputs()});
  }
  std::vector<Influence> found;
  for (std::size_t output = 0; output < run.outputs(); ++output)
    found.push_back(influence_of(run, estimates[output], output));
  return found;
}

}  // namespace bootfold::paths
