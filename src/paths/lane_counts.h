// Counts of eight replicates side by side, for walks over the rows in another order than theirs: a
// row that is looked up serves all eight.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "execution/large_array.h"
#include "paths/entry.h"
#include "paths/simd/kernels.h"
#include "resample/counting.h"

namespace bootfold::paths {

class LaneCounts {
 public:
  LaneCounts(const resample::Counting& counting, const simd::Kernels& kernels);

  /// Draws the counts of the replicates first .. first + lanes - 1.
  void draw(std::uint64_t first, std::size_t lanes, const execution::Worker& worker);

  /// The counts, [row][lane]; those of lanes that were not drawn are any.
  [[nodiscard]] const std::uint8_t* data() const noexcept { return counts_.data(); }

  /// The draws of each replicate; of lanes that were not drawn 0.
  [[nodiscard]] const std::array<std::uint64_t, simd::kLanes>& draws() const noexcept {
    return draws_;
  }

  /// Whether a question has counts that fit: of single rows, in bytes.
  [[nodiscard]] static bool suits(const Question& question);

  // Of what the counts of a thread take, and what all threads share.
  [[nodiscard]] static std::size_t thread_bytes(const Question& question);
  [[nodiscard]] static std::size_t shared_bytes(const Question& question);

 private:
  const resample::Counting& counting_;
  const simd::Kernels& kernels_;
  resample::CountMaker maker_;
  std::size_t stride_;
  std::vector<std::uint8_t> drawn_;             // [lane][row of a piece]
  execution::LargeArray<std::uint8_t> counts_;  // [row][lane]
  std::array<std::uint64_t, simd::kLanes> draws_{};
};

}  // namespace bootfold::paths
