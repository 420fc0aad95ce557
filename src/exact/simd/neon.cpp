#include "exact/simd/body.h"

namespace bootfold::exact::simd {

const Kernels kNeon = {.sum_block = sum_block, .sum_cosines = sum_cosines};

}  // namespace bootfold::exact::simd
