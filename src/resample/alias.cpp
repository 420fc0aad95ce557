#include "resample/alias.h"

#include <cmath>
#include <numeric>

namespace bootfold::resample {

Alias::Alias(std::span<const double> weights) : cells_(weights.size()) {
  // Vose's construction: a cell that holds too little is filled up from one that holds too much.
  const auto count = static_cast<double>(weights.size());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> held;
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    held.push_back(weights[i] / sum * count);
    (held[i] < 1 ? small : large).push_back(i);
    cells_[i] = {~std::uint64_t{0}, i, i};  // full, unless it turns out otherwise
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back();
    const std::uint32_t high = large.back();
    small.pop_back();
    cells_[low].threshold = static_cast<std::uint64_t>(std::ldexp(held[low], 64));
    cells_[low].above = high;
    held[high] -= 1 - held[low];
    if (held[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  // What rounding left over is full, but a row of weight 0 never comes up.
  for (const std::uint32_t i : small)
    if (weights[i] == 0) {
      std::uint32_t other = 0;
      while (weights[other] == 0) ++other;
      cells_[i] = {0, i, other};
    }
}

}  // namespace bootfold::resample
