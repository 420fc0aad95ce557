#include "exact/simd/kernels.h"

#include "simd/table.h"

namespace bootfold::exact::simd {

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon>(level);
}

}  // namespace bootfold::exact::simd
