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

/// A plane of which at most one digit in so many is not 0 is listed: that is cheaper than a
/// product.
constexpr std::size_t kSparseShare = 128;

/// Rows of a tile to whole steps of the kernels.
std::size_t padded(std::size_t rows) { return (rows + 127) / 128 * 128; }

/// Adds up the integers of some rows, [row][limb]: exactly, because parts are added that cannot
/// overflow. The rows lie anywhere in memory, so those that come later are asked for in advance.
template <class Integer>
void add_rows_of(const Integer* integers, std::span<const std::uint32_t> rows,
                 std::span<__int128> sums) {
  constexpr std::size_t kSafe = 128;     // so many integers of 55 bits sum to 62 bits
  constexpr std::size_t kTogether = 32;  // limbs
  constexpr std::size_t kAhead = 16;     // rows
  constexpr std::size_t kLine = 64 / sizeof(Integer);
  const std::size_t limbs = sums.size();
  for (std::size_t f = 0; f < limbs; f += kTogether) {
    const std::size_t together = std::min(kTogether, limbs - f);
    for (std::size_t first = 0; first < rows.size(); first += kSafe) {
      std::array<std::int64_t, kTogether> parts{};
      for (std::size_t i = first; i < std::min(rows.size(), first + kSafe); ++i) {
        if (i + kAhead < rows.size()) {
          const Integer* later = integers + rows[i + kAhead] * limbs + f;
          for (std::size_t k = 0; k < together; k += kLine) __builtin_prefetch(later + k);
          __builtin_prefetch(later + together - 1);
        }
        const Integer* own = integers + rows[i] * limbs + f;
        for (std::size_t k = 0; k < together; ++k) parts[k] += own[k];
      }
      for (std::size_t k = 0; k < together; ++k) sums[f + k] += parts[k];
    }
  }
}

/// The same for one short limb, which is the usual case: four sums side by side.
std::int64_t sum_rows(const std::int32_t* integers, std::span<const std::uint32_t> rows) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t d = 0;
  std::size_t i = 0;
  for (; i + 4 <= rows.size(); i += 4) {
    a += integers[rows[i]];
    b += integers[rows[i + 1]];
    c += integers[rows[i + 2]];
    d += integers[rows[i + 3]];
    asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));  // g++ 12 would put them into vectors
  }
  for (; i < rows.size(); ++i) a += integers[rows[i]];
  return a + b + c + d;
}

/// And for two, as means under clusters have them.
void sum_pairs(const std::int32_t* integers, std::span<const std::uint32_t> rows,
               std::span<__int128> sums) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  for (const std::uint32_t row : rows) {
    a += integers[2 * std::size_t{row}];
    b += integers[2 * std::size_t{row} + 1];
  }
  sums[0] += a;
  sums[1] += b;
}

}  // namespace

Digits::Size::Size(const study::FixedSums& sums, const QuantileWindows::Size& windows)
    : columns(sums.problem.data.columns()),
      features(sums.features()),
      limbs(sums.limbs.size() + windows.trimmed),
      planes(sums.planes() + windows.trimmed * QuantileWindows::kTrimmedDigits + windows.windows),
      tied(windows.tied),
      is_short(windows.trimmed == 0 && sums.most_digits() <= kShortDigits) {}

std::size_t Digits::kept_bytes(const Size& size, std::uint64_t rows, std::uint64_t strata) {
  return (rows + 128 * strata) * (size.planes + size.tied) +
         rows * size.limbs * (size.is_short ? sizeof(std::int32_t) : sizeof(std::int64_t));
}

Digits::Digits(const study::FixedSums& sums, const QuantileWindows& windows,
               const resample::Strata& strata, bool keep, const Execution& execution)
    : data_(sums.problem.data),
      last_(data_.rows()),
      sums_(sums),
      windows_(windows),
      strata_(strata),
      kernels_(study::simd::kernels(*execution.level)) {
  name_planes();
  if (keep) this->keep(execution);
}

