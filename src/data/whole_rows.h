// data/whole_rows.h: checks of tables that are written.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/write.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

inline void check_whole_rows(const std::vector<std::string>& names, std::size_t values) {
  if (names.empty()) throw InvalidArgument("a table without columns cannot be written");
  if (values % names.size() != 0)
    throw InvalidArgument(text::concat("there are ", values, " values for ", names.size(),
                                       " columns, but every row must be complete"));
}

/// The rows of columns that are written together.
inline std::size_t rows_of(const std::vector<NamedColumn>& columns) {
  if (columns.empty()) throw InvalidArgument("a table without columns cannot be written");
  const auto length = [](const NamedColumn& column) {
    return std::visit([](const auto& values) { return values.size(); }, column.values);
  };
  const std::size_t rows = length(columns[0]);
  for (const NamedColumn& column : columns)
    if (length(column) != rows)
      throw InvalidArgument(text::concat(
          "column ", text::quoted(column.name), " has ", length(column), " rows but column ",
          text::quoted(columns[0].name), " has ", rows, "; all columns must be equally long"));
  return rows;
}

}  // namespace bootfold::data
