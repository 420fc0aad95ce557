#include "shard_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "console.h"
#include "text/output_file.h"

namespace bootfold::cli {

std::string read_bytes(const std::string& path) {
  if (path == "-")
    return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw DataError(fmt::format("{}: cannot be read", path));
  return bytes;
}

void check_shard_output(const std::string& output, const std::vector<std::string>& files) {
  if (output.empty()) return;
  std::error_code ignored;  // one of them is not there: then they are not the same
  for (const std::string& file : files)
    if (std::filesystem::equivalent(output, file, ignored))
      throw InvalidArgument(fmt::format("--output {} is a file to read; choose another", output));
  text::check_writable(output);
}

void write_bytes(const std::string& output, std::string_view bytes, std::string_view what) {
  if (!output.empty()) return text::write_file(output, bytes);
  if (is_terminal(1))
    throw InvalidArgument(fmt::format(
        "the {0} would be written to the terminal; redirect it (> a.{0}) or give --output a.{0}",
        what));
  print(bytes);
}

}  // namespace bootfold::cli
