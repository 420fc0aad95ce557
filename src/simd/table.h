// The choice among the tables of kernels that a module has, one for each instruction set. Only the
// sources of the library include this: BOOTFOLD_X86_KERNELS is defined there alone.
#pragma once

#include "bootfold/execution.h"

namespace bootfold::simd {

/// The table of `level`, which must be available. Builds for other processors than x86-64 have the
/// portable table only and never touch the two others.
template <const auto& kPortable, const auto& kAvx2, const auto& kAvx512>
[[nodiscard]] const auto& table([[maybe_unused]] execution::Level level) noexcept {
#if defined(BOOTFOLD_X86_KERNELS)
  if (level == execution::Level::avx512) return kAvx512;
  if (level == execution::Level::avx2) return kAvx2;
#endif
  return kPortable;
}

}  // namespace bootfold::simd
