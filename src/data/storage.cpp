#include "data/storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/reason.h"

namespace bootfold::data {

Buffer::~Buffer() { std::free(bytes_); }

void Buffer::shrink() {
  if (size_ > 0) resize(size_);
}

void Buffer::resize(std::size_t capacity) {
  void* bytes = std::realloc(bytes_, capacity);
  if (bytes == nullptr) throw std::bad_alloc();
  bytes_ = static_cast<std::byte*>(bytes);
  capacity_ = capacity;
}

Mapping::Mapping(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw DataError(text::concat("cannot open ", path, ": ", text::reason(errno)));
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(file);
    throw DataError(
        text::concat(path, " is not a regular file; .npy data must be one to be mapped"));
  }
  if (info.st_size == 0) {
    ::close(file);
    throw DataError(text::concat(path, " is empty"));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  if (bytes == MAP_FAILED) {
    ::close(file);
    throw DataError(text::concat("cannot map ", path, ": ", text::reason(error)));
  }
  bytes_ = static_cast<std::byte*>(bytes);
  size_ = size;
  file_ = file;
  modified_ = info.st_mtim;
  path_ = path;
}

Mapping::~Mapping() {
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
  if (file_ >= 0) ::close(file_);
}

void Mapping::check_unchanged() const {
  struct stat info {};
  if (file_ < 0 || ::fstat(file_, &info) != 0) return;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size != size_)
    throw DataError(text::concat(path_, " changed while it was read: it had ", text::grouped(size_),
                                 " bytes and has ", text::grouped(size),
                                 "; run it again on a file that nobody writes to"));
  if (info.st_mtim.tv_sec != modified_.tv_sec || info.st_mtim.tv_nsec != modified_.tv_nsec)
    throw DataError(text::concat(path_,
                                 " changed while it was read: it was written to; run it again on "
                                 "a file that nobody writes to"));
}

}  // namespace bootfold::data
