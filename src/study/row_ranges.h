// Which rows of the data something is about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::study {

/// The rows first .. last - 1.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] bool operator==(const RowRange&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(first, last);
  }
};

/// "rows 1 to 1,000": numbered from 1, as messages do.
[[nodiscard]] inline std::string describe(const RowRange& range) {
  return text::concat("rows ", text::grouped(range.first + 1), " to ", text::grouped(range.last));
}

/// A set of rows as ranges that neither overlap nor touch, in rising order.
class RowRanges {
 public:
  RowRanges() = default;
  explicit RowRanges(RowRange range) {
    if (range.first < range.last) ranges_.push_back(range);
  }

  [[nodiscard]] const std::vector<RowRange>& ranges() const noexcept { return ranges_; }

  /// Whether these are all of the rows 0 .. rows - 1.
  [[nodiscard]] bool covers(std::uint64_t rows) const {
    return rows == 0 ? ranges_.empty() : ranges_ == std::vector<RowRange>{{0, rows}};
  }

  [[nodiscard]] bool contains(std::uint64_t row) const {
    for (const RowRange& range : ranges_)
      if (row >= range.first && row < range.last) return true;
    return false;
  }

  /// How many rows there are.
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t rows = 0;
    for (const RowRange& range : ranges_) rows += range.last - range.first;
    return rows;
  }

  /// Moves all ranges by so many rows. Throws InvalidArgument past the last number.
  void shift(std::uint64_t rows) {
    if (!ranges_.empty() && ranges_.back().last > ~std::uint64_t{0} - rows)
      throw InvalidArgument(text::concat(describe(ranges_.back()), " cannot lie ",
                                         text::grouped(rows),
                                         " rows further on: rows are numbered up to 2^64 - 1"));
    for (RowRange& range : ranges_) {
      range.first += rows;
      range.last += rows;
    }
  }

  /// Adds the other rows. Throws InvalidArgument, with the ranges, if some are in both sets.
  void merge(const RowRanges& other) {
    std::vector<RowRange> all = ranges_;
    all.insert(all.end(), other.ranges_.begin(), other.ranges_.end());
    std::sort(all.begin(), all.end(),
              [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
    std::vector<RowRange> merged;
    for (const RowRange& range : all) {
      if (!merged.empty() && merged.back().last > range.first)
        throw InvalidArgument(text::concat(describe(merged.back()), " and ", describe(range),
                                           " overlap; every row must be counted once"));
      if (!merged.empty() && merged.back().last == range.first) {
        merged.back().last = range.last;
      } else {
        merged.push_back(range);
      }
    }
    ranges_ = std::move(merged);
  }

  [[nodiscard]] bool operator==(const RowRanges&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(ranges_);
    if constexpr (Archive::kReads) {
      for (std::size_t i = 0; i < ranges_.size(); ++i)
        if (ranges_[i].first >= ranges_[i].last ||
            (i > 0 && ranges_[i].first <= ranges_[i - 1].last))
          archive.refuse();
    }
  }

 private:
  std::vector<RowRange> ranges_;
};

}  // namespace bootfold::study
