// Path `distinct`: how often each distinct row is drawn, by conditional binomials.
//
// Given what the rows before it took, a row's count is binomial over what is left. What is left is
// carried as integers, so the counts always add up to n.
#include "bootfold/random.h"
#include "paths/paths.h"
#include "paths/sums.h"

namespace bootfold::paths {

void run_distinct(const Run& run) {
  const study::DistinctRows& distinct = *run.prepared.distinct;
  const std::size_t features = run.prepared.fixed.size();
  std::vector<std::int64_t> integers(distinct.features.size());
  for (std::size_t i = 0; i < integers.size(); ++i)
    integers[i] = study::quantize(distinct.features[i], run.prepared.fixed[i % features].point);

  const std::uint64_t group = std::max<std::uint64_t>(1, 4096 / distinct.count());
  for_each_group(run, group, run.prepared.plan.rows,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Finisher finish(run.prepared);
                   std::vector<__int128> sums(features);
                   for (std::uint64_t replicate = first; replicate < last; ++replicate) {
                     random::Stream stream({run.seed, replicate, random::Purpose::binomial});
                     std::uint64_t draws_left = run.prepared.plan.draws;
                     std::uint64_t weight_left = run.prepared.plan.rows;
                     std::fill(sums.begin(), sums.end(), 0);
                     for (std::size_t row = 0; row < distinct.count() && draws_left > 0; ++row) {
                       const std::uint64_t weight = distinct.weights[row];
                       const std::uint64_t count =
                           weight == weight_left
                               ? draws_left
                               : random::binomial(stream, draws_left,
                                                  static_cast<double>(weight) /
                                                      static_cast<double>(weight_left));
                       draws_left -= count;
                       weight_left -= weight;
                       for (std::size_t f = 0; f < features; ++f)
                         sums[f] += static_cast<__int128>(count) * integers[row * features + f];
                     }
                     finish(sums, run.values_of(replicate));
                   }
                   worker.advance(static_cast<double>(last - first) *
                                  static_cast<double>(run.prepared.plan.rows));
                 });
}

}  // namespace bootfold::paths
