// cli/file.h: bytes to a file.
#pragma once

#include <string>
#include <string_view>

namespace bootfold::cli {

/// The file appears whole or not at all: it is written under another name beside it and renamed.
/// Check the path before the work with data::check_writable(). Throws Failure.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace bootfold::cli
