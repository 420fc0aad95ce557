// data/columns.h: which columns of a file are meant.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::data {

/// The columns a file has. Numbered columns cost nothing, so a .npy file may have billions.
class ColumnNames {
 public:
  /// Columns "1", "2", ..., `count`.
  explicit ColumnNames(std::size_t count) : count_(count) {}
  explicit ColumnNames(std::vector<std::string> names)
      : count_(names.size()), names_(std::move(names)) {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::string operator[](std::size_t index) const {
    return names_.empty() ? std::to_string(index + 1) : names_[index];
  }
  /// Empty if the columns are numbered.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::size_t count_;
  std::vector<std::string> names_;
};

/// Positions from 0 of the columns that `wanted` names or numbers, in its order; a name wins over
/// a number. Throws InvalidArgument that lists the columns of `file`.
[[nodiscard]] std::vector<std::size_t> find_columns(const ColumnNames& columns,
                                                    const std::vector<std::string>& wanted,
                                                    const std::string& file);

/// Whether `word` names or numbers a column.
[[nodiscard]] bool has_column(const ColumnNames& columns, const std::string& word);

struct ColumnChoice;  // data/computed.h

/// The columns of numbers that `options` mean where `labels` are those of the labels. A name that
/// the file does not have may be an expression. None named: the only one beside the labels, unless
/// all others are meant.
[[nodiscard]] ColumnChoice choose_columns(const ColumnNames& columns, const ReadOptions& options,
                                          const std::string& file,
                                          const std::vector<std::size_t>& labels);

}  // namespace bootfold::data
