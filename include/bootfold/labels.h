// bootfold/labels.h: which group, stratum or cluster a row belongs to.
//
//     auto table = data::read("visits.csv", {.columns = {"revenue"}, .labels = {"variant"}});
//     const data::Labels& variant = table.labels(0);
//     variant.names[variant.codes[17]];   // the variant of row 17: "A"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold {

class ColumnView;

namespace data {

/// A column of labels: a small number for each row, and the text that each number stands for.
///
/// Names are sorted (by value if all are numbers, else byte by byte) and every one occurs, so the
/// codes do not depend on the order of the rows. 4 bytes a row, and the names.
struct BOOTFOLD_API Labels {
  std::vector<std::uint32_t> codes;  ///< of each row, 0 .. names.size() - 1
  std::vector<std::string> names;    ///< all different
  std::string column = {};           ///< name of the column; empty if there was none

  [[nodiscard]] std::size_t rows() const noexcept { return codes.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return names.size(); }
  /// The code of a name. Linear in the number of names.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  /// How many rows each name has.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
};

/// Labels of rows held in memory. Texts are taken as they are, an empty one too.
///
///     std::vector<std::string> variants = {"B", "A", "B"};
///     data::labels(variants);   // codes {1, 0, 1}, names {"A", "B"}
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::string> texts);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::string_view> texts);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::int64_t> numbers);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::int32_t> numbers);
/// Numbers of any type; integers exactly, beyond 2^53 too. A name is the shortest text that reads
/// back as the number: "3", "0.1". Throws DataError for NaN, which labels nothing, and infinities.
[[nodiscard]] BOOTFOLD_API Labels labels(const ColumnView& numbers);

}  // namespace data
}  // namespace bootfold
