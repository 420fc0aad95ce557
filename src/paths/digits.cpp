#include "paths/digits.h"

#include <algorithm>
#include <array>
#include <optional>

#include "resample/simd/kernels.h"

namespace bootfold::paths {

namespace {

constexpr std::size_t kTile = resample::simd::kCountTile;
constexpr std::uint64_t kNone = ~std::uint64_t{0};
constexpr std::size_t kShortDigits = 4;

/// Rows of a tile to whole steps of the kernels.
std::size_t padded(std::size_t rows) { return (rows + 127) / 128 * 128; }

/// Adds up the integers of some rows, [row][feature]: exactly, because parts are added that cannot
/// overflow. The rows lie anywhere in memory, so those that come later are asked for in advance.
template <class Integer>
void add_rows_of(const Integer* integers, std::span<const std::uint32_t> rows,
                 std::span<__int128> sums) {
  constexpr std::size_t kSafe = 128;     // so many integers of 55 bits sum to 62 bits
  constexpr std::size_t kTogether = 32;  // features
  constexpr std::size_t kAhead = 16;     // rows
  constexpr std::size_t kLine = 64 / sizeof(Integer);
  const std::size_t features = sums.size();
  for (std::size_t f = 0; f < features; f += kTogether) {
    const std::size_t together = std::min(kTogether, features - f);
    for (std::size_t first = 0; first < rows.size(); first += kSafe) {
      std::array<std::int64_t, kTogether> parts{};
      for (std::size_t i = first; i < std::min(rows.size(), first + kSafe); ++i) {
        if (i + kAhead < rows.size()) {
          const Integer* later = integers + rows[i + kAhead] * features + f;
          for (std::size_t k = 0; k < together; k += kLine) __builtin_prefetch(later + k);
          __builtin_prefetch(later + together - 1);
        }
        const Integer* own = integers + rows[i] * features + f;
        for (std::size_t k = 0; k < together; ++k) parts[k] += own[k];
      }
      for (std::size_t k = 0; k < together; ++k) sums[f + k] += parts[k];
    }
  }
}

/// The same for one feature, which is the usual case.
template <class Integer>
__int128 sum_rows(const Integer* integers, std::span<const std::uint32_t> rows) {
  constexpr std::size_t kSafe = 128;
  __int128 sum = 0;
  for (std::size_t first = 0; first < rows.size(); first += kSafe) {
    std::int64_t part = 0;
    for (const std::uint32_t row : rows.subspan(first, std::min(kSafe, rows.size() - first)))
      part += integers[row];
    sum += part;
  }
  return sum;
}

/// All features of rows that are kept.
template <class Integer>
void add_kept(const Integer* integers, std::span<const std::uint32_t> rows,
              std::span<__int128> sums) {
  if (sums.size() == 1)
    sums[0] += sum_rows(integers, rows);
  else
    add_rows_of(integers, rows, sums);
}

}  // namespace

Digits::Size::Size(const study::FixedSums& sums, const QuantileWindows::Size& windows)
    : columns(sums.problem.data.columns()),
      features(sums.features() + windows.trimmed),
      planes(sums.planes() + windows.trimmed * QuantileWindows::kTrimmedDigits + windows.windows),
      is_short(windows.trimmed == 0 && sums.most_digits() <= kShortDigits) {}

std::size_t Digits::kept_bytes(const Size& size, std::uint64_t rows, std::uint64_t strata) {
  return (rows + 128 * strata) * size.planes +
         rows * size.features * (size.is_short ? sizeof(std::int32_t) : sizeof(std::int64_t));
}

Digits::Digits(const study::FixedSums& sums, const QuantileWindows& windows,
               const resample::Strata& strata, bool keep, const Execution& execution)
    : sums_(sums),
      windows_(windows),
      strata_(strata),
      kernels_(study::simd::kernels(*execution.level)),
      fixed_(sums.fixed) {
  for (const TrimmedMean& trimmed : windows.trimmed()) fixed_.push_back(trimmed.fixed);
  for (const study::FixedFeature& fixed : fixed_) {
    first_plane_.push_back(planes_);
    planes_ += fixed.digits;
  }
  planes_ += windows.all().size();
  if (keep) this->keep(execution);
}

void Digits::keep(const Execution& execution) {
  std::size_t bytes = 0;
  std::vector<Tile> tiles;
  for (std::size_t s = 0; s < strata_.all().size(); ++s) {
    first_tile_.push_back(tiles.size());
    const std::uint64_t all = strata_.all()[s].rows;
    for (std::uint64_t row = 0; row < all; row += kTile) {
      const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kTile, all - row));
      tiles.push_back({s, row, rows, bytes});
      bytes += padded(rows) * planes_;
    }
  }
  kept_ = std::make_unique<std::int8_t[]>(bytes);
  const std::size_t features = fixed_.size();
  const std::size_t rows = strata_.places();
  const bool is_short = std::all_of(fixed_.begin(), fixed_.end(),
                                    [](const auto& fixed) { return fixed.digits <= kShortDigits; });
  if (is_short)
    short_.resize(rows * features);
  else
    long_.resize(rows * features);

  constexpr std::size_t kChunk = 16;  // tiles
  Execution quiet = execution;
  quiet.progress = nullptr;
  std::vector<std::optional<DigitReader>> readers(execution::thread_count(execution));
  const auto keep_tile = [&](DigitReader& reader, const Tile& tile) {
    const std::uint64_t place = strata_.all()[tile.stratum].first + tile.row;
    reader.split(place, tile.rows, kept_.get() + tile.at, padded(tile.rows),
                 [&](std::size_t first, std::size_t some) {
                   for (std::size_t f = 0; f < features; ++f) {
                     const std::int64_t* integers = reader.integers(f);
                     const std::size_t to = (place + first) * features + f;
                     for (std::size_t i = 0; i < some; ++i) {
                       if (is_short)
                         short_[to + i * features] = static_cast<std::int32_t>(integers[i]);
                       else
                         long_[to + i * features] = integers[i];
                     }
                   }
                 });
  };
  execution::detail::run_chunks((tiles.size() + kChunk - 1) / kChunk, 1, quiet,
                                [&](const execution::Worker& worker, std::size_t chunk) {
                                  worker.check();
                                  std::optional<DigitReader>& reader = readers[worker.index()];
                                  if (!reader) reader.emplace(*this);
                                  for (std::size_t t = chunk * kChunk;
                                       t < std::min(tiles.size(), (chunk + 1) * kChunk); ++t)
                                    keep_tile(*reader, tiles[t]);
                                });
  tiles_ = std::move(tiles);
}

