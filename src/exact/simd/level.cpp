#include "exact/simd/kernels.h"

namespace bootfold::exact::simd {

const Kernels& kernels(execution::Level level) {
#if defined(BOOTFOLD_X86_KERNELS)
  if (level == execution::Level::avx512) return kAvx512;
  if (level == execution::Level::avx2) return kAvx2;
#endif
  static_cast<void>(level);
  return kPortable;
}

}  // namespace bootfold::exact::simd
