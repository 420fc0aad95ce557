#include "study/column_look.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "study/tile.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

constexpr std::size_t kSampleRows = 1023;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A value at its place. Sums of these do not depend on the order of the rows seen.
std::uint64_t hash(double value, std::uint64_t row, std::size_t column) {
  constexpr std::uint64_t kFactor = 0xD6E8FEB86659FD93U;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0) ^  // -0 counts as 0

                       ((row + 1) * 0x9E3779B97F4A7C15U + column * 0xC2B2AE3D27D4EB4FU);
  bits = (bits ^ bits >> 32) * kFactor;
  bits = (bits ^ bits >> 29) * kFactor;
  return bits ^ bits >> 32;
}

struct Range {
  double min = kInfinity;
  double max = -kInfinity;
};

/// What a chunk of rows tells.
struct Found {
  std::vector<Range> ranges;
  std::optional<BadValue> bad = std::nullopt;
  std::uint64_t fingerprint = 0;
};

void keep_first(std::optional<BadValue>& bad, const std::optional<BadValue>& other) {
  if (!other) return;
  if (!bad || other->row < bad->row || (other->row == bad->row && other->column < bad->column))
    bad = other;
}

void look_at(std::span<const double> values, std::uint64_t first, std::size_t column,
             Found& found) {
  Range range = found.ranges[column];
  double poison = 0;  // stays 0 while all values are finite
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    range.min = x < range.min ? x : range.min;
    range.max = x > range.max ? x : range.max;
    poison += x * 0;
  }
  for (std::size_t i = 0; i < values.size(); ++i) sum += hash(values[i], first + i, column);
  found.ranges[column] = {range.min + 0.0, range.max + 0.0};  // 0 has one sign, whatever came first
  found.fingerprint += sum;
  if (poison == 0) return;
  const auto bad =
      std::find_if_not(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  keep_first(found.bad,
             BadValue{first + static_cast<std::uint64_t>(bad - values.begin()), column, *bad});
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

std::size_t sample_size(std::uint64_t rows) noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(rows, kSampleRows));
}

std::uint64_t sample_row(std::size_t i, std::size_t size, std::uint64_t rows) noexcept {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(i) * rows / size);
}

ColumnsLook::ColumnsLook(std::uint64_t rows, std::size_t columns)
    : rows_(rows), columns_(columns, {kInfinity, -kInfinity, {}}) {
  for (ColumnLook& column : columns_) column.sample.resize(sample_size(rows));
}

void ColumnsLook::see(const DataView& piece, std::uint64_t first, const Execution& execution) {
  const std::uint64_t last = first + piece.rows();
  seen_.merge(RowRanges({first, last}));
  const std::uint64_t first_chunk = first / kChunkRows;
  const std::uint64_t chunks = first == last ? 0 : (last - 1) / kChunkRows + 1 - first_chunk;
  const Found all = map_reduce(
      {0, static_cast<std::size_t>(chunks), 1}, Found{std::vector<Range>(piece.columns())},
      [&](Found& found, std::size_t chunk) {
        TileReader reader(piece, kTileRows);
        const std::uint64_t end = std::min(last, (first_chunk + chunk + 1) * kChunkRows);
        for (std::uint64_t row = std::max(first, (first_chunk + chunk) * kChunkRows); row < end;
             row += kTileRows) {
          const auto tile = reader.read(row - first, std::min<std::uint64_t>(kTileRows, end - row));
          for (std::size_t c = 0; c < piece.columns(); ++c) look_at(tile.column(c), row, c, found);
        }
      },
      [](Found& total, Found&& part) {
        keep_first(total.bad, part.bad);
        total.fingerprint += part.fingerprint;
        for (std::size_t c = 0; c < total.ranges.size(); ++c) {
          total.ranges[c].min = std::min(total.ranges[c].min, part.ranges[c].min);
          total.ranges[c].max = std::max(total.ranges[c].max, part.ranges[c].max);
        }
      },
      Execution{execution.threads, execution.level, execution.stop, {}});
  keep_first(bad_, all.bad);
  fingerprint_ += all.fingerprint;
  // The sampled rows within the piece.
  const std::size_t size = sample_size(rows_);
  std::vector<std::uint64_t> rows;
  std::size_t start = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t row = sample_row(i, size, rows_);
    if (row < first) start = i + 1;
    if (row >= first && row < last) rows.push_back(row - first);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].min = std::min(columns_[c].min, all.ranges[c].min);
    columns_[c].max = std::max(columns_[c].max, all.ranges[c].max);
    piece.column(c).gather(rows, std::span(columns_[c].sample).subspan(start, rows.size()));
  }
}

ColumnsLook& ColumnsLook::operator|=(const ColumnsLook& other) {
  if (other.rows_ != rows_ || other.columns_.size() != columns_.size())
    throw InvalidArgument(text::concat("the looks are about data of ", rows_, " rows and ",
                                       columns_.size(), " columns and of ", other.rows_,
                                       " rows and ", other.columns_.size(),
                                       " columns; only looks at the same data can be merged"));
  seen_.merge(other.seen_);
  keep_first(bad_, other.bad_);
  fingerprint_ += other.fingerprint_;
  const std::size_t size = sample_size(rows_);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].min = std::min(columns_[c].min, other.columns_[c].min);
    columns_[c].max = std::max(columns_[c].max, other.columns_[c].max);
    for (std::size_t i = 0; i < columns_[c].sample.size(); ++i)
      if (other.seen_.contains(sample_row(i, size, rows_)))
        columns_[c].sample[i] = other.columns_[c].sample[i];
  }
  return *this;
}

bool ColumnsLook::operator==(const ColumnsLook& other) const {
  const auto same_column = [](const ColumnLook& a, const ColumnLook& b) {
    return same_bits(a.min, b.min) && same_bits(a.max, b.max) &&
           std::equal(a.sample.begin(), a.sample.end(), b.sample.begin(), b.sample.end(),
                      same_bits);
  };
  const auto same_bad = [](const BadValue& a, const BadValue& b) {
    return a.row == b.row && a.column == b.column && same_bits(a.value, b.value);
  };
  return rows_ == other.rows_ && seen_ == other.seen_ && fingerprint_ == other.fingerprint_ &&
         bad_.has_value() == other.bad_.has_value() && (!bad_ || same_bad(*bad_, *other.bad_)) &&
         std::equal(columns_.begin(), columns_.end(), other.columns_.begin(), other.columns_.end(),
                    same_column);
}

}  // namespace bootfold::study
