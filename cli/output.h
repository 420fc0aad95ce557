// cli/output.h: the file that --output names.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/write.h"
#include "failure.h"
#include "text/output_file.h"

namespace bootfold::cli {

/// Throws DataError if replicates cannot be written to `path`; for checks before the work.
inline void check_output_file(const std::string& path) {
  text::check_writable(path);
  if (path.ends_with(".parquet")) data::check_parquet_writer(path);
}

/// Writes a .npy, .csv or .parquet file of columns with `names`; `values` row by row. A .npy array
/// of one column has one dimension, unless it has a shape of its own. What goes wrong now is the
/// run's failure.
inline void write_output(const std::string& path, std::span<const double> values,
                         const std::vector<std::string>& names,
                         std::span<const std::size_t> npy_shape = {}) {
  try {
    if (path.ends_with(".csv")) return data::write_csv(path, names, values);
    if (path.ends_with(".parquet")) return data::write_parquet(path, names, values);
    if (!npy_shape.empty()) return data::write_npy(path, values, npy_shape);
    const std::array<std::size_t, 2> shape{values.size() / names.size(), names.size()};
    data::write_npy(path, values, std::span(shape).first(names.size() == 1 ? 1 : 2));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

/// Writes a table as .csv or .parquet file.
inline void write_columns(const std::string& path, const std::vector<data::NamedColumn>& columns) {
  try {
    data::write_table(path, columns);
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

}  // namespace bootfold::cli
