// The first read of the rows: ranges, a sample, and that every value is a number.
//
// A look is made of some rows of the data and merges: the looks of any pieces, merged in any order,
// equal the look of the whole to the bit. So nothing here is a rounded sum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/row_ranges.h"

namespace bootfold::study {

/// Rows spread evenly over the data: number i of `size`.
[[nodiscard]] std::uint64_t sample_row(std::size_t i, std::size_t size,
                                       std::uint64_t rows) noexcept;
/// The size of a sample that is enough for a rough median.
[[nodiscard]] std::size_t sample_size(std::uint64_t rows) noexcept;

/// A value that is infinite or NaN.
struct BadValue {
  std::uint64_t row = 0;
  std::size_t column = 0;
  double value = 0;
};

/// What is known of one column.
struct ColumnLook {
  double min = 0;
  double max = 0;
  std::vector<double> sample;  // the values of the sampled rows; 0 where a row was not seen
};

/// What is known of all columns, from some or all rows.
class ColumnsLook {
 public:
  ColumnsLook() = default;
  /// Of no row yet. `rows`: of the whole data, of which pieces will be seen.
  ColumnsLook(std::uint64_t rows, std::size_t columns);

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] const RowRanges& seen() const noexcept { return seen_; }
  [[nodiscard]] std::span<const ColumnLook> columns() const noexcept { return columns_; }
  /// The first value, by row and then by column, that is not a finite number.
  [[nodiscard]] const std::optional<BadValue>& bad() const noexcept { return bad_; }
  /// A hash of all values and their places.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

  /// Reads the rows of a piece, whose first row is row `first` of the data.
  void see(const DataView& piece, std::uint64_t first, const Execution& execution);

  /// Throws InvalidArgument if both saw some row, or are not about the same data.
  ColumnsLook& operator|=(const ColumnsLook& other);
  [[nodiscard]] friend ColumnsLook operator|(ColumnsLook a, const ColumnsLook& b) { return a |= b; }
  /// To the bit.
  [[nodiscard]] bool operator==(const ColumnsLook& other) const;

 private:
  std::uint64_t rows_ = 0;
  RowRanges seen_;
  std::vector<ColumnLook> columns_;
  std::optional<BadValue> bad_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace bootfold::study
