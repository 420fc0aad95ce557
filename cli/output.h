// cli/output.h: the file that --output names.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "failure.h"

namespace bootfold::cli {

/// Writes a .npy file of `shape`. Check the path before the work with text::check_writable(): what
/// goes wrong now is the run's failure.
inline void write_output(const std::string& path, std::span<const double> values,
                         std::span<const std::size_t> shape) {
  try {
    data::write_npy(path, values, shape);
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

}  // namespace bootfold::cli