DigitReader::DigitReader(const Digits& digits)
    : digits_(digits), reader_(digits.sums_.problem.data, kSome), loaded_(kNone) {
  if (!digits.tiles_.empty()) return;
  made_.resize(digits.sums_.features() * kSome);
  integers_.resize(digits.features() * kSome);
}

std::size_t DigitReader::bytes(const Digits::Size& size, bool kept) {
  const std::size_t columns = kSome * size.columns * sizeof(double);
  return kept ? columns
              : columns + kSome * (2 * size.features + 1) * sizeof(double) + kTile * size.planes;
}

void DigitReader::make(const statistic::Tile& tile, std::size_t rows) {
  const std::size_t features = digits_.sums_.features();
  digits_.sums_.problem.features.make(tile, made_.data(), kSome);
  for (std::size_t f = 0; f < features; ++f)
    digits_.kernels_.quantize(made_.data() + f * kSome, rows, digits_.fixed_[f].point,
                              integers_.data() + f * kSome);
  const std::span<const TrimmedMean> trimmed = digits_.windows_.trimmed();
  for (std::size_t t = 0; t < trimmed.size(); ++t) {
    const double* values = tile.columns[trimmed[t].column];
    const double low = digits_.windows_.all()[trimmed[t].low_window].high;
    const double high = digits_.windows_.all()[trimmed[t].high_window].low;
    std::int64_t* integers = integers_.data() + (features + t) * kSome;
    for (std::size_t i = 0; i < rows; ++i)  // what lies outside may be too large
      kept_[i] = values[i] > low && values[i] < high ? values[i] : trimmed[t].fixed.point.centre;
    digits_.kernels_.quantize(kept_.data(), rows, trimmed[t].fixed.point, integers);
  }
}

template <class See>
void DigitReader::split(std::uint64_t place, std::size_t rows, std::int8_t* planes,
                        std::size_t plane_stride, See&& see) {
  const std::span<const std::uint32_t> order = digits_.strata_.order();
  for (std::size_t first = 0; first < rows; first += kSome) {
    const std::size_t some = std::min(kSome, rows - first);
    const statistic::Tile tile = order.empty() ? reader_.read(place + first, some)
                                               : reader_.gather(order.subspan(place + first, some));
    make(tile, some);
    for (std::size_t f = 0; f < digits_.features(); ++f)
      digits_.kernels_.split(integers(f), some, digits_.fixed_[f].digits,
                             planes + digits_.first_plane_[f] * plane_stride + first, plane_stride);
    std::int8_t* below =
        planes + (digits_.planes_ - digits_.windows_.all().size()) * plane_stride + first;
    for (const QuantileWindow& window : digits_.windows_.all()) {
      const double* values = tile.columns[window.column];
      for (std::size_t i = 0; i < some; ++i)
        below[i] = static_cast<std::int8_t>(values[i] < window.low);
      below += plane_stride;
    }
    see(first, some);
  }
}

Planes DigitReader::tile(std::size_t stratum, std::uint64_t row, std::size_t rows) {
  if (!digits_.tiles_.empty()) {
    const std::size_t number = digits_.first_tile_[stratum] + static_cast<std::size_t>(row / kTile);
    return {digits_.kept_.get() + digits_.tiles_[number].at, padded(rows)};
  }
  const std::uint64_t place = digits_.strata_.all()[stratum].first + row;
  if (loaded_ != place) {
    planes_.resize(digits_.planes_ * kTile);
    split(place, rows, planes_.data(), kTile, [](std::size_t, std::size_t) {});
    loaded_ = place;
  }
  return {planes_.data(), kTile};
}

void DigitReader::add_rows(std::size_t stratum, std::uint64_t first,
                           std::span<const std::uint32_t> rows, std::span<__int128> sums) {
  const std::uint64_t place = digits_.strata_.all()[stratum].first + first;
  if (!digits_.tiles_.empty()) {
    const std::size_t at = place * sums.size();
    if (digits_.short_.empty())
      add_kept(digits_.long_.data() + at, rows, sums);
    else
      add_kept(digits_.short_.data() + at, rows, sums);
    return;
  }
  const std::span<const std::uint32_t> order = digits_.strata_.order();
  while (!rows.empty()) {
    const std::span<const std::uint32_t> some = rows.first(std::min(rows.size(), kSome));
    rows = rows.subspan(some.size());
    drawn_.clear();
    for (const std::uint32_t row : some)
      drawn_.push_back(order.empty() ? place + row : order[place + row]);
    make(reader_.gather(drawn_), some.size());
    for (std::size_t f = 0; f < sums.size(); ++f)
      for (std::size_t i = 0; i < some.size(); ++i) sums[f] += integers(f)[i];
  }
}

}  // namespace bootfold::paths
