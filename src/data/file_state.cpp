#include "data/file_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {
namespace {

constexpr std::uint64_t kSampleBlock = 4096;
constexpr std::uint64_t kSampleBlocks = 8;

// FNV-1a of 64 bits.
std::uint64_t hash_bytes(std::uint64_t hash, const unsigned char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3;
  return hash;
}

}  // namespace

FileState state_of(int number, const std::string& label) {
  struct stat info {};
  if (::fstat(number, &info) != 0)
    throw DataError(text::concat("cannot read ", label, ": ", text::reason(errno)));
  FileState state;
  state.size = static_cast<std::uint64_t>(info.st_size);
#ifdef __APPLE__
  const timespec& changed = info.st_mtimespec;
#else
  const timespec& changed = info.st_mtim;
#endif
  state.seconds = changed.tv_sec;
  state.nanoseconds = changed.tv_nsec;
  state.sample = 0xCBF29CE484222325;
  const std::uint64_t last = state.size > kSampleBlock ? state.size - kSampleBlock : 0;
  const std::uint64_t blocks = last == 0 ? 1 : kSampleBlocks;
  std::array<unsigned char, kSampleBlock> block;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t offset = blocks == 1 ? 0 : last / (blocks - 1) * b;
    const std::uint64_t at = b + 1 == blocks ? last : offset;
    const std::size_t size = std::min(kSampleBlock, state.size - at);
    read_at(number, at, block.data(), size, label);
    state.sample = hash_bytes(state.sample, block.data(), size);
  }
  return state;
}

FileState state_of(const std::string& path) {
  const OpenFile file(path);
  return state_of(file.number(), path);
}

void check_unchanged(const FileState& before, const FileState& now, const std::string& label) {
  if (before == now) return;
  const std::string what = before.size != now.size ? text::concat("its size was ", before.size,
                                                                  " and is ", now.size, " bytes")
                           : before.sample != now.sample ? std::string("its contents differ")
                                                         : std::string("it was written to");
  throw DataError(text::concat(label, " changed since it was first read (", what,
                               "); run again when nothing writes to it"));
}

void read_at(int number, std::uint64_t offset, void* out, std::size_t size,
             const std::string& label) {
  auto* bytes = static_cast<std::byte*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(number, bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw DataError(
          text::concat("cannot read ", label, " at byte ", offset, ": ", text::reason(errno)));
    if (got == 0)
      throw DataError(text::concat(label, " ends at byte ", offset,
                                   ", before all of its rows were read; it was cut while it was "
                                   "read"));
    bytes += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

OpenFile::OpenFile(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (number_ < 0) throw DataError(text::concat("cannot open ", path, ": ", text::reason(errno)));
  struct stat info {};
  if (::fstat(number_, &info) == 0 && S_ISREG(info.st_mode)) return;
  ::close(number_);
  throw DataError(text::concat(path, " is not a regular file, so it cannot be read again"));
}

OpenFile::~OpenFile() { ::close(number_); }

}  // namespace bootfold::data
