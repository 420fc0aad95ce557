// The sums of some rows in some replicates: what is added up where rows arrive in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/feature_look.h"
#include "study/row_ranges.h"

namespace bootfold::planning {

/// The values of a column between two bounds, and how many lie below the lower one.
struct WindowValues {
  std::uint64_t below = 0;
  std::vector<double> values = {};
};

struct PartialSums {
  study::RowRanges rows = {};
  std::uint64_t first = 0;  ///< number of the first replicate
  std::uint64_t replicates = 0;
  std::vector<__int128> sums = {};        ///< [replicate][limb]
  std::vector<std::uint64_t> drawn = {};  ///< rows drawn in each replicate
  /// The second look at these rows, for estimates; only with the first replicates of a run.
  std::optional<study::FeaturesLook> features = std::nullopt;
  /// For quantiles, in place of sums: what lies in each window. In any order.
  std::vector<WindowValues> windows = {};

  [[nodiscard]] std::uint64_t last() const noexcept { return first + replicates; }

  /// "rows 1 to 1,000, replicates 1 to 200".
  [[nodiscard]] std::string describe() const;

  /// Adds other rows in the same replicates. Throws InvalidArgument if some rows are in both.
  void add_rows(const PartialSums& other);
  /// Adds the next replicates of the same rows.
  void add_replicates(const PartialSums& next);
  /// The replicates first .. last - 1 of these, which must exist.
  [[nodiscard]] PartialSums slice(std::uint64_t first, std::uint64_t last) const;
};

/// The sums of all rows in the replicates first .. last - 1, from parts in any order and of any
/// shape. Throws InvalidArgument, which names the ranges, if rows or replicates are missing or are
/// there twice.
[[nodiscard]] PartialSums assemble(const std::vector<PartialSums>& parts, std::uint64_t rows,
                                   std::uint64_t first, std::uint64_t last);

}  // namespace bootfold::planning
