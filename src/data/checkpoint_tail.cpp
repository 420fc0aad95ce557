#include "data/checkpoint_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "bootfold/error.h"
#include "data/archive.h"
#include "text/concat.h"
#include "text/output_file.h"
#include "text/reason.h"

namespace bootfold::data {

namespace {

constexpr const char* kTailKind = "tail of a checkpoint";

/// A file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Writes all bytes from a place on, and waits until they are on the disk; 0 or the error.
int write_at(int file, std::uint64_t place, const std::string& bytes) {
  if (::ftruncate(file, static_cast<off_t>(place)) != 0) return errno;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        ::pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(place + at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    at += static_cast<std::size_t>(written);
  }
  return ::fsync(file) != 0 && errno != EINVAL && errno != EINTR ? errno : 0;
}

}  // namespace

bool is_not_a_tail(const std::string& path) {
  constexpr std::string_view kMagic = "BOOTFOLD";  // behind the length of the first record
  std::ifstream file(path, std::ios::binary);
  std::string begin(sizeof(std::uint64_t) + kMagic.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  const auto there = static_cast<std::size_t>(file.gcount());
  return there > sizeof(std::uint64_t) &&
         !kMagic.starts_with(
             std::string_view(begin).substr(0, there).substr(sizeof(std::uint64_t)));
}

CheckpointTail::CheckpointTail(const std::string& path) : path_(path + ".tail") {}

std::vector<TailRecord> CheckpointTail::read(const std::string& run, std::string& problem) {
  std::vector<TailRecord> records;
  size_ = 0;
  std::error_code error;
  const std::uint64_t all = std::filesystem::file_size(path_, error);
  if (error) return records;
  std::ifstream file(path_, std::ios::binary);
  std::uint64_t length = 0;
  // A record that is shorter than it says was being written when the process ended.
  while (all - size_ >= sizeof length &&
         file.read(reinterpret_cast<char*>(&length), sizeof length) &&
         length <= all - size_ - sizeof length) {
    try {
      std::string bytes(length, '\0');
      if (!file.read(bytes.data(), static_cast<std::streamsize>(length)))
        throw DataError("it cannot be read to its end");
      ArchiveReader reader(unframed(kTailKind, bytes));
      TailRecord record;
      reader(record);
      if (!reader.at_end()) reader.refuse();
      if (record.run != run) return records;
      records.push_back(std::move(record));
    } catch (const DataError& damage) {
      problem = text::concat("cannot read ", path_, " from byte ", size_, " on: ", damage.what());
      return records;
    }
    size_ += sizeof length + length;
  }
  return records;
}

void CheckpointTail::append(TailRecord& record) {
  ArchiveWriter writer;
  writer(record);
  std::string framed_record = framed(kTailKind, writer.take());
  std::uint64_t length = framed_record.size();
  ArchiveWriter whole;
  whole(length);
  const std::string bytes = whole.take() + framed_record;
  if (size_ == 0 && is_not_a_tail(path_))
    throw DataError(text::concat("cannot write ", path_,
                                 ": it is not the tail of a checkpoint; name another checkpoint, "
                                 "or move this file away"));
  const Descriptor file(path_);
  const int error = file.number() < 0 ? errno : write_at(file.number(), size_, bytes);
  if (error != 0) throw DataError(text::concat("cannot write ", path_, ": ", text::reason(error)));
  if (size_ == 0) text::sync_folder(path_);
  size_ += bytes.size();
}

}  // namespace bootfold::data
