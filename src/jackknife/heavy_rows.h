// Rows that are nearly the whole sum of some feature.
//
// The means without a row are otherwise those of all rows, shifted; for a row that is all but a
// millionth of a sum the shift would be rounding. The look at the rows kept exact sums and the
// largest row of each feature, so the sums without it are known exactly. There is at most one such
// row for each feature, and mostly none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "jackknife/influence.h"

namespace bootfold::jackknife {

class HeavyRows {
 public:
  explicit HeavyRows(const Task& task);

  /// The means of all features over the other rows; empty: the row is not heavy.
  [[nodiscard]] std::span<const double> means_without(std::uint64_t row) const {
    const auto found = means_.find(row);
    return found == means_.end() ? std::span<const double>() : found->second;
  }

 private:
  std::map<std::uint64_t, std::vector<double>> means_;
};

}  // namespace bootfold::jackknife
