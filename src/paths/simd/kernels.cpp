#include "paths/simd/kernels.h"

#include "simd/table.h"

namespace bootfold::paths::simd {

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon>(level);
}

}  // namespace bootfold::paths::simd
