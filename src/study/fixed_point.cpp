#include "study/fixed_point.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "bootfold/map_reduce.h"
#include "study/tile.h"

namespace bootfold::study {

namespace {

using execution::simd::FixedPoint;

FixedPoint point_of(double centre, int unit) {
  const int half = -unit / 2;
  return {centre, std::ldexp(1.0, half), std::ldexp(1.0, -unit - half)};
}

/// The smallest unit with which `digits` digits can write numbers up to `farthest`.
int unit_of(double farthest, std::size_t digits) {
  if (farthest == 0) return 0;
  int unit = std::ilogb(farthest) - static_cast<int>(8 * digits) + 1;
  while (std::ldexp(farthest, -unit) > largest(digits) - 1) ++unit;
  return unit;
}

void set_unit(FixedFeature& fixed, double centre, int unit) {
  fixed.unit = unit;
  fixed.point = point_of(centre, unit);
  fixed.factor = std::ldexp(1.0, unit / 2);
  fixed.refactor = std::ldexp(1.0, unit - unit / 2);
}

/// What making a product of `order` columns in doubles, and its mean, may be off.
double making_error(std::size_t order, double farthest) {
  return static_cast<double>(2 * order + 2) * 0x1p-53 * farthest;
}

FixedFeature with_digits(const FeatureSummary& summary, std::size_t order, double centre,
                         double farthest, std::size_t digits, double rows) {
  FixedFeature fixed;
  fixed.digits = digits;
  set_unit(fixed, centre, unit_of(farthest, digits));
  fixed.error = farthest == 0 ? 0 : std::ldexp(0.5, fixed.unit) + making_error(order, farthest);
  const double typical = std::min(summary.typical, summary.deviation);
  fixed.clean = typical > 0 ? fixed.error / typical : 0;
  fixed.relative = typical > 0 ? fixed.error / (typical / std::sqrt(rows)) : 0;
  fixed.linear = summary.deviation > 0 ? fixed.error / (summary.deviation / std::sqrt(rows)) : 0;
  return fixed;
}

/// Integers in whole units, without error.
FixedFeature fixed_to(double centre, double farthest, int unit) {
  FixedFeature fixed;
  set_unit(fixed, centre, unit);
  fixed.digits = 1;
  while (fixed.digits < kMostDigits && std::ldexp(farthest, -unit) > largest(fixed.digits) - 1)
    ++fixed.digits;
  return fixed;
}

/// For features that are whole multiples of a power of two on every row: how many low bits of their
/// seven-digit integers are always 0. -1 for the others; those give up at the first odd tile.
std::vector<int> spare_bits(const Features& features, std::span<const FixedFeature> fixed,
                            const DataView& data, const Execution& execution) {
  const std::uint64_t rows = data.rows();

  const std::size_t tile_rows = feature_tile_rows(features.count());
  std::vector<std::atomic<bool>> open(features.count());
  for (auto& flag : open) flag = true;
  std::atomic<std::size_t> left = features.count();
  const auto bits = map_reduce(
      {0, static_cast<std::size_t>((rows + kChunkRows - 1) / kChunkRows), 1},
      std::vector<std::uint64_t>(features.count()),
      [&](std::vector<std::uint64_t>& found, std::size_t chunk) {
        if (left == 0) return;
        TileReader reader(data, tile_rows);
        std::vector<double> made(features.count() * tile_rows);
        const std::uint64_t end = std::min(rows, (chunk + 1) * kChunkRows);
        for (std::uint64_t row = chunk * kChunkRows; row < end && left != 0; row += tile_rows) {
          const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, end - row));
          const statistic::Tile tile = reader.read(row, size);
          features.make(tile, made.data(), tile_rows);
          for (std::size_t f = 0; f < features.count(); ++f) {
            if (!open[f]) continue;
            if (!features.centred_exactly(f, tile)) {
              if (open[f].exchange(false)) --left;
              continue;
            }
            const FixedPoint& point = fixed[f].point;
            for (std::size_t i = 0; i < size; ++i) {
              const double value = made[f * tile_rows + i] - point.centre;
              const double scaled = value * point.scale * point.rescale;
              const double whole = std::nearbyint(scaled);
              if (whole != scaled || value + point.centre != made[f * tile_rows + i]) {
                if (open[f].exchange(false)) --left;
                break;
              }
              found[f] |= static_cast<std::uint64_t>(static_cast<std::int64_t>(std::abs(whole)));
            }
          }
        }
      },
      [](std::vector<std::uint64_t>& all, std::vector<std::uint64_t>&& part) {
        for (std::size_t f = 0; f < all.size(); ++f) all[f] |= part[f];
      },
      Execution{execution.threads, execution.level, execution.stop, {}});
  std::vector<int> spare(features.count(), -1);
  for (std::size_t f = 0; f < spare.size(); ++f)
    if (open[f]) spare[f] = bits[f] == 0 ? 0 : std::countr_zero(bits[f]);
  return spare;
}

}  // namespace

std::int64_t quantize(double value, const FixedPoint& point) noexcept {
  std::int64_t integer = 0;
  execution::simd::kPortable.quantize(&value, 1, point, &integer);
  return integer;
}

void lengthen(FixedFeature& fixed, const FeatureSummary& summary, std::size_t order,
              std::size_t digits, double rows) {
  if (fixed.error == 0 || fixed.digits >= digits) return;
  const double centre = summary.median;
  fixed = with_digits(summary, order, centre, std::max(summary.max - centre, centre - summary.min),
                      digits, rows);
}

std::vector<FixedFeature> fixed_features(const Features& features,
                                         std::span<const FeatureSummary> summaries,
                                         const DataView& data, double tolerance, bool all_digits,
                                         const Execution& execution) {
  const auto rows = static_cast<double>(data.rows());
  std::vector<FixedFeature> fixed;
  std::vector<double> centres;
  std::vector<double> reaches;
  std::vector<int> units;
  for (std::size_t f = 0; f < features.count(); ++f) {
    const FeatureSummary& s = summaries[f];
    const double centre = s.median;
    centres.push_back(centre);
    reaches.push_back(std::max(std::abs(s.max - centre), std::abs(centre - s.min)));
    fixed.push_back(with_digits(s, features.order(f), centre, reaches[f], kMostDigits, rows));
    units.push_back(fixed[f].unit);
  }
  const std::vector<int> spare = spare_bits(features, fixed, data, execution);
  for (std::size_t f = 0; f < features.count(); ++f) {
    for (std::size_t digits = all_digits ? kMostDigits : kFewestDigits; digits < kMostDigits;
         ++digits) {
      const FixedFeature shorter =
          with_digits(summaries[f], features.order(f), centres[f], reaches[f], digits, rows);
      if (shorter.relative <= tolerance && shorter.relative > 0) {
        fixed[f] = shorter;
        break;
      }
    }
    if (spare[f] < 0) continue;
    // Exact without the bits that are never used; taken unless it needs more digits.
    FixedFeature exact = fixed_to(centres[f], reaches[f], units[f] + spare[f]);
    // Seven digits are more than the doubles that a product was made of can vouch for.
    if (exact.digits == kMostDigits && features.order(f) > 1) continue;
    if (exact.digits <= fixed[f].digits) fixed[f] = exact;
  }
  return fixed;
}

}  // namespace bootfold::study
