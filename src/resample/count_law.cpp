#include "resample/count_law.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>

namespace bootfold::resample {

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;  // software: the same on every machine
using boost::multiprecision::uint128_t;

constexpr std::size_t kSeats = 16;
constexpr std::size_t kCounts = simd::kMostCount + 1;
using Weights = std::array<Wide, kCounts>;

/// A Poisson law of mean at most 2: counts beyond 31 have a probability below 2^-87.
Weights poisson(double mean) {
  Weights weights;
  weights[0] = exp(Wide(-mean));
  for (unsigned k = 1; k < kCounts; ++k) weights[k] = weights[k - 1] * mean / k;
  return weights;
}

/// Sixteen seats by D'Hondt's method: of all ways to give out the seats, the one that leaves the
/// least to the next layer.
struct Seats {
  explicit Seats(const Weights& weights) {
    std::array<unsigned, kCounts> seats{};
    for (std::size_t seat = 0; seat < kSeats; ++seat) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < kCounts; ++k)
        if (weights[k] * (seats[best] + 1) > weights[best] * (seats[k] + 1)) best = k;
      ++seats[best];
    }
    std::size_t at = 0;
    for (std::size_t k = 0; k < kCounts; ++k) {
      if (seats[k] == 0) continue;
      kept = std::min<Wide>(kept, weights[k] * kSeats / seats[k]);
      for (unsigned i = 0; i < seats[k]; ++i) count[at++] = static_cast<std::uint8_t>(k);
    }
  }

  /// What is left of the weights, scaled to a sum of 1.
  [[nodiscard]] Weights rest(Weights weights) const {
    for (const std::uint8_t k : count) weights[k] -= kept / kSeats;
    Wide sum = 0;
    for (Wide& weight : weights) {
      if (weight < ldexp(Wide(1), -140)) weight = 0;  // the rounding of what has no rest
      sum += weight;
    }
    for (Wide& weight : weights) weight /= sum;
    return weights;
  }

  std::array<std::uint8_t, kSeats> count{};
  Wide kept = 1;  // the share of the weights that the seats make up
};

/// floor(F(k) 2^128) of a Poisson law, up to the first k with 1 - F(k) < 2^-128.
void fill(const Wide& mean, std::vector<std::uint64_t>& high, std::vector<std::uint64_t>& low,
          simd::NumberTable& table) {
  const Wide scale = ldexp(Wide(1), 128);
  Wide probability = exp(-mean);
  Wide below = probability;
  for (unsigned k = 1;; ++k) {
    const boost::multiprecision::cpp_int threshold(floor(below * scale));
    if ((threshold >> 128) != 0) break;
    high.push_back(static_cast<std::uint64_t>(threshold >> 64));
    low.push_back(static_cast<std::uint64_t>(threshold & ~std::uint64_t{0}));
    if (k > mean && (1 - below) * scale < 1) break;
    probability *= mean / k;
    below += probability;
  }
  table.thresholds = static_cast<std::uint32_t>(high.size());
  high.insert(high.end(), simd::NumberTable::kPadding, ~std::uint64_t{0});
  table.high = high.data();
  table.low = low.data();
  std::uint16_t reached = 0;
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    const std::uint64_t least = byte << 56;
    while (reached < table.thresholds &&
           (high[reached] < least || (high[reached] == least && low[reached] == 0)))
      ++reached;
    table.guide[byte] = reached;
  }
}

}  // namespace

double count_mean(std::uint64_t rows, std::uint64_t draws, double margin) noexcept {
  const auto n = static_cast<double>(draws);
  const double share = n / static_cast<double>(rows) * std::max(0.5, 1 - margin / std::sqrt(n));
  const double grid = std::ldexp(4.0, static_cast<int>(std::bit_width(rows - 1) + 1) / 2);
  return std::min(std::floor(share * grid), 2 * grid) / grid;
}

CountLaw::CountLaw(double mean, std::uint32_t positions) : mean_(mean) {
  const Weights all = poisson(mean);
  const Seats dense(all);
  const Weights after_dense = dense.rest(all);
  const Seats sparse(after_dense);
  const Weights rare = sparse.rest(after_dense);
  std::copy(dense.count.begin(), dense.count.end(), table_.dense);
  std::copy(sparse.count.begin(), sparse.count.end(), table_.sparse);
  table_.positions = positions;

  // A row is replaced with these probabilities; hits of a row are Poisson(-log(1 - probability)).
  const Wide rare_share = (1 - dense.kept) * (1 - sparse.kept);
  const Wide sparse_share = (1 - dense.kept) * sparse.kept / (1 - rare_share);
  fill(-log(1 - sparse_share) * positions, sparse_.high, sparse_.low, table_.sparse_rows);
  fill(-log(1 - rare_share) * positions, rare_.high, rare_.low, table_.rare_rows);
  if (table_.sparse_rows.thresholds + table_.rare_rows.thresholds > simd::Replaced::kMost)
    std::abort();

  // Of 65,536 values each count has as many as fit whole; the others take 64 bits more.
  std::size_t first = 0;
  while (rare[first] * 65536 < 1) ++first;
  table_.rare_first = static_cast<std::uint8_t>(first);
  Weights left;
  std::uint32_t used = 0;
  for (std::size_t k = 0; k < kCounts; ++k) {
    const Wide share = rare[k] * 65536;
    const Wide whole = k < first || k > first + simd::kRareSteps ? Wide(0) : floor(share);
    left[k] = share - whole;
    used += static_cast<std::uint32_t>(whole);
    if (k >= first && k < first + simd::kRareSteps) table_.rare_end[k - first] = used;
  }
  table_.rare_open = used;
  for (std::uint32_t& end : table_.rare_end)
    if (end == used) end = 65536;  // nothing beyond it is decided
  Wide below = 0;
  for (std::size_t k = 0; k + 1 < kCounts; ++k) {
    below += left[k] / (65536 - used);
    const uint128_t threshold(floor(ldexp(below, 64)));
    rare_thresholds_.push_back((threshold >> 64) != 0 ? ~std::uint64_t{0}
                                                      : static_cast<std::uint64_t>(threshold));
  }
}

std::uint8_t CountLaw::rare_count(std::uint64_t more) const noexcept {
  return static_cast<std::uint8_t>(
      std::upper_bound(rare_thresholds_.begin(), rare_thresholds_.end(), more) -
      rare_thresholds_.begin());
}

TileLaws CountLaws::operator()(double mean, std::uint64_t rows) {
  constexpr std::uint64_t kTile = simd::kCountTile;
  const auto last = static_cast<std::uint32_t>(std::bit_ceil((rows - 1) % kTile + 1));
  const std::lock_guard lock(mutex_);
  return {law(mean, rows > kTile ? static_cast<std::uint32_t>(kTile) : last), law(mean, last)};
}

const CountLaw* CountLaws::law(double mean, std::uint32_t positions) {
  auto& found = laws_[{mean, positions}];
  if (!found) found = std::make_unique<const CountLaw>(mean, positions);
  return found.get();
}

}  // namespace bootfold::resample
