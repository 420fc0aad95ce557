// The inner loops of the exact laws, one table for each instruction set; all give the same bits.
#pragma once

#include <cstddef>

#include "bootfold/execution.h"

namespace bootfold::exact::simd {

inline constexpr std::size_t kLanes = 8;   // fixed: sums depend on it
inline constexpr std::size_t kBlock = 32;  // nodes that follow from one sine
inline constexpr std::size_t kRun = 128;   // rows at a time

/// exp(i k t) - 1 of up to kRun rows, for the first k of a block and for k = 1.
struct Waves {
  std::size_t rows = 0;  // a multiple of kLanes
  alignas(64) double real[kRun] = {};
  alignas(64) double imaginary[kRun] = {};
  alignas(64) double real1[kRun] = {};
  alignas(64) double imaginary1[kRun] = {};
  alignas(64) double weights[kRun] = {};
};

/// Cosines of pairs at two neighbouring places and the factor that leads to the next.
struct Cosines {
  double* now;
  double* next;
  const double* factor;
  std::size_t size;  // a multiple of kLanes
};

struct Kernels {
  /// Weighted sums over the rows for each node of a block.
  void (*sum_block)(const Waves& waves, double* real, double* imaginary);
  /// Sum of |cos| at the present place; goes on to the next.
  double (*sum_cosines)(const Cosines& cosines);
};

/// The table for this level.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::exact::simd
