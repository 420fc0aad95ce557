#include "exact/simd/body.h"

namespace bootfold::exact::simd {

const Kernels kPortable = {.sum_block = sum_block, .sum_cosines = sum_cosines};

}  // namespace bootfold::exact::simd
