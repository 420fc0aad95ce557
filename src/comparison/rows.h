// compare/rows.h: the rows of each group, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/statistic.h"

namespace bootfold::comparison {

/// Throws InvalidArgument unless labels are complete: one with a name for each of `rows` rows.
void check_labels(const data::Labels& labels, std::size_t rows);

/// Some columns of a table, with their names.
[[nodiscard]] DataView columns_of(const DataView& values, std::span<const std::size_t> numbers);

/// The columns that a statistic names, in its order, and that of the weights; all of them if it
/// names none. Of names that are not there the bootstrap complains.
[[nodiscard]] DataView named_columns(const DataView& values, const Statistic& statistic);

/// Views of the rows of chosen groups, in the order in which they stand in the data. Where the rows
/// of every group are neighbours already, nothing is copied; else the values are copied once, in
/// the smallest of float32 and float64 that holds them exactly. `together`: the groups must be
/// neighbours too, with no rows of others between them, so that all() views them all.
class GroupedRows {
 public:
  static constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

  /// `places[code]` is the group of a label, 0 to groups - 1, or kLeftOut; `counts` the rows of
  /// each group. `values` and `labels` must outlive this. Throws Cancelled.
  GroupedRows(const DataView& values, const data::Labels& labels, std::vector<std::uint32_t> places,
              const std::vector<std::uint64_t>& counts, bool together, const std::stop_token& stop);

  [[nodiscard]] const DataView& view(std::size_t group) const { return views_[group]; }

  /// If the groups are together: the columns of all their rows, and the group of each row.
  [[nodiscard]] std::vector<ColumnView> all() const;
  [[nodiscard]] std::vector<std::uint16_t> group_of_each() const;

  /// Something else that rows have, in the order of the groups; `storage` holds it if it had to be
  /// copied. The part of a group is then of_group().
  template <class T>
  [[nodiscard]] std::span<const T> arrange(std::span<const T> values,
                                           std::vector<T>& storage) const {
    if (copies_.empty()) return values;
    std::vector<std::size_t> next = firsts_;
    storage.resize(values.size());
    for (std::size_t row = 0; row < values.size(); ++row)
      if (const std::uint32_t group = places_[labels_.codes[row]]; group != kLeftOut)
        storage[next[group]++] = values[row];
    return storage;
  }
  /// The part of all groups, if they are together.
  template <class T>
  [[nodiscard]] std::span<const T> of_all(std::span<const T> arranged) const {
    return arranged.subspan(first_, rows_);
  }
  template <class T>
  [[nodiscard]] std::span<const T> of_group(std::span<const T> arranged, std::size_t group) const {
    return arranged.subspan(firsts_[group], views_[group].rows());
  }

 private:
  const data::Labels& labels_;
  std::vector<std::uint32_t> places_;
  std::vector<std::size_t> firsts_;  // row of each group, in the data or the copies
  std::size_t first_ = 0;            // row of all groups
  std::size_t rows_ = 0;             // of all groups
  std::vector<std::unique_ptr<std::byte[]>> copies_;  // of each column
  std::vector<ColumnView> columns_;                   // the data or the copies
  std::vector<DataView> views_;
};

}  // namespace bootfold::comparison
