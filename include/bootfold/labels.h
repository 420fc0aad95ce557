// bootfold/labels.h: labels of rows: their group, stratum or cluster.
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

/// A categorical column: a code for each row, and the name of each code.
///
/// Names are sorted, by value if all are numbers and bytewise otherwise, and every name occurs, so
/// the codes do not depend on the order of the rows. Takes 4 bytes per row, plus the names.
struct BOOTFOLD_API Labels {
  std::vector<std::uint32_t> codes;  ///< code of each row, from 0 to names.size() - 1
  std::vector<std::string> names;    ///< unique names
  std::string column = {};           ///< name of the column; empty if it has none

  [[nodiscard]] std::size_t rows() const noexcept { return codes.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return names.size(); }
  /// The code of a name, if it exists. Linear in the number of names.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  /// The number of rows of each name.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
};

/// Makes labels from values in memory. Texts are used unchanged, including empty ones.
///
///     std::vector<std::string> variants = {"B", "A", "B"};
///     data::labels(variants);   // codes {1, 0, 1}, names {"A", "B"}
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::string> texts);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::string_view> texts);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::int64_t> numbers);
[[nodiscard]] BOOTFOLD_API Labels labels(std::span<const std::int32_t> numbers);
/// Makes labels from numbers of any type. Integers are exact, also beyond 2^53. A name is the
/// shortest text that converts back to the number: "3", "0.1". Throws DataError for NaN and
/// infinities.
[[nodiscard]] BOOTFOLD_API Labels labels(const ColumnView& numbers);

/// Labels of the combinations of several labels that occur, such as month and day. They are sorted
/// by the first, then by the second, and so on; a name is "1, 31". One entry is returned unchanged.
/// Throws InvalidArgument if they have different numbers of rows.
///
///     data::combined(std::array{table.labels(0), table.labels(1)});
///
/// Labels of shards are combined with the separator kLabelParts, so that shards sort all labels as
/// one run does.
[[nodiscard]] BOOTFOLD_API Labels combined(std::span<const Labels> labels,
                                           std::string_view separator = ", ");

/// A separator that no text file has: the unit separator of ASCII.
inline constexpr std::string_view kLabelParts = "\x1f";

}  // namespace data
}  // namespace bootfold
