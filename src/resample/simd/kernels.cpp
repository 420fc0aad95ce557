#include "resample/simd/kernels.h"

#include "simd/table.h"

namespace bootfold::resample::simd {

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon>(level);
}

}  // namespace bootfold::resample::simd
