// The inner loops of random streams, once for each instruction set.
//
// A kernel works on plain memory, is noexcept, and gives the same bits at every level: random words
// are integers, and the logarithms of weights are single IEEE operations in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"

namespace bootfold::random::simd {

/// State of sfc64 in eight lanes: a, b, c and the counter, word[i][lane].
struct alignas(64) LaneState {
  std::uint64_t word[4][8];
};

/// Key and counter of a Philox4x32-10 call.
struct Counter {
  std::uint32_t key[2];
  std::uint32_t word[4];
};

/// Rows whose weights come from one step of the lanes.
inline constexpr std::size_t kStepWeights = 16;

/// A weight is 2^20 times a draw of the law P(y > t) = 2^-t, which 30 bits do not take beyond 31.
inline constexpr std::uint32_t kMostWeight = (31U << 20) + 1;

struct Kernels {
  /// Fills the lanes from the 16 Philox calls at counter, counter + 1, ..., counter + 15.
  void (*seed)(const Counter& counter, LaneState& lanes) noexcept;

  /// The words of `steps` steps, eight each.
  void (*words)(LaneState& lanes, std::size_t steps, std::uint64_t* words) noexcept;

  /// Draws exponential weights as odd integers up to kMostWeight, kStepWeights rows a step; those
  /// behind `rows` up to the next multiple of kStepWeights are 0.
  void (*weights)(LaneState& lanes, std::size_t rows, std::uint32_t* weights) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; all but portable only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::random::simd
