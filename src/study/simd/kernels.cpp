#include "study/simd/kernels.h"

#include "simd/table.h"

namespace bootfold::study::simd {

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon, kDotprod>(level);
}

}  // namespace bootfold::study::simd
