// text/output_file.h: a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bootfold::text {

/// Writes to a temporary file beside `path`, which commit() renames; without commit() nothing is
/// left behind. Devices, pipes and what lies under /dev/ and /proc/ are written to directly.
/// Everything throws DataError that names `path` and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

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

/// Writes bytes as an OutputFile, at once or in pieces: calls `next` until it returns nothing.
void write_file(const std::string& path, std::string_view bytes);
void write_file(const std::string& path, const std::function<std::string()>& next);

/// Throws DataError if no OutputFile could be made at `path`. Call it before a long computation
/// whose result will be written there.
void check_writable(const std::string& path);

}  // namespace bootfold::text
