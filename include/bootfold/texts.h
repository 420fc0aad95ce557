// bootfold/texts.h: a column of a file as text, such as an id that goes along with the rows.
//
//     auto table = data::read("new.csv", {.columns = {"length"}, .texts = {"id"}});
//     table.texts(0)[17];   // the id of row 17, as it is written in the file
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::data {

/// The fields of a column, unchanged. Takes the bytes of the fields, and 8 bytes per row.
class BOOTFOLD_API Texts {
 public:
  explicit Texts(std::string column = {}) : column_(std::move(column)) {}

  /// Name of the column; empty if it has none.
  [[nodiscard]] const std::string& column() const noexcept { return column_; }
  [[nodiscard]] std::size_t rows() const noexcept { return ends_.size(); }
  /// The field of a row, which must exist. It is valid until a row is added.
  [[nodiscard]] std::string_view operator[](std::size_t row) const noexcept {
    const std::size_t first = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(fields_).substr(first, ends_[row] - first);
  }

  /// Adds a row.
  void add(std::string_view field) {
    fields_ += field;
    ends_.push_back(fields_.size());
  }

 private:
  std::string column_;
  std::string fields_;  // one after the other
  std::vector<std::size_t> ends_;
};

}  // namespace bootfold::data
