// data/coded_numbers.h: columns of cells as numbers that FieldCodes give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"

namespace bootfold::data {

/// A column that is coded, and its place for messages.
struct CodedColumn {
  FieldCodes& codes;
  std::size_t number;        ///< among the chosen columns
  const std::string& label;  ///< of the file
  const std::string& name;
  std::uint64_t first;  ///< row of the file that is row 0 of the cells
};

/// The numbers of `rows` cells; NaN where they are missing. `bytes` keeps them alive. Throws
/// DataError for a cell that cannot be used.
[[nodiscard]] ColumnView coded_numbers(const Cells& cells, const CodedColumn& column,
                                       std::size_t rows,
                                       std::vector<std::unique_ptr<std::byte[]>>& bytes);

/// A cell as text: numbers as the shortest text that converts back; empty if it is missing.
[[nodiscard]] std::string cell_text(const Cells& cells, std::size_t row);

}  // namespace bootfold::data
