#include "study/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "study/tile.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

struct Range {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
};

struct Found {
  std::vector<Range> ranges;
  std::uint64_t bad_row = kNone;  // the first row that holds anything but finite numbers

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
};

[[noreturn]] void throw_not_finite(const DataView& data, std::uint64_t row) {
  std::size_t column = 0;
  while (std::isfinite(data.column(column)[row])) ++column;
  throw DataError(text::concat("column ", data.name(column), ", row ", row + 1, " is ",
                               data.column(column)[row],
                               " but every value must be a finite number; leave such rows out"));
}

/// The median of about a thousand rows spread over the column: robust, and the same every time.
double rough_median(const ColumnView& column) {
  const std::size_t size = std::min(column.rows(), kRoughRows);
  std::vector<double> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = column[rough_row(i, size, column.rows())];
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(size / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

statistic::Scale scale_of(const ColumnView& column, const Range& range) {
  if (range.min == range.max) return {range.min, 0};
  // A value of the column: subtracting it keeps integers and other multiples of a unit exact.
  const double centre = rough_median(column);
  const double farthest = std::max(range.max - centre, centre - range.min);
  if (!std::isfinite(farthest))
    throw DataError(text::concat("values from ", range.min, " to ", range.max,
                                 " differ by more than a double can hold; scale the column down"));
  return {centre, std::ilogb(farthest) + 1};
}

}  // namespace

std::vector<ColumnSummary> summarize_columns(const DataView& data, bool scaled,
                                             const Execution& execution) {
  const std::uint64_t rows = data.rows();

  const Found all = map_reduce(
      {0, static_cast<std::size_t>((rows + kChunkRows - 1) / kChunkRows), 1},
      Found{std::vector<Range>(data.columns())},
      [&](Found& found, std::size_t chunk) {
        TileReader reader(data, kTileRows);
        const std::uint64_t end = std::min(rows, (chunk + 1) * kChunkRows);
        for (std::uint64_t row = chunk * kChunkRows; row < end; row += kTileRows) {
          const auto tile = reader.read(row, std::min<std::uint64_t>(kTileRows, end - row));
          for (std::size_t c = 0; c < data.columns(); ++c) {
            Range range = found.ranges[c];
            double poison = 0;  // stays 0 while all values are finite
            for (const double x : tile.column(c)) {
              range.min = x < range.min ? x : range.min;
              range.max = x > range.max ? x : range.max;
              poison += x * 0;
            }
            found.ranges[c] = range;
            if (poison == 0) continue;
            const auto values = tile.column(c);
            const auto bad = std::find_if_not(values.begin(), values.end(),
                                              [](double x) { return std::isfinite(x); });
            found.bad_row =
                std::min(found.bad_row, row + static_cast<std::uint64_t>(bad - values.begin()));
          }
        }
      },
      [](Found& total, Found&& part) {
        total.bad_row = std::min(total.bad_row, part.bad_row);
        for (std::size_t c = 0; c < total.ranges.size(); ++c) {
          total.ranges[c].min = std::min(total.ranges[c].min, part.ranges[c].min);
          total.ranges[c].max = std::max(total.ranges[c].max, part.ranges[c].max);
        }
      },
      Execution{execution.threads, execution.level, execution.stop, {}});
  if (all.bad_row != Found::kNone) throw_not_finite(data, all.bad_row);
  std::vector<ColumnSummary> summaries;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const Range& range = all.ranges[c];
    summaries.push_back({range.min, range.max, {}});
    if (scaled) summaries[c].scale = scale_of(data.column(c), range);
  }
  return summaries;
}

TileReader::TileReader(const DataView& data, std::size_t most_rows)
    : data_(data), buffers_(data.columns()), columns_(data.columns()), most_rows_(most_rows) {}

statistic::Tile TileReader::read(std::uint64_t first, std::size_t rows) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::span<const double> direct = data_.column(c).doubles();
    if (!direct.empty()) {
      columns_[c] = direct.data() + first;
      continue;
    }
    buffers_[c].resize(most_rows_);
    data_.column(c).read(first, {buffers_[c].data(), rows});
    columns_[c] = buffers_[c].data();
  }
  return {columns_, rows};
}

template <class Row>
statistic::Tile TileReader::gather_rows(std::span<const Row> rows) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    buffers_[c].resize(most_rows_);
    data_.column(c).gather(rows, {buffers_[c].data(), rows.size()});
    columns_[c] = buffers_[c].data();
  }
  return {columns_, rows.size()};
}

statistic::Tile TileReader::gather(std::span<const std::uint64_t> rows) {
  return gather_rows(rows);
}

statistic::Tile TileReader::gather(std::span<const std::uint32_t> rows) {
  return gather_rows(rows);
}

}  // namespace bootfold::study
