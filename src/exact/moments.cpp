#include "exact/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/map_reduce.h"

namespace bootfold::exact {

namespace {

constexpr int kLowest = -64;  // smaller exponents share a ring, as do the largest
constexpr std::size_t kRings = 128;

/// Power sums of the rows whose distance from the middle has a certain exponent.
struct Ring {
  double powers[5] = {};

  void add(double v, double weight) {
    double power = weight;
    for (double& sum : powers) {
      sum += power;
      power *= v;
    }
  }
};

struct State {
  std::array<Ring, kRings> rings;
  numeric::Compensated first;
  numeric::Compensated second;
  numeric::Compensated absolute;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
};

std::size_t ring_of(double v) {
  if (v == 0) return 0;
  return static_cast<std::size_t>(
      std::clamp(std::ilogb(v) - kLowest, 0, static_cast<int>(kRings) - 1));
}

Core core_of(const Ring& sums) {
  const double n = sums.powers[0];
  const double mean = sums.powers[1] / n;
  const double m2 = sums.powers[2] / n;
  const double m3 = sums.powers[3] / n;
  const double m4 = sums.powers[4] / n;
  return {n, std::max(0.0, m2 - mean * mean),
          std::max(0.0, m4 - 4 * mean * m3 + 6 * mean * mean * m2 - 3 * mean * mean * mean * mean)};
}

}  // namespace

Spread spread_of(const Rows& rows, const Execution& execution) {
  const double middle = rows.of_scaled(0);  // near the median, so that an outlier does not move it
  const State all = map_reduce(
      {0, (rows.values() + kChunkRows - 1) / kChunkRows, 1}, State{},
      [&](State& state, std::size_t chunk) {
        const std::size_t first = chunk * kChunkRows;
        rows.scan(first, std::min(rows.values(), first + kChunkRows),
                  [&](std::span<const double> v, std::span<const double> weights) {
                    constexpr std::size_t kShortRun = 64;  // short plain sums, joined with care
                    for (std::size_t run = 0; run < v.size(); run += kShortRun) {
                      double sums[3] = {};
                      for (std::size_t i = run; i < std::min(v.size(), run + kShortRun); ++i) {
                        state.rings[ring_of(v[i] - middle)].add(v[i] - middle, weights[i]);
                        state.min = std::min(state.min, v[i]);
                        state.max = std::max(state.max, v[i]);
                        sums[0] += weights[i] * v[i];
                        sums[1] += weights[i] * v[i] * v[i];
                        sums[2] += weights[i] * std::abs(v[i]);
                      }
                      state.first.add(sums[0]);
                      state.second.add(sums[1]);
                      state.absolute.add(sums[2]);
                    }
                  });
      },
      [](State& total, State&& part) {
        for (std::size_t r = 0; r < kRings; ++r)
          for (std::size_t p = 0; p < 5; ++p) total.rings[r].powers[p] += part.rings[r].powers[p];
        total.first.merge(part.first);
        total.second.merge(part.second);
        total.absolute.merge(part.absolute);
        total.min = std::min(total.min, part.min);
        total.max = std::max(total.max, part.max);
      },
      silent(execution));
  const auto n = static_cast<double>(rows.rows());
  Spread spread;
  spread.min = all.min;
  spread.max = all.max;
  spread.mean = all.first.value() / n;
  spread.variance = std::max(0.0, all.second.value() / n - spread.mean * spread.mean);
  spread.absolute = all.absolute.value() / n;
  Ring inside;
  for (const Ring& ring : all.rings) {
    if (ring.powers[0] == 0) continue;
    for (std::size_t p = 0; p < 5; ++p) inside.powers[p] += ring.powers[p];
    const Core core = core_of(inside);
    if (core.variance > 0) spread.cores.push_back(core);
  }
  return spread;
}

}  // namespace bootfold::exact
