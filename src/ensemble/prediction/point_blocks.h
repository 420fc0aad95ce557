// Points at which networks predict, in blocks of kPoints as the kernels read them.
#pragma once

#include <cstddef>
#include <vector>

#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// Transposes rows [row][column] to blocks [block][column][point]. The last row is repeated to fill
/// the last block.
void transpose_points(const float* rows, std::size_t count, std::size_t columns, float* out);

/// The same for one block of these rows, to [column][point].
void transpose_block(const float* rows, std::size_t count, std::size_t columns, std::size_t block,
                     float* out);

class PointBlocks {
 public:
  /// Copies rows [row][column].
  PointBlocks(const float* rows, std::size_t count, std::size_t columns);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] const float* block(std::size_t index) const noexcept {
    return values_.data() + index * simd::kPoints * columns_;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t blocks_;
  std::vector<float> values_;
};

}  // namespace bootfold::ensemble
