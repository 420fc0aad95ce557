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
      {0, run.replicates, 0, 1 + samplers.size()}, init,
      [&](State& state, std::size_t replicate, const execution::Worker& worker) {
        worker.check();
        auto& sampler = samplers[worker.index()];
        if (!sampler) sampler = sampling->sampler();
        see(state, replicate, sampler->draw(replicate));
        worker.advance(static_cast<double>(run.rows));
      },
      merge, execution, static_cast<double>(run.replicates) * static_cast<double>(run.rows));
}

/// Means of the changes over the rows drawn, [replicate][output].
std::vector<double> means(const BalancedRun& run, std::span<const double> changes,
                          const Execution& execution) {
  const std::size_t outputs = changes.size() / run.rows;
  std::vector<double> parts(run.replicates * outputs);
  struct Nothing {};
  static_cast<void>(over_replicates(
      run, Nothing{},
      [&](Nothing&, std::size_t replicate, std::span<const std::uint32_t> drawn) {
        for (std::size_t k = 0; k < outputs; ++k) {
          double sum = 0;
          for (const std::uint32_t row : drawn) sum += changes[k * run.rows + row];
          parts[replicate * outputs + k] = sum / static_cast<double>(drawn.size());
        }
      },
      [](Nothing&, Nothing&&) {}, execution));
  return parts;
}

/// What linear parts leave of the values of one output, with mean 0; 0 where a value is undefined.
struct Rest {
  std::vector<double> values;
  double slope = 0;  // of the values by the linear parts
  double variance = 0;
};

Rest rest_of(std::span<const double> values, std::span<const double> parts, std::size_t outputs,
             std::size_t output) {
  Rest rest{std::vector<double>(values.size() / outputs)};
  double count = 0;
  double value_sum = 0;
  double part_sum = 0;
  for (std::size_t i = output; i < values.size(); i += outputs) {
    if (!std::isfinite(values[i])) continue;
    ++count;
    value_sum += values[i];
    part_sum += parts[i];
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = output; i < values.size(); i += outputs) {
    if (!std::isfinite(values[i])) continue;
    const double part = parts[i] - part_sum / count;
    products += part * (values[i] - value_sum / count);
    squares += part * part;
  }
  if (squares > 0) rest.slope = products / squares;
  for (std::size_t i = 0; i < rest.values.size(); ++i) {
    const std::size_t at = i * outputs + output;
    if (!std::isfinite(values[at])) continue;
    rest.values[i] = (values[at] - value_sum / count) - rest.slope * (parts[at] - part_sum / count);
    rest.variance += rest.values[i] * rest.values[i] / count;
  }
  return rest;
}

/// Adds to the changes what replicates tell of them.
void refine(const BalancedRun& run, std::span<const Rest> rests, std::vector<double>& changes,
            const Execution& execution) {
  const auto rows = static_cast<double>(run.rows);
  const auto count = static_cast<double>(run.replicates);
  const std::vector<double> products = over_replicates(
      run, std::vector<double>(changes.size()),
      [&](std::vector<double>& sums, std::size_t replicate, std::span<const std::uint32_t> drawn) {
        for (std::size_t k = 0; k < rests.size(); ++k)
          for (const std::uint32_t row : drawn)
            sums[k * run.rows + row] += rests[k].values[replicate];
      },
      [](std::vector<double>& sums, std::vector<double>&& part) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
      },
      execution);
  for (std::size_t k = 0; k < rests.size(); ++k) {
    double found = 0;  // variance of the linear part with changes n cov(e, c_i)
    for (std::size_t i = k * run.rows; i < (k + 1) * run.rows; ++i)
      found += products[i] / count * (products[i] / count);
    const double noise = (rows - 1) * rests[k].variance / count;
    const double share = found > noise ? 1 - std::sqrt(noise / found) : 0;
    for (std::size_t i = k * run.rows; i < (k + 1) * run.rows; ++i)
      changes[i] = rests[k].slope * changes[i] + share * rows * products[i] / count;
  }
}

}  // namespace

bool serves_linear_parts(std::uint64_t rows, std::uint64_t outputs) {
  return outputs == 1 || rows * outputs <= std::uint64_t{1} << 22;
}

unsigned linear_passes(std::uint64_t rows, std::uint64_t outputs, std::uint64_t replicates) {
  return rows <= replicates / 4 && rows * outputs <= std::uint64_t{1} << 18 ? 3 : 1;
}

std::vector<double> linear_parts(const BalancedRun& run, std::span<const double> values,
                                 std::vector<double> changes, const Execution& execution) {
  const std::size_t outputs = changes.size() / run.rows;
  const unsigned passes = linear_passes(run.rows, outputs, run.replicates);
  std::vector<double> parts = means(run, changes, pass_of(execution, 0, passes));
  if (passes == 1) return parts;
  std::vector<Rest> rests;
  for (std::size_t k = 0; k < outputs; ++k) rests.push_back(rest_of(values, parts, outputs, k));
  refine(run, rests, changes, pass_of(execution, 1, passes));
  return means(run, changes, pass_of(execution, 2, passes));
}

}  // namespace bootfold::jackknife
