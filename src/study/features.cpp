#include "study/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "study/tile.h"

namespace bootfold::study {

namespace {

/// Doubles by exponent, to find a typical size without sorting.
using Exponents = std::array<std::uint32_t, 2048>;

std::size_t exponent_bits(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits >> 52 & 2047U;
}

struct Pass {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double lost = 0;  // what rounding took from sum
  double squares = 0;

  void add(double value) {  // Neumaier
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
};

/// Exact for sums of two: the rounding error goes to `lost`.
void merge(Pass& all, const Pass& part) {
  all.min = std::min(all.min, part.min);
  all.max = std::max(all.max, part.max);
  all.add(part.sum);
  all.lost += part.lost;
  all.squares += part.squares;
}

}  // namespace

std::optional<std::size_t> Features::find(const statistic::Product& product) const {
  const auto found = std::find(slots_.begin(), slots_.end(), product);
  if (found == slots_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - slots_.begin());
}

std::uint32_t Features::add_product(const statistic::Product& product) {
  slots_.push_back(product);
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

std::vector<std::uint32_t> Features::merge_equal(std::span<const std::size_t> digits) {
  std::vector<statistic::Product> kept;
  std::vector<std::size_t> kept_digits;
  std::vector<std::uint32_t> places;
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    std::size_t at = is_product(f) ? 0 : kept.size();
    while (at < kept.size() && !(kept[at] == slots_[f] && kept_digits[at] == digits[f])) ++at;
    places.push_back(static_cast<std::uint32_t>(at));
    if (at < kept.size()) continue;
    kept.push_back(slots_[f]);
    kept_digits.push_back(digits[f]);
  }
  for (Filler& filler : fillers_) filler.first = places[filler.first];
  slots_ = std::move(kept);
  return places;
}

std::uint32_t Features::add_filled(const statistic::Sums& sums,
                                   std::vector<std::uint32_t> columns) {
  const auto first = static_cast<std::uint32_t>(slots_.size());
  slots_.resize(slots_.size() + sums.filled);
  fillers_.push_back({sums, std::move(columns), first});
  return first;
}

void Features::make(const statistic::Tile& tile, double* features, std::size_t stride) const {
  std::vector<const double*> scaled(tile.columns.size());  // columns that are features themselves
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    double* out = features + f * stride;
    bool started = false;
    for (const std::uint32_t c : slots_[f]) {
      if (scaled[c] != nullptr) {
        const double* u = scaled[c];
        if (started) {
          for (std::size_t row = 0; row < tile.rows; ++row) out[row] *= u[row];
        } else {
          std::copy_n(u, tile.rows, out);
        }
      } else {
        const double* x = tile.columns[c];
        const double centre = scales_[c].centre;
        // One power of two cannot scale denormals up, two can.
        const int half = -scales_[c].exponent / 2;
        const double scale = std::ldexp(1.0, half);
        const double rescale = std::ldexp(1.0, -scales_[c].exponent - half);
        for (std::size_t row = 0; row < tile.rows; ++row) {
          const double u = (x[row] - centre) * scale * rescale;
          out[row] = started ? out[row] * u : u;
        }
      }
      started = true;
    }
    if (slots_[f].size() == 1) scaled[slots_[f][0]] = out;
  }
  for (const Filler& filler : fillers_) {
    std::vector<const double*> columns;
    for (const std::uint32_t c : filler.columns) columns.push_back(tile.columns[c]);
    std::vector<double*> out;
    for (std::size_t f = 0; f < filler.sums.filled; ++f)
      out.push_back(features + (filler.first + f) * stride);
    filler.sums.fill({columns, tile.rows}, out);
  }
}

bool Features::centred_exactly(std::size_t feature, const statistic::Tile& tile) const {
  for (const std::uint32_t c : slots_[feature]) {
    const double centre = scales_[c].centre;
    for (const double x : tile.column(c)) {  // Knuth's two-sum: what the difference lost
      const double difference = x - centre;
      const double back = difference - x;
      if ((x - (difference - back)) - (centre + back) != 0) return false;
    }
  }
  return true;
}

std::vector<double> Features::rough_medians(const DataView& data) const {
  std::vector<std::uint64_t> rows(std::min(data.rows(), kRoughRows));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rough_row(i, rows.size(), data.rows());
  TileReader reader(data, rows.size());
  std::vector<double> made(count() * rows.size());
  make(reader.gather(rows), made.data(), rows.size());
  std::vector<double> medians(count());
  for (std::size_t f = 0; f < count(); ++f) {
    if (is_product(f)) continue;  // centred near 0 already
    const auto first = made.begin() + static_cast<std::ptrdiff_t>(f * rows.size());
    const auto middle = first + static_cast<std::ptrdiff_t>(rows.size() / 2);
    std::nth_element(first, middle, first + static_cast<std::ptrdiff_t>(rows.size()));
    medians[f] = *middle;
  }
  return medians;
}

std::vector<FeatureSummary> Features::summarize(const DataView& data,
                                                const Execution& execution) const {
  const std::uint64_t rows = data.rows();
  const std::size_t tile_rows = feature_tile_rows(count());
  const auto chunks = static_cast<std::size_t>((rows + kChunkRows - 1) / kChunkRows);
  const Execution silent{execution.threads, execution.level, execution.stop, {}};

  const std::vector<double> medians = rough_medians(data);

  /// Calls see(feature, values) for every tile of a chunk, or every `step`-th.
  const auto scan = [&](std::size_t chunk, std::size_t step, auto&& see) {
    TileReader reader(data, tile_rows);
    std::vector<double> made(count() * tile_rows);
    const std::uint64_t end = std::min(rows, (chunk + 1) * kChunkRows);
    for (std::uint64_t row = chunk * kChunkRows; row < end; row += step * tile_rows) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, end - row));
      make(reader.read(row, size), made.data(), tile_rows);
      for (std::size_t f = 0; f < count(); ++f)
        see(f, std::span<const double>(made.data() + f * tile_rows, size));
    }
  };

  const auto passes = map_reduce(
      {0, chunks, 1}, std::vector<Pass>(count()),
      [&](std::vector<Pass>& found, std::size_t chunk) {
        scan(chunk, 1, [&](std::size_t f, std::span<const double> values) {
          Pass& pass = found[f];
          const double median = medians[f];
          constexpr std::size_t kLanes = 8;  // fixed: the sums depend on it
          double min = pass.min;
          double max = pass.max;
          double sum[kLanes] = {};
          double lost[kLanes] = {};
          double squares[kLanes] = {};
          for (std::size_t row = 0; row < values.size(); ++row) {
            const double x = values[row];
            const std::size_t lane = row % kLanes;
            min = x < min ? x : min;
            max = x > max ? x : max;
            const double next = sum[lane] + x;
            const double back = next - sum[lane];
            lost[lane] += (sum[lane] - (next - back)) + (x - back);
            sum[lane] = next;
            squares[lane] += (x - median) * (x - median);
          }
          pass.min = min;
          pass.max = max;
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            pass.add(sum[lane]);
            pass.lost += lost[lane];
            pass.squares += squares[lane];
          }
        });
      },
      [](std::vector<Pass>& all, std::vector<Pass>&& part) {
        for (std::size_t f = 0; f < all.size(); ++f) merge(all[f], part[f]);
      },
      silent);

  const auto n = static_cast<double>(rows);
  std::vector<FeatureSummary> summaries(count());
  for (std::size_t f = 0; f < count(); ++f) {
    const Pass& pass = passes[f];
    const double mean = (pass.sum + pass.lost) / n;
    if (!std::isfinite(mean) || !std::isfinite(pass.min) || !std::isfinite(pass.max))
      throw DataError(
          "a feature of the statistic is not a finite number on some row; look for overflow, "
          "logarithms of numbers below 0 or divisions by 0");
    const double shift = mean - medians[f];
    summaries[f] = {pass.min,   pass.max,
                    mean,       std::sqrt(std::max(0.0, pass.squares / n - shift * shift)),
                    medians[f], 0};
  }

  const auto exponents = map_reduce(
      {0, chunks, 1}, std::vector<Exponents>(count()),
      [&](std::vector<Exponents>& found, std::size_t chunk) {
        // Of many tiles one in sixteen is enough for a typical size.
        scan(chunk, rows > kChunkRows ? 16 : 1, [&](std::size_t f, std::span<const double> values) {
          for (const double x : values) ++found[f][exponent_bits(x - medians[f])];
        });
      },
      [](std::vector<Exponents>& all, std::vector<Exponents>&& part) {
        for (std::size_t f = 0; f < all.size(); ++f)
          for (std::size_t e = 0; e < all[f].size(); ++e) all[f][e] += part[f][e];
      },
      silent);
  for (std::size_t f = 0; f < count(); ++f) {
    std::uint64_t seen = 0;
    for (const std::uint32_t size : exponents[f]) seen += size;
    seen -= exponents[f][0];  // zeros and denormals of the difference tell nothing of a size
    std::uint64_t below = 0;
    for (std::size_t e = 1; e < exponents[f].size() && seen > 0; ++e) {
      below += exponents[f][e];
      if (2 * below >= seen) {
        summaries[f].typical = std::ldexp(1.0, static_cast<int>(e) - 1023);
        break;
      }
    }
    // Squares may overflow where values do not.
    if (!std::isfinite(summaries[f].deviation) || summaries[f].deviation == 0)
      summaries[f].deviation = summaries[f].typical;
  }
  return summaries;
}

}  // namespace bootfold::study
