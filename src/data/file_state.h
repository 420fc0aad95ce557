// data/file_state.h: whether a file is still the one that was opened.
#pragma once

#include <cstdint>
#include <string>

namespace bootfold::data {

/// Size, time of the last change, and a hash of some of the bytes: the first and the last 4 KiB and
/// a few blocks of that size between them.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::uint64_t sample = 0;

  bool operator==(const FileState&) const = default;
};

/// The state of the open file `number`. `label` names it in messages. Throws DataError.
[[nodiscard]] FileState state_of(int number, const std::string& label);
/// Opens the file for that.
[[nodiscard]] FileState state_of(const std::string& path);

/// Throws DataError unless the two are equal.
void check_unchanged(const FileState& before, const FileState& now, const std::string& label);

/// Fills `size` bytes of `out` from `offset` on. Throws DataError that tells the position if they
/// cannot be read or the file ends before.
void read_at(int number, std::uint64_t offset, void* out, std::size_t size,
             const std::string& label);

/// A file descriptor that is closed in the end.
class OpenFile {
 public:
  /// Throws DataError if the file cannot be opened or is not a regular file.
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace bootfold::data
