// The sums of some rows in some replicates: what is added up where rows arrive in pieces.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "planning/cluster_totals.h"
#include "study/feature_look.h"
#include "study/row_ranges.h"

namespace bootfold::planning {

/// The values of a column between two bounds, and how often each occurs.
struct WindowValues {
  std::vector<double> values = {};  ///< rising
  std::vector<std::uint64_t> counts = {};

  /// Adds values in any order.
  void add(std::vector<double> more);
  void merge(const WindowValues& other);
  [[nodiscard]] std::uint64_t rows() const;

  template <class Archive>
  void visit(Archive& archive) {
    archive(values, counts);
    if constexpr (Archive::kReads) {
      std::uint64_t most = ~std::uint64_t{0};  // rows that may be left
      bool possible = values.size() == counts.size();
      for (const std::uint64_t count : counts) {
        possible = possible && count > 0 && count <= most;
        most -= count;
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        possible = possible && !std::isnan(values[i]) && (i == 0 || values[i - 1] < values[i]);
      if (!possible) archive.refuse();
    }
  }
};

/// What is thrown where rows are not what they were.
[[nodiscard]] DataError rows_changed(const std::string& between);

struct PartialSums {
  study::RowRanges rows = {};
  std::uint64_t first = 0;  ///< number of the first replicate
  std::uint64_t replicates = 0;
  std::vector<__int128> sums = {};        ///< [replicate][limb]
  std::vector<std::uint64_t> drawn = {};  ///< rows drawn in each replicate
  std::uint64_t content = 0;              ///< study::content_hash() of the rows
  /// The second look at these rows, for estimates; only with the first replicates of a run.
  std::optional<study::FeaturesLook> features = std::nullopt;
  /// For quantiles, in place of sums: what lies in each window; only with the first replicates.
  std::vector<WindowValues> windows = {};
  /// Where whole clusters are drawn, in place of sums; only with the first replicates.
  std::optional<ClusterTotals> clusters = std::nullopt;

  [[nodiscard]] std::uint64_t last() const noexcept { return first + replicates; }

  /// "rows 1 to 1,000, replicates 1 to 200".
  [[nodiscard]] std::string describe() const;

  /// Adds other rows in the same replicates. Throws InvalidArgument if some rows are in both, or if
  /// the other has not the same kinds of sums.
  void add_rows(const PartialSums& other);
  /// Adds the next replicates of the same rows. Throws DataError if the rows had other values.
  void add_replicates(const PartialSums& next);
  /// The replicates first .. last - 1 of these, which must exist.
  [[nodiscard]] PartialSums slice(std::uint64_t first, std::uint64_t last) const;

  template <class Archive>
  void visit(Archive& archive) {
    archive(rows, first, replicates, sums, drawn, content, features, windows, clusters);
    if constexpr (Archive::kReads) {
      if (replicates == 0 || first > ~std::uint64_t{0} - replicates ||
          drawn.empty() != sums.empty() ||
          (!drawn.empty() && (drawn.size() != replicates || sums.size() % replicates != 0)) ||
          (features && features->seen() != rows))
        archive.refuse();
    }
  }
};

/// The sums of all rows in the replicates first .. last - 1, from parts in any order and of any
/// shape. `kind`: one replicate, with all that the first one of the plan has. Throws
/// InvalidArgument, which names the ranges, if rows or replicates are missing or are there twice,
/// or if a part has other sums. Throws DataError if rows changed between the parts.
[[nodiscard]] PartialSums assemble(const std::vector<PartialSums>& parts, std::uint64_t rows,
                                   std::uint64_t first, std::uint64_t last,
                                   const PartialSums& kind);

}  // namespace bootfold::planning
