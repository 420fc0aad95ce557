// Path `blocks`: sums of neighbouring rows are differences of running sums.
//
// The features are integers, so running sums may wrap around: their differences, and sums of those,
// are exact whenever a replicate's sum fits.
#include "resample/blocks.h"

#include "paths/paths.h"
#include "paths/sums.h"

namespace bootfold::paths {

namespace {

/// running[f][row] = sum of feature f over the rows before `row`.
template <class Unsigned>
std::vector<Unsigned> running_sums(const Run& run) {
  const std::size_t rows = run.prepared.plan.rows;
  const std::size_t features = run.prepared.fixed.size();
  std::vector<Unsigned> running(features * (rows + 1));
  for_each_integer_tile(
      run.prepared, execution::simd::kernels(run.prepared.plan.level), {},
      [&](std::size_t feature, std::size_t first, std::span<const std::int64_t> integers) {
        Unsigned* at = running.data() + feature * (rows + 1) + first;
        for (std::size_t i = 0; i < integers.size(); ++i)
          at[i + 1] = at[i] + static_cast<Unsigned>(integers[i]);
      });
  return running;
}

/// The sums of a feature over blocks.
std::int64_t sum_of(const execution::simd::Kernels& kernels, const std::uint64_t* running,
                    std::uint32_t rows, const resample::BlockList& blocks) {
  return static_cast<std::int64_t>(kernels.sum_blocks(running, rows, blocks.starts.data(),
                                                      blocks.lengths.data(), blocks.starts.size()));
}

__int128 sum_of(const execution::simd::Kernels&, const unsigned __int128* running,
                std::uint32_t rows, const resample::BlockList& blocks) {
  unsigned __int128 sum = 0;
  for (std::size_t i = 0; i < blocks.starts.size(); ++i) {
    const std::uint64_t end = std::uint64_t{blocks.starts[i]} + blocks.lengths[i];
    const bool around = end > rows;
    sum += running[around ? end - rows : end] - running[blocks.starts[i]];
    if (around) sum += running[rows];
  }
  return static_cast<__int128>(sum);
}

template <class Unsigned>
void run_with(const Run& run) {
  const std::size_t rows = run.prepared.plan.rows;
  const std::size_t features = run.prepared.fixed.size();
  const std::vector<Unsigned> running = running_sums<Unsigned>(run);
  const auto& kernels = execution::simd::kernels(run.prepared.plan.level);
  const resample::BlockLaw law(run.prepared.scheme, rows, kernels);
  const auto cost = static_cast<std::uint64_t>(static_cast<double>(rows) / law.mean_length()) + 1;
  for_each_group(run, std::max<std::uint64_t>(1, 4096 / cost), rows,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Finisher finish(run.prepared);
                   std::vector<__int128> sums(features);
                   for (std::uint64_t replicate = first; replicate < last; ++replicate) {
                     worker.check();
                     std::fill(sums.begin(), sums.end(), 0);
                     law.for_each(run.seed, replicate, [&](const resample::BlockList& blocks) {
                       for (std::size_t f = 0; f < features; ++f)
                         sums[f] +=
                             sum_of(kernels, running.data() + f * (rows + 1), law.rows(), blocks);
                     });
                     finish(sums, run.values_of(replicate));
                   }
                   worker.advance(static_cast<double>(last - first) * static_cast<double>(rows));
                 });
}

}  // namespace

void run_blocks(const Run& run) {
  if (run.prepared.running_bytes == sizeof(std::int64_t)) {
    run_with<std::uint64_t>(run);
  } else {
    run_with<unsigned __int128>(run);
  }
}

}  // namespace bootfold::paths
