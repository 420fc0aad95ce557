// cli/shard_files.h: files of looks, plans and parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bootfold::cli {

/// All bytes of a file; "-" is standard input. Throws DataError.
[[nodiscard]] std::string read_bytes(const std::string& path);

/// Calls make(bytes of the file), and puts the path before the message of a DataError.
template <class Make>
auto from_file(const std::string& path, const Make& make);

/// Throws InvalidArgument if `output` is one of the files that are read, and DataError if it cannot
/// be written.
void check_shard_output(const std::string& output, const std::vector<std::string>& files);

/// Writes to `output`, or to standard output if that is empty. Throws InvalidArgument where that is
/// a terminal.
void write_bytes(const std::string& output, std::string_view bytes, std::string_view what);

}  // namespace bootfold::cli

#include "bootfold/error.h"

namespace bootfold::cli {

template <class Make>
auto from_file(const std::string& path, const Make& make) {
  try {
    return make(read_bytes(path));
  } catch (const DataError& error) {
    const std::string message = error.what();
    throw DataError(message.starts_with(path) ? message : path + ": " + message);
  }
}

}  // namespace bootfold::cli
