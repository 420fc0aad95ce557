#include "distributed/node_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::distributed {
namespace {

constexpr std::size_t kWriteRows = 65536;

/// A file that has no name any more, and that goes when the last process closes it.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& folder) : folder_(folder) {
    std::string name = folder + "/bootfold-rows-XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) fail();
    ::unlink(name.c_str());
  }
  NamelessFile(NamelessFile&& other) noexcept
      : folder_(std::move(other.folder_)), file_(std::exchange(other.file_, -1)) {}
  NamelessFile& operator=(NamelessFile&&) = delete;
  ~NamelessFile() {
    if (file_ >= 0) ::close(file_);
  }

  /// Returns false if there is no room.
  [[nodiscard]] bool write(const double* values, std::size_t count) {
    const char* bytes = reinterpret_cast<const char*>(values);
    for (std::size_t left = count * sizeof *values; left > 0;) {
      const ssize_t written = ::write(file_, bytes, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && (errno == ENOSPC || errno == EDQUOT)) return false;
      if (written < 0) fail();
      bytes += written;
      left -= static_cast<std::size_t>(written);
    }
    return true;
  }

  /// Where other processes of the same user can open it.
  [[nodiscard]] std::string path() const {
    return text::concat("/proc/", ::getpid(), "/fd/", file_);
  }

 private:
  [[noreturn]] void fail() const {
    throw DataError(text::concat("cannot write the rows that processes share to ", folder_, ": ",
                                 std::strerror(errno)));
  }

  std::string folder_;
  int file_ = -1;
};

struct Written {
  std::vector<NamelessFile> files;
  std::uint64_t rows = 0;
};

/// Nothing if the folder has no room.
std::optional<Written> write_columns(const data::Source& source, const std::string& folder) {
  Written written;
  for (std::size_t c = 0; c < source.names().size(); ++c) written.files.emplace_back(folder);
  std::vector<double> values(kWriteRows);
  const std::unique_ptr<data::Pass> pass = source.open();
  while (const std::optional<data::Chunk> chunk = pass->next()) {
    const std::size_t rows = chunk->view.rows();
    for (std::size_t c = 0; c < written.files.size(); ++c)
      for (std::size_t first = 0; first < rows; first += kWriteRows) {
        const std::span<double> some(values.data(), std::min(kWriteRows, rows - first));
        chunk->view.column(c).read(first, some);
        if (!written.files[c].write(some.data(), some.size())) return std::nullopt;
      }
    written.rows += rows;
  }
  if (written.rows == 0) throw DataError("the source has no rows; a bootstrap needs at least one");
  return written;
}

Written write_somewhere(const data::Source& source) {
  const std::string shared = "/dev/shm";
  if (::access(shared.c_str(), W_OK) == 0)
    if (std::optional<Written> written = write_columns(source, shared)) return std::move(*written);
  const std::string folder = std::filesystem::temp_directory_path().string();
  if (std::optional<Written> written = write_columns(source, folder)) return std::move(*written);
  throw DataError(text::concat("there is no room in ", shared, " and ", folder,
                               " for the rows that the processes of a machine share; the variable "
                               "TMPDIR names another folder"));
}

}  // namespace

NodeRows::NodeRows(const Group& group, const data::Source& source) {
  const Group node = group.node();
  std::optional<Written> written;
  group.agree([&] {
    if (node.rank() == 0) written = write_somewhere(source);
  });
  std::string paths;
  if (written)
    for (const NamelessFile& file : written->files) paths += file.path() + '\n';
  paths = node.broadcast(paths);
  group.agree([&] {
    std::vector<ColumnView> columns;
    for (std::size_t begin = 0; begin < paths.size(); begin = paths.find('\n', begin) + 1) {
      columns_.emplace_back(paths.substr(begin, paths.find('\n', begin) - begin));
      columns.emplace_back(columns_.back().bytes(), data::Type::float64,
                           columns_.back().size() / sizeof(double),
                           static_cast<std::ptrdiff_t>(sizeof(double)));
    }
    view_ = DataView(std::move(columns), source.names());
  });  // from here on the mappings keep the files
}

}  // namespace bootfold::distributed