Digits::Digits(const study::FixedSums& sums, const QuantileWindows& no_windows,
               const resample::Strata& strata, const RowBatch& batch, bool keep,
               const Execution& execution)
    : data_(batch.rows),
      batch_(true),
      first_(batch.first),
      last_(batch.last()),
      sums_(sums),
      windows_(no_windows),
      strata_(strata),
      kernels_(study::simd::kernels(*execution.level)) {
  name_planes();
  if (keep) this->keep(execution);
}

void Digits::name_planes() {
  for (const study::Limb& limb : sums_.limbs) limb_digits_.push_back(limb.digits);
  for (const TrimmedMean& trimmed : windows_.trimmed())
    limb_digits_.push_back(trimmed.fixed.digits);
  for (const std::size_t digits : limb_digits_) {
    first_plane_.push_back(planes_);
    planes_ += digits;
  }
  planes_ += windows_.counts();
}

void Digits::keep(const Execution& execution) {
  std::size_t bytes = 0;
  std::vector<Tile> tiles;
  kept_first_ = batch_ ? first_ / kTile * kTile : 0;
  for (std::size_t s = 0; s < strata_.all().size(); ++s) {
    first_tile_.push_back(tiles.size());
    const std::uint64_t all = strata_.all()[s].rows;
    const std::uint64_t end = batch_ ? last_ : all;
    for (std::uint64_t row = kept_first_; row < end; row += kTile) {
      const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kTile, all - row));
      tiles.push_back({s, row, rows, bytes});
      bytes += padded(rows) * planes_;
    }
  }
  kept_ = execution::LargeArray<std::int8_t>(bytes);  // some is never used
  const std::size_t limbs = limb_digits_.size();
  const std::size_t rows = tiles.empty() ? 0
                                         : strata_.all()[tiles.back().stratum].first +
                                               tiles.back().row + tiles.back().rows - kept_first_;
  const bool is_short = std::all_of(limb_digits_.begin(), limb_digits_.end(),
                                    [](std::size_t digits) { return digits <= kShortDigits; });
  if (is_short)
    short_ = execution::LargeArray<std::int32_t>(rows * limbs);
  else
    long_ = execution::LargeArray<std::int64_t>(rows * limbs);

  constexpr std::size_t kChunk = 16;  // tiles
  Execution quiet = execution;
  quiet.progress = nullptr;
  std::vector<std::optional<DigitReader>> readers(execution::thread_count(execution));
  const auto keep_tile = [&](DigitReader& reader, Tile& tile) {
    const std::uint64_t place = strata_.all()[tile.stratum].first + tile.row;
    std::int8_t* const planes = kept_.data() + tile.at;
    reader.split(place, tile.rows, planes, padded(tile.rows),
                 [&](std::size_t first, std::size_t some) {
                   for (std::size_t limb = 0; limb < limbs; ++limb) {
                     const std::int64_t* integers = reader.integers(limb);
                     const std::size_t to = (place - kept_first_ + first) * limbs + limb;
                     for (std::size_t i = 0; i < some; ++i) {
                       if (is_short)
                         short_[to + i * limbs] = static_cast<std::int32_t>(integers[i]);
                       else
                         long_[to + i * limbs] = integers[i];
                     }
                   }
                 });
    reader.thin_out(planes, padded(tile.rows), tile.rows, tile.planes, tile.sparse);
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
    : digits_(digits), reader_(digits.data_, kSome), loaded_(kNone) {
  if (!digits.tiles_.empty()) return;
  made_.resize(digits.sums_.features() * kSome);
  integers_.resize(digits.limbs() * kSome);
}

std::size_t DigitReader::bytes(const Digits::Size& size, bool kept) {
  const std::size_t columns = kSome * size.columns * sizeof(double);
  return kept ? columns
              : columns + kSome * (size.features + size.limbs + 1) * sizeof(double) +
                    kTile * (size.planes + size.tied);
}

void DigitReader::make(const statistic::Tile& tile, std::size_t rows) {
  const study::FixedSums& sums = digits_.sums_;
  sums.problem.features.make(tile, made_.data(), kSome);
  std::int64_t* integers = integers_.data();
  for (std::size_t f = 0; f < sums.features(); ++f) {
    study::quantize(sums.fixed[f], {made_.data() + f * kSome, rows}, digits_.kernels_, integers,
                    kSome);
    integers += sums.fixed[f].limbs() * kSome;
  }
  const std::span<const TrimmedMean> trimmed = digits_.windows_.trimmed();
  for (std::size_t t = 0; t < trimmed.size(); ++t, integers += kSome) {
    digits_.windows_.keep_between(t, tile, kept_.data());
    digits_.kernels_.quantize(kept_.data(), rows, trimmed[t].fixed.point, integers);
  }
}

statistic::Tile DigitReader::make_places(std::uint64_t place, std::size_t rows) {
  const std::span<const std::uint32_t> order = digits_.strata_.order();
  if (!order.empty()) {
    const statistic::Tile tile = reader_.gather(order.subspan(place, rows));
    make(tile, rows);
    return tile;
  }
  const std::uint64_t first = std::max(place, digits_.first_);
  const std::uint64_t last = std::min(place + rows, digits_.last_);
  if (first == place && last == place + rows) {
    const statistic::Tile tile = reader_.read(place - digits_.first_, rows);
    make(tile, rows);
    return tile;
  }
  if (first >= last) {
    std::fill(integers_.begin(), integers_.end(), 0);
    return {};
  }
  const auto some = static_cast<std::size_t>(last - first);
  make(reader_.read(first - digits_.first_, some), some);
  for (std::size_t limb = 0; limb < digits_.limbs(); ++limb) {
    std::int64_t* const own = integers_.data() + limb * kSome;
    std::copy_backward(own, own + some, own + (first - place) + some);
    std::fill(own, own + (first - place), 0);
    std::fill(own + (last - place), own + rows, 0);
  }
  return {};
}

template <class See>
void DigitReader::split(std::uint64_t place, std::size_t rows, std::int8_t* planes,
                        std::size_t plane_stride, See&& see) {
  for (std::size_t first = 0; first < rows; first += kSome) {
    const std::size_t some = std::min(kSome, rows - first);
    const statistic::Tile tile = make_places(place + first, some);
    for (std::size_t limb = 0; limb < digits_.limbs(); ++limb)
      digits_.kernels_.split(integers(limb), some, digits_.digits(limb),
                             planes + digits_.first_plane_[limb] * plane_stride + first,
                             plane_stride);
    std::int8_t* plane =
        planes + (digits_.planes_ - digits_.windows_.counts()) * plane_stride + first;
    for (const QuantileWindow& window : digits_.windows_.all()) {
      const double* values = tile.columns[window.column];
      for (std::size_t i = 0; i < some; ++i)
        plane[i] = static_cast<std::int8_t>(values[i] < window.low);
      plane += plane_stride;
      for (const TiedValue& tied : window.tied) {
        for (std::size_t i = 0; i < some; ++i)
          plane[i] = static_cast<std::int8_t>(values[i] == tied.value);
        plane += plane_stride;
      }
    }
    see(first, some);
  }
}

void DigitReader::thin_out(std::int8_t* planes, std::size_t plane_stride, std::size_t rows,
                           std::vector<std::uint32_t>& numbers, std::vector<SparseDigits>& sparse) {
  numbers.clear();
  sparse.clear();
  const auto keep = [&](std::size_t plane) {
    std::int8_t* const to = planes + numbers.size() * plane_stride;
    if (plane != numbers.size()) std::copy_n(planes + plane * plane_stride, rows, to);
    std::fill(to + rows, to + padded(rows), std::int8_t{0});
    numbers.push_back(static_cast<std::uint32_t>(plane));
  };
  for (std::size_t limb = 0; limb < digits_.limbs(); ++limb) {
    const std::size_t listed = sparse.size();
    std::int64_t unit = 1;
    for (std::size_t d = 0; d < digits_.digits(limb); ++d, unit *= 256) {
      const std::size_t plane = digits_.first_plane_[limb] + d;
      const std::int8_t* const digits = planes + plane * plane_stride;
      const auto zeros = static_cast<std::size_t>(std::count(digits, digits + rows, 0));
      if (rows - zeros > rows / kSparseShare || plane == 0) {
        keep(plane);
        continue;
      }
      for (std::size_t row = 0; rows > zeros && row < rows; ++row) {
        if (digits[row] == 0) continue;
        const auto same =
            std::find_if(sparse.begin() + static_cast<std::ptrdiff_t>(listed), sparse.end(),
                         [&](const auto& one) { return one.row == row; });
        if (same == sparse.end())
          sparse.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(limb),
                            digits[row] * unit});
        else
          same->integer += digits[row] * unit;
      }
    }
  }
  for (std::size_t plane = digits_.planes_ - digits_.windows_.counts(); plane < digits_.planes_;
       ++plane)
    keep(plane);
}

