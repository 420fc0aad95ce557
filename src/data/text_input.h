// data/text_input.h: the bytes of a text file that may be compressed with gzip.
//
// Two sources define it, and a build has one of them: zlib_input.cpp, and plain_input.cpp for
// builds without zlib (BOOTFOLD_ZLIB=OFF).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bootfold::data {

class TextInput {
 public:
  /// `path` "-" is standard input. `label` names the file in messages. Throws DataError.
  TextInput(const std::string& path, const std::string& label);
  ~TextInput();
  TextInput(const TextInput&) = delete;
  TextInput& operator=(const TextInput&) = delete;

  /// Fills `size` bytes (below 2^31) of `out` unless the file ends before, and returns how many it
  /// filled. Throws DataError if the file cannot be read or its gzip data are damaged.
  std::size_t read(char* out, std::size_t size, const std::string& label);

  /// Bytes of the file that were read so far; of a compressed file, compressed bytes.
  [[nodiscard]] std::uint64_t position() const noexcept;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A file descriptor for reading `path`, which is no directory. Throws DataError.
[[nodiscard]] int open_text(const std::string& path, const std::string& label);

}  // namespace bootfold::data
