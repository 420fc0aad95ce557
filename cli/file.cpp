#include "file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "failure.h"

namespace bootfold::cli {

void write_file(const std::string& path, std::string_view bytes) {
  // A pipe or a device cannot be renamed into place.
  std::error_code ignored;
  const bool direct =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string beside = direct ? path : fmt::format("{}.{}.tmp", path, getpid());
  const auto fail = [&](int error) {
    if (!direct) std::remove(beside.c_str());
    throw Failure(fmt::format("cannot write {}: {}", path, std::strerror(error)));
  };
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  if (file == nullptr) fail(errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  if (std::fclose(file) != 0) fail(errno);
  if (!written) fail(error);
  if (!direct && std::rename(beside.c_str(), path.c_str()) != 0) fail(errno);
}

}  // namespace bootfold::cli
