// The rules by which members are selected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bootfold/execution.h"
#include "ensemble/selection/judges.h"

namespace bootfold::ensemble {

namespace {

/// The candidate that lowers the loss the most, or the first one if all losses are not finite.
std::size_t next_candidate(const Judges& judges, const Judges::Group& group,
                           const std::vector<std::size_t>& left, const SelectedSums& sums,
                           const Judges::Mask& mask, const execution::Worker& worker) {
  std::size_t best = left[0];
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::size_t candidate : left) {
    worker.check();
    const double loss = judges.loss_with(group, group.candidates[candidate], sums, mask);
    if (!(loss < lowest)) continue;  // not a number neither
    lowest = loss;
    best = candidate;
  }
  return best;
}

/// Rounds of one member of each group; 0: fewer members than groups are selected.
std::size_t rounds_of(const Judges& judges, std::size_t count) {
  std::size_t rounds = count / judges.groups().size();
  for (const Judges::Group& group : judges.groups())
    rounds = std::min(rounds, group.candidates.size());
  return rounds;
}

Picks select_greedily(const Judges& judges, std::size_t rounds, std::size_t most,
                      const Judges::Mask& mask, const execution::Worker& worker) {
  const std::vector<Judges::Group>& groups = judges.groups();
  std::vector<std::vector<std::size_t>> left(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    left[g].resize(groups[g].candidates.size());
    std::iota(left[g].begin(), left[g].end(), std::size_t{0});
  }
  SelectedSums sums = judges.no_members();
  Picks picks;
  std::size_t kept = most;
  double lowest = std::numeric_limits<double>::infinity();
  while (picks.size() < most) {
    const std::size_t g = picks.size() % groups.size();
    const std::size_t candidate = next_candidate(judges, groups[g], left[g], sums, mask, worker);
    std::erase(left[g], candidate);
    picks.emplace_back(g, candidate);
    judges.add(groups[g], groups[g].candidates[candidate], sums);
    worker.advance(1);
    if (rounds == 0 || picks.size() % groups.size() != 0) continue;
    const double loss = judges.mean_loss(sums, mask);
    if (!(loss < lowest)) continue;
    lowest = loss;
    kept = picks.size();
  }
  picks.resize(kept);
  return picks;
}

}  // namespace

std::vector<Picks> select_greedily(const Judges& judges, std::size_t count,
                                   const std::vector<Judges::Mask>& masks,
                                   const Execution& execution) {
  const std::size_t groups = judges.groups().size();
  const std::size_t rounds = rounds_of(judges, count);
  const std::size_t most = rounds == 0 ? std::min(count, groups) : rounds * groups;
  std::vector<Picks> picks(masks.size());
  execution::detail::run_chunks(masks.size(), static_cast<double>(masks.size() * most), execution,
                                [&](const execution::Worker& worker, std::size_t i) {
                                  picks[i] =
                                      select_greedily(judges, rounds, most, masks[i], worker);
                                });
  return picks;
}

std::vector<Picks> select_best(const Judges& judges, std::size_t count,
                               const std::vector<Judges::Mask>& masks, const Execution& execution) {
  Picks all;
  for (std::size_t g = 0; g < judges.groups().size(); ++g)
    for (std::size_t c = 0; c < judges.groups()[g].candidates.size(); ++c) all.emplace_back(g, c);
  std::vector<std::vector<double>> means(masks.size(), std::vector<double>(all.size()));
  execution::detail::run_chunks(
      all.size(), static_cast<double>(all.size()), execution,
      [&](const execution::Worker& worker, std::size_t k) {
        const Judges::Group& group = judges.groups()[all[k].first];
        const std::vector<double> losses = judges.losses(group, group.candidates[all[k].second]);
        for (std::size_t i = 0; i < masks.size(); ++i) {
          double total = 0;
          double weights = 0;
          for (std::size_t r = 0; r < losses.size(); ++r) {
            if (masks[i][group.rows[r]] == 0) continue;
            const double weight = judges.weight(group.rows[r]);
            total += weight * losses[r];
            weights += weight;
          }
          const double mean = total / weights;
          means[i][k] = std::isnan(mean) ? std::numeric_limits<double>::infinity() : mean;
        }
        worker.check();
        worker.advance(1);
      });
  const auto member = [&](std::size_t k) {
    return judges.groups()[all[k].first].candidates[all[k].second].member;
  };
  std::vector<Picks> picks(masks.size());
  for (std::size_t i = 0; i < masks.size(); ++i) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return means[i][a] != means[i][b] ? means[i][a] < means[i][b] : member(a) < member(b);
    });
    order.resize(std::min(count, order.size()));
    for (const std::size_t k : order) picks[i].push_back(all[k]);
  }
  return picks;
}

}  // namespace bootfold::ensemble
