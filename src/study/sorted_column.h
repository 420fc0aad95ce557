// A column in the order of its values.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::study {

/// Places begin .. end - 1 of a sorted column, which have one value.
struct Tie {
  std::uint32_t begin;
  std::uint32_t end;
};

/// The rows of a column by rising values; rows of equal value stay in their order.
struct SortedColumn {
  /// Numbers of rows have 32 bits, and sums of products of two ranks 64.
  static constexpr std::uint64_t kMostRows = (std::uint64_t{1} << 31) - 1;

  std::vector<std::uint32_t> rows = {};
  std::vector<double> values = {};

  /// All values that several rows have.
  [[nodiscard]] std::vector<Tie> ties() const;
};

/// Sorts a column of at most kMostRows rows, without infinities and NaN. Throws Cancelled.
[[nodiscard]] SortedColumn sorted(const ColumnView& column, const std::stop_token& stop);

}  // namespace bootfold::study
