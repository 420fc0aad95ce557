// data/storage.h: what a Table owns: growing buffers, or a mapped file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::data {

/// Values of one column, appended one by one. Grows by realloc, which moves pages instead of
/// copying values once the buffer is large, so there is no moment with two copies in memory.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer();

  template <class T>
  void push(T value) {
    if (capacity_ - size_ < sizeof value) resize(capacity_ < kSmallest ? kSmallest : 2 * capacity_);
    std::memcpy(bytes_ + size_, &value, sizeof value);
    size_ += sizeof value;
  }

  /// Adds `bytes` bytes of any contents and returns where they begin.
  [[nodiscard]] std::byte* extend(std::size_t bytes) {
    if (capacity_ - size_ < bytes) resize(std::max({kSmallest, 2 * capacity_, size_ + bytes}));
    size_ += bytes;
    return bytes_ + size_ - bytes;
  }

  /// Gives back the room that is not used.
  void shrink();

  [[nodiscard]] const std::byte* bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kSmallest = std::size_t{1} << 16;
  void resize(std::size_t capacity);  // throws std::bad_alloc

  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A whole file mapped for reading.
class Mapping {
 public:
  Mapping() = default;
  /// Throws DataError if `path` cannot be opened, is not a regular file or is empty.
  explicit Mapping(const std::string& path);
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(file_, other.file_);
    std::swap(modified_, other.modified_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~Mapping();

  /// Throws DataError if the size of the file, or the time of its last change, is another than when
  /// it was opened.
  void check_unchanged() const;

  [[nodiscard]] const std::byte* bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  int file_ = -1;           // open, so that it is the same file also when another takes its name
  timespec modified_ = {};  // time of the last change
  std::string path_;
};

/// The memory that a table owns.
struct Storage {
  std::vector<Buffer> buffers;
  Mapping mapping;
  std::vector<std::shared_ptr<const void>> owners;  ///< of what others own
};

/// The members of a table. The readers of files fill them in and call table().
struct TableParts {
  std::vector<std::string> names;
  DataView view;
  std::vector<std::size_t> omitted_rows;
  std::shared_ptr<const Storage> storage;
  std::size_t bytes = 0;  ///< of the values, without the labels
  std::vector<Labels> labels;
  std::vector<Texts> texts;
  std::string note = {};
  std::size_t filtered = 0;

  [[nodiscard]] Table table() && { return Table(std::move(*this)); }
};

}  // namespace bootfold::data
