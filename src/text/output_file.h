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
  /// `suffix`: the temporary file is named `path` + `suffix`, and replaces what a process that was
  /// killed has left there; otherwise it has a name of its own. Such a file is never written to
  /// directly.
  explicit OutputFile(const std::string& path, const std::string& suffix = "");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t size);
  /// Waits until the bytes are on the disk, and renames. `previous`: the file that is replaced is
  /// kept as `path` + `previous`.
  void commit(const std::string& previous = "");

 private:
  [[noreturn]] void fail(int error) const;
  void open_direct();
  void open_beside(const std::string& suffix);
  void check_own() const;

  std::string path_;       // as given, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty: direct, or renamed already
  unsigned mode_ = 0;      // permissions of the file to replace
  int file_ = -1;
};

/// Writes bytes as an OutputFile, at once or in pieces: calls `next` until it returns nothing.
void write_file(const std::string& path, std::string_view bytes);
void write_file(const std::string& path, const std::function<std::string()>& next);

/// Writes the names in the folder of a file to the disk, where that can be done.
void sync_folder(const std::string& path);

/// Throws DataError if no OutputFile could be made at `path`. Call it before a long computation
/// whose result will be written there.
void check_writable(const std::string& path);

}  // namespace bootfold::text
