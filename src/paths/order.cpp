// Path `order`: where the order statistics of a resample lie among the sorted data.
//
// A resample is m uniform draws, scaled up to positions. So its k-th smallest row is the data's
// order statistic number ceil(n U), where U is the k-th smallest of m uniforms: Beta(k, m - k + 1);
// and given one of them, the next one's gap is again a beta draw. The positions stay within a few
// standard deviations, so only a window of the sorted data is ever needed.
#include <algorithm>
#include <cmath>

#include "bootfold/random.h"
#include "numeric/quantile.h"
#include "paths/order_data.h"
#include "paths/paths.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

/// One further order statistic of m uniforms: number k after number `before`, which lies at `at`.
double next_position(random::Stream& stream, std::uint64_t before, std::uint64_t k, std::uint64_t m,
                     double at) {
  const auto above = static_cast<double>(m - before);
  // The least of those above needs one uniform: 1 - W^(1 / above).
  const double gap = k == before + 1 ? -std::expm1(std::log(random::uniform(stream)) / above)
                                     : random::beta(stream, static_cast<double>(k - before),
                                                    static_cast<double>(m - k) + 1);
  return at + (1 - at) * gap;
}

std::uint64_t rank_at(double position, std::uint64_t n) {
  const double rank = std::ceil(position * static_cast<double>(n));
  return static_cast<std::uint64_t>(std::clamp(rank, 1.0, static_cast<double>(n)));
}

}  // namespace

void run_order(const Run& run, const OrderData& data) {
  const std::uint64_t n = run.prepared.plan.rows;
  const std::uint64_t draws = run.prepared.plan.draws;
  for_each_group(run, 1024, n,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   std::vector<double> found(data.ranks().size());
                   for (std::uint64_t replicate = first; replicate < last; ++replicate) {
                     random::Stream stream({run.seed, replicate, random::Purpose::order});
                     double at = 0;
                     std::uint64_t before = 0;
                     for (std::size_t i = 0; i < found.size(); ++i) {
                       const std::uint64_t k = data.ranks()[i];
                       at = next_position(stream, before, k, draws, at);
                       before = k;
                       found[i] = data.value(i, rank_at(at, n));
                     }
                     data.finish(found, run.values_of(replicate));
                   }
                   worker.advance(static_cast<double>(last - first) * static_cast<double>(n));
                 });
}

}  // namespace bootfold::paths
