// The choice among the tables of kernels that a module has, one for each instruction set. Only the
// sources of the library include this: BOOTFOLD_X86_KERNELS and BOOTFOLD_ARM_KERNELS are defined
// there alone.
#pragma once

#include "bootfold/execution.h"

namespace bootfold::simd {

/// The table of `level`, which must be available. A build has the portable table and those of its
/// own processors, and never touches the others. Where the dot product extension of ARM is of no
/// use, level dotprod has the table of level neon.
template <const auto& kPortable, const auto& kAvx2, const auto& kAvx512, const auto& kNeon,
          const auto& kDotprod = kNeon>
[[nodiscard]] const auto& table([[maybe_unused]] execution::Level level) noexcept {
#if defined(BOOTFOLD_X86_KERNELS)
  if (level == execution::Level::avx512) return kAvx512;
  if (level == execution::Level::avx2) return kAvx2;
#elif defined(BOOTFOLD_ARM_KERNELS)
  if (level == execution::Level::dotprod) return kDotprod;
  if (level == execution::Level::neon) return kNeon;
#endif
  return kPortable;
}

}  // namespace bootfold::simd
