// Kernels for AVX-512.
#include "paths/simd/body.h"

namespace bootfold::paths::simd {

const Kernels kAvx512 = kAll;

}  // namespace bootfold::paths::simd
