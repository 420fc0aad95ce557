// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include "random/simd/body.h"

namespace bootfold::random::simd {

const Kernels kPortable = {.seed = seed_lanes, .words = draw_words, .weights = draw_weights};

}  // namespace bootfold::random::simd
