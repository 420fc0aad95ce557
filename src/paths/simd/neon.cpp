// Kernels for NEON: the shared body, vectorised by the compiler.
#include "paths/simd/body.h"

namespace bootfold::paths::simd {

const Kernels kNeon = kAll;

}  // namespace bootfold::paths::simd
