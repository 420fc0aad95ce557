// data/output.h: a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <string>

namespace bootfold::data {

/// Writes to a temporary file beside `path`, which commit() renames; without commit() nothing is
/// left behind. Devices, pipes and what lies under /dev/ and /proc/ are written to directly.
/// Everything throws DataError that names `path` and the system's reason.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* bytes, std::size_t size);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void open_direct();
  void open_beside();

  std::string path_;       // as given, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty: direct, or renamed already
  unsigned mode_ = 0;      // permissions of the file to replace
  int file_ = -1;
};

}  // namespace bootfold::data
