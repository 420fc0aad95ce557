// The first read of the rows: ranges, a sample, few distinct rows, and that every value is a
// number. All that a plan decides follows from it.
//
// A look is made of some rows of the data and merges: the looks of any pieces, merged in any order,
// equal the look of the whole to the bit. So nothing here is a rounded sum, and nothing depends on
// the number of rows of the whole, which need not be known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/distinct.h"
#include "study/features.h"
#include "study/key_histogram.h"
#include "study/row_ranges.h"
#include "study/value_sample.h"

namespace bootfold::study {

/// Rows spread evenly over the data: number i of `size`.
[[nodiscard]] std::uint64_t sample_row(std::size_t i, std::size_t size,
                                       std::uint64_t rows) noexcept;

/// A value that is infinite or NaN.
struct BadValue {
  std::uint64_t row = 0;
  std::size_t column = 0;
  double value = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(row, column, value);
  }
};

/// What is known of the values of one column, or of one feature that a statistic fills.
struct ValuesLook {
  static constexpr int kNoBits = std::numeric_limits<int>::max();    // all values are 0
  static constexpr int kNotWhole = std::numeric_limits<int>::min();  // no power of two is of use

  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  /// The exponent of the lowest bit that any value has; kNotWhole if seven digits do not reach
  /// from that bit to half of the range.
  int lowest_bit = kNoBits;
  std::uint64_t positive = 0;  // number of values above 0
  ValueSample sample = {};     // of features, and of columns that products or quantiles need

  /// `keys`: those of the values for the sample; empty: they are not sampled.
  void see(std::span<const double> values, std::span<const std::uint64_t> keys);
  /// The same for a finite value that occurs so often.
  void see(double value, std::uint64_t times, bool sampled);
  void merge(const ValuesLook& other);
  [[nodiscard]] bool operator==(const ValuesLook& other) const;

  template <class Archive>
  void visit(Archive& archive) {
    archive(min, max, lowest_bit, positive, sample);
    if constexpr (Archive::kReads) {
      constexpr int kLowest = -1074;  // of any double
      constexpr int kHighest = 1023;
      if ((lowest_bit < kLowest || lowest_bit > kHighest) && lowest_bit != kNoBits &&
          lowest_bit != kNotWhole)
        archive.refuse();
    }
  }

 private:
  void forget_low_bits();
};

/// What is known of all columns, from some or all rows.
class ColumnsLook {
 public:
  ColumnsLook() = default;
  /// Of no row yet. `features`: those of the statistics. More than `most_distinct` distinct rows
  /// are not counted.
  ColumnsLook(std::size_t columns, const Features& features, std::size_t most_distinct);

  [[nodiscard]] const RowRanges& seen() const noexcept { return seen_; }
  [[nodiscard]] std::span<const ValuesLook> columns() const noexcept { return columns_; }
  [[nodiscard]] std::span<const ValuesLook> filled() const noexcept { return filled_; }
  /// Whether features that statistics fill are finite numbers on all rows.
  [[nodiscard]] bool filled_finite() const noexcept { return filled_finite_; }
  /// The first value, by row and then by column, that is not a finite number.
  [[nodiscard]] const std::optional<BadValue>& bad() const noexcept { return bad_; }
  /// A hash of all values and their places.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }
  /// The distinct rows of what features are made of: the columns that products multiply, and then
  /// the features that statistics fill.
  [[nodiscard]] const DistinctTable& distinct() const noexcept { return distinct_; }

  /// Counts where the values of these columns lie too, from the next rows on: what quantiles need
  /// of rows that are not kept.
  void count_keys(const std::vector<std::uint32_t>& columns);
  /// Where they lie; null if they are not counted.
  [[nodiscard]] const KeyHistogram* keys(std::uint32_t column) const;

  /// Reads the rows of a piece, whose first row is row `first` of the data. `features`: those of
  /// the statistics; `room`: bytes that partial looks may take.
  void see(const DataView& piece, std::uint64_t first, const Features& features, std::size_t room,
           const Execution& execution);

  /// Moves the rows seen: what was seen as row i was row i + `rows` of the data.
  void shift(std::uint64_t rows);

  /// Throws InvalidArgument if both saw some row, or are not about the same columns.
  ColumnsLook& operator|=(const ColumnsLook& other);
  [[nodiscard]] friend ColumnsLook operator|(ColumnsLook a, const ColumnsLook& b) { return a |= b; }
  /// To the bit.
  [[nodiscard]] bool operator==(const ColumnsLook& other) const;

  template <class Archive>
  void visit(Archive& archive) {
    archive(seen_, columns_, filled_, multiplied_, filled_finite_, bad_, fingerprint_, distinct_,
            ordered_);
    std::uint64_t histograms = keys_.size();
    archive(histograms);
    if constexpr (Archive::kReads) {
      const auto known = [this](std::uint32_t c) { return c < columns_.size(); };
      // A histogram takes megabytes, whatever it takes in a file.
      if (histograms != ordered_.size() || ordered_.size() > kMostOrdered ||
          !std::ranges::all_of(multiplied_, known) || !std::ranges::all_of(ordered_, known) ||
          std::ranges::adjacent_find(multiplied_, std::greater_equal<>()) != multiplied_.end() ||
          distinct_.width() != multiplied_.size() + filled_.size() ||
          (bad_ && bad_->column >= columns_.size()))
        archive.refuse();
      keys_.assign(ordered_.size(), KeyHistogram());
    }
    for (KeyHistogram& keys : keys_) archive(keys);
    if constexpr (Archive::kReads) {
      if (!counts_all_rows()) archive.refuse();
    }
  }

 private:
  class Reader;

  static constexpr std::size_t kMostOrdered = 16;

  void merge_values(const ColumnsLook& other);
  /// Whether all that is counted adds up to the rows seen.
  [[nodiscard]] bool counts_all_rows() const;
  [[nodiscard]] bool is_ordered(std::size_t column) const;

  RowRanges seen_;
  std::vector<ValuesLook> columns_;
  std::vector<ValuesLook> filled_;
  std::vector<std::uint32_t> multiplied_;  // columns of products, in rising order
  bool filled_finite_ = true;
  std::optional<BadValue> bad_;
  std::uint64_t fingerprint_ = 0;
  DistinctTable distinct_;
  std::vector<std::uint32_t> ordered_;  // columns whose keys are counted
  std::vector<KeyHistogram> keys_;      // of each
};

}  // namespace bootfold::study
