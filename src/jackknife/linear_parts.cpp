#include "jackknife/linear_parts.h"

#include <cmath>
#include <memory>

#include "bootfold/map_reduce.h"
#include "resample/sampler.h"

namespace bootfold::jackknife {

namespace {

/// Progress of one of several passes.
Execution pass_of(const Execution& execution, unsigned pass, unsigned passes) {
  Execution own = execution;
  if (execution.progress)
    own.progress = [tell = execution.progress, pass, passes](execution::Progress progress) {
      tell({pass * progress.total + progress.done, passes * progress.total});
    };
  return own;
}

/// Calls see(state, replicate, rows drawn) for all replicates.
template <class State, class See, class Merge>
State over_replicates(const BalancedRun& run, const State& init, const See& see, const Merge& merge,
                      const Execution& execution) {
  const auto sampling = run.design.sampling(run.rows, run.seed, run.replicates,
                                            execution.level.value_or(execution::default_level()));
  std::vector<std::unique_ptr<resample::Sampler>> samplers(execution::thread_count(execution));
  return map_reduce(
      {0, run.replicates}, init,
      [&](State& state, std::size_t replicate, const execution::Worker& worker) {
        worker.check();
        auto& sampler = samplers[worker.index()];
        if (!sampler) sampler = sampling->sampler();
        see(state, replicate, sampler->draw(replicate));
        worker.advance(static_cast<double>(run.rows));
      },
      merge, execution, static_cast<double>(run.replicates) * static_cast<double>(run.rows));
}

/// Mean of the changes of an output over the rows drawn.
double mean_of(std::span<const double> changes, std::span<const std::uint32_t> drawn) {
  double sum = 0;
  for (const std::uint32_t row : drawn) sum += changes[row];
  return sum / static_cast<double>(drawn.size());
}

/// Sums over replicates of the count of a row times the linear part, and times the value less that
/// of the first replicate: [output][row].
struct Products {
  std::vector<double> parts;
  std::vector<double> values;
};

struct Pass {
  std::vector<double> parts;  // [replicate][output]
  Products products;          // empty unless asked for
};

/// The linear parts by the changes alone.
Pass linear_pass(const BalancedRun& run, std::span<const double> values,
                 std::span<const double> changes, bool products, const Execution& execution) {
  const std::size_t outputs = changes.size() / run.rows;
  Pass found{std::vector<double>(values.size()), {}};
  const std::vector<double> none(products ? changes.size() : 0);
  found.products = over_replicates(
      run, Products{none, none},
      [&](Products& sums, std::size_t replicate, std::span<const std::uint32_t> drawn) {
        for (std::size_t k = 0; k < outputs; ++k) {
          const std::size_t first = k * run.rows;
          const double part = mean_of(changes.subspan(first, run.rows), drawn);
          found.parts[replicate * outputs + k] = part;
          if (!products) continue;
          const double value = values[replicate * outputs + k] - values[k];
          for (const std::uint32_t row : drawn) {
            sums.parts[first + row] += part;
            sums.values[first + row] += value;
          }
        }
      },
      [](Products& sums, Products&& next) {
        for (std::size_t i = 0; i < sums.parts.size(); ++i) {
          sums.parts[i] += next.parts[i];
          sums.values[i] += next.values[i];
        }
      },
      execution);
  return found;
}

/// Regression of the values of one output on their linear parts.
struct Regression {
  double value_mean = 0;  // less the first value
  double part_mean = 0;
  double slope = 0;
  double variance = 0;  // of the values; NaN if one is not finite
  double rest = 0;      // variance of what is left
};

Regression regress(std::span<const double> values, std::span<const double> parts,
                   std::size_t outputs, std::size_t output) {
  Regression found;
  const auto count = static_cast<double>(values.size() / outputs);
  const double origin = values[output];
  for (std::size_t i = output; i < values.size(); i += outputs) {
    found.value_mean += (values[i] - origin) / count;
    found.part_mean += parts[i] / count;
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = output; i < values.size(); i += outputs) {
    const double part = parts[i] - found.part_mean;
    const double value = values[i] - origin - found.value_mean;
    products += part * value;
    squares += part * part;
    found.variance += value * value / count;
  }
  if (squares > 0) found.slope = products / squares;
  for (std::size_t i = output; i < values.size(); i += outputs) {
    const double rest =
        (values[i] - origin - found.value_mean) - found.slope * (parts[i] - found.part_mean);
    found.rest += rest * rest / count;
  }
  return found;
}

/// Adds to the changes of an output what replicates tell of them; returns whether that is anything.
bool refine(const BalancedRun& run, const Regression& line, std::span<const double> value_products,
            std::span<const double> part_products, std::span<double> changes) {
  const auto rows = static_cast<double>(run.rows);
  const auto count = static_cast<double>(run.replicates);
  // What rounding leaves of a linear statistic tells nothing.
  if (!(line.rest > 1e-20 * line.variance) || !std::isfinite(line.rest)) return false;
  std::vector<double> lacking(run.rows);  // cov(e, c_i)
  double found = 0;                       // variance of the linear part with changes n cov(e, c_i)
  for (std::size_t i = 0; i < run.rows; ++i) {
    // All replicates together have each row `count` times.
    lacking[i] = (value_products[i] / count - line.value_mean) -
                 line.slope * (part_products[i] / count - line.part_mean);
    found += lacking[i] * lacking[i];
  }
  const double noise = (rows - 1) * line.rest / count;
  if (!(found > noise)) return false;
  const double share = 1 - std::sqrt(noise / found);
  for (std::size_t i = 0; i < run.rows; ++i)
    changes[i] = line.slope * changes[i] + share * rows * lacking[i];
  return true;
}

}  // namespace

bool serves_linear_parts(std::uint64_t rows, std::uint64_t outputs) {
  return outputs == 1 || rows * outputs <= std::uint64_t{1} << 22;
}

unsigned linear_passes(std::uint64_t rows, std::uint64_t outputs, std::uint64_t replicates) {
  return rows <= replicates / 4 && rows * outputs <= std::uint64_t{1} << 16 ? 2 : 1;
}

std::vector<double> linear_parts(const BalancedRun& run, std::span<const double> values,
                                 std::vector<double> changes, const Execution& execution) {
  const std::size_t outputs = changes.size() / run.rows;
  const unsigned passes = linear_passes(run.rows, outputs, run.replicates);
  Pass first = linear_pass(run, values, changes, passes > 1, pass_of(execution, 0, passes));
  if (passes == 1) return std::move(first.parts);
  bool refined = false;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto own = [&](std::vector<double>& list) {
      return std::span(list).subspan(k * run.rows, run.rows);
    };
    if (refine(run, regress(values, first.parts, outputs, k), own(first.products.values),
               own(first.products.parts), own(changes)))
      refined = true;
  }
  if (!refined) return std::move(first.parts);
  return linear_pass(run, values, changes, false, pass_of(execution, 1, passes)).parts;
}

}  // namespace bootfold::jackknife