TileDigits DigitReader::tile(std::size_t stratum, std::uint64_t row, std::size_t rows) {
  if (!digits_.tiles_.empty()) {
    const std::size_t number = digits_.first_tile_[stratum] +
                               static_cast<std::size_t>((row - digits_.kept_first_) / kTile);
    const Digits::Tile& tile = digits_.tiles_[number];
    return {digits_.kept_.data() + tile.at, padded(rows), tile.planes, tile.sparse};
  }
  const std::uint64_t place = digits_.strata_.all()[stratum].first + row;
  if (loaded_ != place) {
    planes_.resize(digits_.planes_ * kTile);
    split(place, rows, planes_.data(), kTile, [](std::size_t, std::size_t) {});
    thin_out(planes_.data(), kTile, rows, numbers_, sparse_);
    loaded_ = place;
  }
  return {planes_.data(), kTile, numbers_, sparse_};
}

void DigitReader::add_rows(std::size_t stratum, std::uint64_t first,
                           std::span<const std::uint32_t> rows, std::span<__int128> sums) {
  std::uint64_t place = digits_.strata_.all()[stratum].first + first;
  if (digits_.batch_) {  // only rows that have digits
    const std::uint64_t from = std::max(place, digits_.first_);
    own_.clear();
    for (const std::uint32_t row : rows)
      if (place + row >= from && place + row < digits_.last_)
        own_.push_back(static_cast<std::uint32_t>(place + row - from));
    rows = own_;
    place = from;
  }
  if (!digits_.tiles_.empty()) {
    const std::size_t at = (place - digits_.kept_first_) * sums.size();
    if (digits_.short_.empty())
      add_rows_of(digits_.long_.data() + at, rows, sums);
    else if (sums.size() > 2)
      add_rows_of(digits_.short_.data() + at, rows, sums);
    else if (sums.size() == 2)
      sum_pairs(digits_.short_.data() + at, rows, sums);
    else
      sums[0] += sum_rows(digits_.short_.data() + at, rows);
    return;
  }
  const std::span<const std::uint32_t> order = digits_.strata_.order();
  while (!rows.empty()) {
    const std::span<const std::uint32_t> some = rows.first(std::min(rows.size(), kSome));
    rows = rows.subspan(some.size());
    drawn_.clear();
    for (const std::uint32_t row : some)
      drawn_.push_back(order.empty() ? place + row - digits_.first_ : order[place + row]);
    make(reader_.gather(drawn_), some.size());
    for (std::size_t f = 0; f < sums.size(); ++f)
      for (std::size_t i = 0; i < some.size(); ++i) sums[f] += integers(f)[i];
  }
}

}  // namespace bootfold::paths
