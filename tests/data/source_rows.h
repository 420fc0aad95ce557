// The rows of a source, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/sources.h"

namespace bootfold::testing_data {

using Rows = std::vector<std::vector<double>>;  // column after column

/// All rows of one pass, column by column.
inline Rows rows_of(const data::Source& source, std::vector<std::size_t>* chunks = nullptr) {
  Rows columns(source.names().size());
  const std::unique_ptr<data::Pass> pass = source.open();
  while (const std::optional<data::Chunk> chunk = pass->next()) {
    if (chunks != nullptr) chunks->push_back(chunk->view.rows());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::vector<double> values(chunk->view.rows());
      chunk->view.column(c).read(0, values);
      columns[c].insert(columns[c].end(), values.begin(), values.end());
    }
  }
  return columns;
}

/// A .npy file written by hand.
template <class T>
std::string npy_file(const std::string& descr, const std::string& shape,
                     const std::vector<T>& numbers, bool fortran = false) {
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY";
  file += {'\1', '\0', static_cast<char>(dict.size()), '\0'};
  file += dict;
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  return file;
}

}  // namespace bootfold::testing_data
