// An array of numbers that is not initialised, for tables that random look-ups go to: on Linux in
// huge pages where it is large, which spares page faults and misses of the address cache.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bootfold::execution {

template <class T>
class LargeArray {
  static_assert(std::is_trivial_v<T>);

 public:
  LargeArray() = default;
  /// The values are not set.
  explicit LargeArray(std::size_t size) : size_(size) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t bytes = size * sizeof(T);
    // Small arrays need not take whole pages of this size.
    const std::size_t alignment = bytes >= 8 * kHugePage ? kHugePage : 64;
    data_.reset(static_cast<T*>(
        std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)));
    if (data_ == nullptr && bytes > 0) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == kHugePage) madvise(data_.get(), bytes, MADV_HUGEPAGE);  // or not: no matter
#endif
  }

  [[nodiscard]] T* data() noexcept { return data_.get(); }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  struct Free {
    void operator()(T* data) const noexcept { std::free(data); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace bootfold::execution
