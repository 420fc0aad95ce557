// An array of floats that is aligned and padded for vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace bootfold::ensemble {

class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t size = 0) { resize(size); }

  /// Sets the size; all values become 0.
  void resize(std::size_t size) {
    constexpr std::size_t kAlign = 64;
    const std::size_t bytes = (size * sizeof(float) + kAlign) / kAlign * kAlign;
    data_.reset(static_cast<float*>(std::aligned_alloc(kAlign, bytes)));
    if (!data_) throw std::bad_alloc();
    std::fill_n(data_.get(), bytes / sizeof(float), 0.0F);
  }

  [[nodiscard]] float* data() noexcept { return data_.get(); }
  [[nodiscard]] const float* data() const noexcept { return data_.get(); }
  float& operator[](std::size_t i) { return data_.get()[i]; }
  float operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(float* data) const noexcept { std::free(data); }  // NOLINT
  };
  std::unique_ptr<float, Free> data_;
};

}  // namespace bootfold::ensemble
