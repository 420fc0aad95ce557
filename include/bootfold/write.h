// bootfold/write.h: tables as .csv and .parquet files.
//
//     data::write_csv("replicates.csv", {"mean", "median"}, result.replicates());
//
// .npy files are written by data::write_npy() (bootfold/data.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::data {

/// Writes `values`, row by row with one value for each of `names`, below a header. Every number has
/// the fewest digits that read back as the same double; NaN is an empty field. The file appears
/// whole or not at all. Throws DataError, and InvalidArgument if the last row is not complete.
BOOTFOLD_API void write_csv(const std::string& path, const std::vector<std::string>& names,
                            std::span<const double> values);

/// The same as a Parquet file of columns of type double. Needs a build with Arrow C++.
BOOTFOLD_API void write_parquet(const std::string& path, const std::vector<std::string>& names,
                                std::span<const double> values);

/// A column of a table: numbers, whole numbers or texts.
struct NamedColumn {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// Writes columns of equal length to a .csv or, by the ending of its name, .parquet file, in the
/// same way. Throws InvalidArgument if there are none or their lengths differ.
BOOTFOLD_API void write_table(const std::string& path, const std::vector<NamedColumn>& columns);

/// Throws DataError if this build cannot write Parquet files; for checks before a long run.
BOOTFOLD_API void check_parquet_writer(const std::string& path);

}  // namespace bootfold::data
