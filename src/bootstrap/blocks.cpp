// Path `blocks`: sums of neighbouring rows are differences of running sums.
//
// The features are integers, so running sums may wrap around: their differences, and sums of those,
// are exact whenever a replicate's sum fits.
#include "resample/blocks.h"

#include "bootstrap/paths.h"
#include "bootstrap/sums.h"

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

/// The sum of a block; behind the last row comes the first.
template <class Unsigned>
Unsigned sum_of(const Unsigned* running, std::uint64_t rows, const resample::Block& block) {
  const std::uint64_t end = block.start + block.length;
  if (end <= rows) [[likely]]
    return running[end] - running[block.start];
  return running[rows] - running[block.start] + running[end - rows];
}

template <class Signed, class Unsigned>
void run_with(const Run& run) {
  const std::size_t rows = run.prepared.plan.rows;
  const std::size_t features = run.prepared.fixed.size();
  const std::vector<Unsigned> running = running_sums<Unsigned>(run);
  const resample::BlockLaw law(run.prepared.scheme, rows);
  const auto cost = static_cast<std::uint64_t>(static_cast<double>(rows) / law.mean_length()) + 1;
  for_each_group(run, std::max<std::uint64_t>(1, 4096 / cost), rows,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Finisher finish(run.prepared);
                   std::vector<__int128> sums(features);
                   for (std::uint64_t replicate = first; replicate < last; ++replicate) {
                     worker.check();
                     const random::StreamId id{run.seed, replicate, random::Purpose::block};
                     if (features == 1) {  // one sum stays in a register
                       Unsigned sum = 0;
                       law.for_each(id, [&](const resample::Block& block) {
                         sum += sum_of(running.data(), rows, block);
                       });
                       sums[0] = static_cast<Signed>(sum);
                     } else {
                       std::fill(sums.begin(), sums.end(), 0);
                       law.for_each(id, [&](const resample::Block& block) {
                         for (std::size_t f = 0; f < features; ++f)
                           sums[f] += static_cast<Signed>(
                               sum_of(running.data() + f * (rows + 1), rows, block));
                       });
                     }
                     finish(sums, run.values_of(replicate));
                   }
                   worker.advance(static_cast<double>(last - first) * static_cast<double>(rows));
                 });
}

}  // namespace

void run_blocks(const Run& run) {
  if (run.prepared.running_bytes == sizeof(std::int64_t)) {
    run_with<std::int64_t, std::uint64_t>(run);
  } else {
    run_with<__int128, unsigned __int128>(run);
  }
}

}  // namespace bootfold::paths
