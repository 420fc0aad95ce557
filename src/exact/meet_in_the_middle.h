// The law of a mean of few rows, by halves: what the first half of the rows adds, and the second.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/law.h"

namespace bootfold::exact {

/// Distinct values of a column and how many rows have each; nothing if halves would take more than
/// `most` entries in all.
struct HalvedRows {
  std::vector<double> values = {};
  std::vector<std::uint64_t> weights = {};
  std::uint64_t entries = 0;

  [[nodiscard]] bool possible() const noexcept { return entries > 0; }
};
[[nodiscard]] HalvedRows halve(const ColumnView& column, std::uint64_t most);

/// The law of the mean, or if `total` of the sum; about 16 bytes an entry. Throws Cancelled.
[[nodiscard]] Found halves_law(const HalvedRows& rows, bool total, const Execution& execution);

}  // namespace bootfold::exact
