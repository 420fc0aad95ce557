// One step of drawing row numbers in registers of AVX-512, for the kernels of later modules.
#pragma once

#include <immintrin.h>

#include "random/simd/lanes_avx512.h"
#include "resample/simd/row_step.h"

namespace bootfold::resample::simd {
namespace {

/// The 16 row numbers of a step, and which of them are rejected.
struct RowStep {
  __m512i rows;
  __mmask16 rejected;

  RowStep(random::simd::Generator& generator, const RowDraw& draw) {
    const random::simd::Products products(generator(),
                                          _mm512_set1_epi32(static_cast<int>(draw.rows)));
    rows = products.high;
    rejected =
        _mm512_cmplt_epu32_mask(products.low, _mm512_set1_epi32(static_cast<int>(draw.reject)));
  }

  [[nodiscard]] bool any_rejected() const { return rejected != 0; }

  void store_rows(std::uint32_t* out) const { _mm512_storeu_si512(out, rows); }

  /// out[i] is 0 where draw i counts.
  void store_rejected(std::uint32_t* out) const {
    _mm512_storeu_si512(out, _mm512_maskz_set1_epi32(rejected, 1));
  }
};

}  // namespace

}  // namespace bootfold::resample::simd
