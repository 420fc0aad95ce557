#include "study/two_values.h"

#include <algorithm>
#include <cmath>

namespace bootfold::study {

std::optional<TwoValues> TwoValues::find(std::span<const double> tile) {
  constexpr std::size_t kTried = 16;  // rows that tell most columns of more values apart
  if (tile.empty()) return std::nullopt;
  const double one = tile[0];
  const auto differs = std::find_if(tile.begin(), tile.end(), [&](double x) { return x != one; });
  const bool both = differs != tile.end();
  const double other = both ? *differs : one;
  if (!std::isfinite(one) || !std::isfinite(other)) return std::nullopt;
  for (const double x : tile.first(std::min(kTried, tile.size())))
    if (x != one && x != other) return std::nullopt;
  std::uint64_t ones = 0;
  std::uint64_t others = 0;
  for (const double x : tile) {
    ones += x == one ? 1 : 0;
    others += x == other ? 1 : 0;
  }
  if (!both) others = 0;
  if (ones + others != tile.size()) return std::nullopt;
  return TwoValues{{{{one + 0.0, ones, 0},
                     {other + 0.0, others, static_cast<std::size_t>(differs - tile.begin())}}}};
}

}  // namespace bootfold::study
