// Kernels for AVX2.
#include "paths/simd/body.h"

namespace bootfold::paths::simd {

const Kernels kAvx2 = kAll;

}  // namespace bootfold::paths::simd
