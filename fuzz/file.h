// The file that a fuzzer hands to a reader.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace bootfold::fuzz {

/// A file in memory with the given content; removed at the end.
class File {
 public:
  File(const std::uint8_t* bytes, std::size_t size, const std::string& ending)
      : path_("/dev/shm/bootfold-fuzz-" + std::to_string(::getpid()) + ending) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  ~File() { ::unlink(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bootfold::fuzz
