#include "text/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::text {
namespace {

// What to do with a path.
struct Target {
  bool exists = false;
  bool direct = false;
  unsigned mode = 0;
};

// Looks without touching anything.
Target look_at(const std::string& path) {
  auto fail = [&](const std::string& why) {
    throw DataError(concat("cannot write ", path, ": ", why));
  };
  if (path.empty()) throw DataError("cannot write a file without a name");
  struct stat info {};
  Target target;
  if (::stat(path.c_str(), &info) == 0) {
    target.exists = true;
    target.mode = info.st_mode & 07777U;
    if (S_ISDIR(info.st_mode)) fail("it is a directory");
    if (::access(path.c_str(), W_OK) != 0) fail(reason(errno));
  } else if (errno != ENOENT) {
    fail(reason(errno));
  } else if (path.back() == '/') {
    fail("the name ends with a slash");
  }
  // /dev/stdout may be a regular file, but then others write to it too.
  target.direct = target.exists && (!S_ISREG(info.st_mode) || path.starts_with("/dev/") ||
                                    path.starts_with("/proc/"));
  return target;
}

// Follows symbolic links, so that the file changes and not the link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  std::string result = real == nullptr ? path : real;
  std::free(real);
  return result;
}

}  // namespace

void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

OutputFile::OutputFile(const std::string& path, const std::string& suffix) : path_(path) {
  const Target target = look_at(path);
  target_ = target.exists && !target.direct ? resolved(path) : path;
  mode_ = target.mode;
  if (target.direct && !suffix.empty())
    throw DataError(concat("cannot write ", path, ": it is not a regular file"));
  if (target.direct)
    open_direct();
  else
    open_beside(suffix);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw DataError(concat("cannot write ", path_, ": ", reason(error)));
}

void OutputFile::open_direct() {
  file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail(errno);
}

void OutputFile::open_beside(const std::string& suffix) {
  static std::atomic<unsigned> counter{0};
  if (!suffix.empty()) {
    temporary_ = target_ + suffix;
    ::unlink(temporary_.c_str());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) return;
    const int error = errno;
    temporary_.clear();
    fail(error);
  }
  const std::size_t slash = target_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : target_.substr(0, slash + 1);
  do {
    temporary_ = concat(folder, ".bootfold-", ::getpid(), "-", counter++, ".tmp");
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ >= 0) return;
  const int error = errno;
  temporary_.clear();
  fail(error);
}

void OutputFile::write(const void* bytes, std::size_t size) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // Linux writes at most 2 GiB at once
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(file_, at, std::min(size, kMostAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

// Another process that was given the same name has removed our file: what is there now is its own.
void OutputFile::check_own() const {
  struct stat own {};
  struct stat there {};
  if (::fstat(file_, &own) == 0 && ::stat(temporary_.c_str(), &there) == 0 &&
      own.st_ino == there.st_ino && own.st_dev == there.st_dev)
    return;
  throw DataError(concat("cannot write ", path_, ": another process writes it at the same time"));
}

void OutputFile::commit(const std::string& previous) {
  if (mode_ != 0 && !temporary_.empty()) ::fchmod(file_, mode_);  // a courtesy, may fail
  // Without this a crash of the machine could leave a renamed file without its bytes. Some file
  // systems cannot, and say EINVAL.
  if (!temporary_.empty()) {
    if (::fsync(file_) != 0 && errno != EINVAL && errno != EINTR) fail(errno);
    check_own();
  }
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0 && errno != EINTR) fail(errno);  // NFS reports a full disk here
  if (temporary_.empty()) return;
  if (!previous.empty() && ::rename(target_.c_str(), (target_ + previous).c_str()) != 0 &&
      errno != ENOENT)
    fail(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_folder(target_);
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile output(path);
  output.write(bytes.data(), bytes.size());
  output.commit();
}

void write_file(const std::string& path, const std::function<std::string()>& next) {
  OutputFile output(path);
  for (std::string piece = next(); !piece.empty(); piece = next())
    output.write(piece.data(), piece.size());
  output.commit();
}

// Opening for real is the only test that also knows read-only mounts and network file systems; a
// pipe would wait for its reader, so what is written directly is only looked at.
void check_writable(const std::string& path) {
  if (!look_at(path).direct) OutputFile output(path);
}

}  // namespace bootfold::text
