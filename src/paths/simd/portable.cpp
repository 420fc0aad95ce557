// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include "paths/simd/body.h"

namespace bootfold::paths::simd {

const Kernels kPortable = kAll;

}  // namespace bootfold::paths::simd
