// How many values of a column lie where: enough to find out between which bounds an order statistic
// lies.
//
// Doubles are counted by the leading bits of integers of the same order, so the bins do not depend
// on the data, and the histograms of any pieces add up to that of the whole.
#pragma once

#include <cstdint>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/bin_counts.h"

namespace bootfold::study {

/// The keys (numeric/order_key.h) first .. last.
struct KeyRange {
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};

  [[nodiscard]] bool contains(std::uint64_t key) const noexcept {
    return key >= first && key <= last;
  }
  [[nodiscard]] bool operator==(const KeyRange&) const = default;
};

class KeyHistogram {
 public:
  static constexpr unsigned kBits = 20;
  static_assert(BinCounts::kBins == std::size_t{1} << kBits);
  /// What a thread takes to count.
  static constexpr std::size_t kThreadBytes = sizeof(std::uint32_t) << kBits;

  /// Of the values with keys in a range, in at most 2^kBits bins of equally many keys.
  explicit KeyHistogram(KeyRange range = {});

  [[nodiscard]] const KeyRange& range() const noexcept { return range_; }
  /// Values below the range.
  [[nodiscard]] std::uint64_t below() const noexcept { return below_; }
  /// Whether so many values were counted, all of them in the range.
  [[nodiscard]] bool counts_all(std::uint64_t values) const;

  /// Counts the values of a column. Throws Cancelled.
  void see(const ColumnView& column, const Execution& execution);
  void merge(const KeyHistogram& other);

  /// Where order statistics number first .. last (from 1) lie, which must be in the range, and how
  /// many values lie there and below.
  struct Bracket {
    KeyRange keys;
    std::uint64_t below = 0;
    std::uint64_t inside = 0;
  };
  [[nodiscard]] Bracket bracket(std::uint64_t first, std::uint64_t last) const;

  [[nodiscard]] bool operator==(const KeyHistogram&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(range_.first, range_.last, below_, counts_);
    if constexpr (Archive::kReads) {
      if (range_.first > range_.last) archive.refuse();
      shift_ = KeyHistogram(range_).shift_;
    }
  }

 private:
  void see_few(const ColumnView& column);

  KeyRange range_;
  unsigned shift_ = 0;
  std::uint64_t below_ = 0;
  BinCounts counts_;
};

}  // namespace bootfold::study
