// The rules by which members are selected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ensemble/selection/judges.h"

namespace bootfold::ensemble {

namespace {

/// The candidate that lowers the loss the most, or the first one if all losses are not finite.
std::size_t next_candidate(const Judges& judges, const Judges::Group& group,
                           const std::vector<std::size_t>& left, const SelectedSums& sums,
                           const Judges::Mask& mask) {
  std::size_t best = left[0];
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::size_t candidate : left) {
    const double loss = judges.loss_with(group, group.candidates[candidate], sums, mask);
    if (!(loss < lowest)) continue;  // not a number neither
    lowest = loss;
    best = candidate;
  }
  return best;
}

}  // namespace

Picks select_greedily(const Judges& judges, std::size_t count, const Judges::Mask& mask) {
  const std::vector<Judges::Group>& groups = judges.groups();
  std::vector<std::vector<std::size_t>> left(groups.size());
  std::size_t rounds = count / groups.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    left[g].resize(groups[g].candidates.size());
    std::iota(left[g].begin(), left[g].end(), std::size_t{0});
    rounds = std::min(rounds, left[g].size());
  }
  const std::size_t most = rounds == 0 ? std::min(count, groups.size()) : rounds * groups.size();
  SelectedSums sums = judges.no_members();
  Picks picks;
  std::size_t kept = most;
  double lowest = std::numeric_limits<double>::infinity();
  while (picks.size() < most) {
    const std::size_t g = picks.size() % groups.size();
    const std::size_t candidate = next_candidate(judges, groups[g], left[g], sums, mask);
    std::erase(left[g], candidate);
    picks.emplace_back(g, candidate);
    judges.add(groups[g], groups[g].candidates[candidate], sums);
    if (rounds == 0 || picks.size() % groups.size() != 0) continue;
    const double loss = judges.mean_loss(sums, mask);
    if (!(loss < lowest)) continue;
    lowest = loss;
    kept = picks.size();
  }
  picks.resize(kept);
  return picks;
}

Picks select_best(const Judges& judges, std::size_t count, const Judges::Mask& mask) {
  const SelectedSums none = judges.no_members();
  std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> order;
  for (std::size_t g = 0; g < judges.groups().size(); ++g) {
    const Judges::Group& group = judges.groups()[g];
    for (std::size_t c = 0; c < group.candidates.size(); ++c) {
      SelectedSums own = none;
      judges.add(group, group.candidates[c], own);
      const double loss = judges.mean_loss(own, mask);
      order.emplace_back(std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss,
                         std::pair(g, c));
    }
  }
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    const auto index = [&](const auto& entry) {
      return judges.groups()[entry.second.first].candidates[entry.second.second].member;
    };
    return a.first != b.first ? a.first < b.first : index(a) < index(b);
  });
  Picks picks;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) picks.push_back(order[i].second);
  return picks;
}

}  // namespace bootfold::ensemble
