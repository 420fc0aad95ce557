// Products over GF(2) with the instruction that AVX2 processors have.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble::simd {
namespace {

__attribute__((target("avx2,pclmul"))) void checksum(const double* values, std::size_t count,
                                                     const std::uint64_t* factors,
                                                     std::uint64_t before,
                                                     std::uint64_t sum[2]) noexcept {
  const auto pair = [](const void* from) __attribute__((target("avx2,pclmul"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const auto word = [](std::uint64_t bits) __attribute__((target("avx2,pclmul"))) {
    return _mm_cvtsi64_si128(static_cast<long long>(bits));
  };
  __m128i sums[2] = {_mm_clmulepi64_si128(word(before), word(*factors), 0x00), _mm_setzero_si128()};
  ++factors;
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    // -0 is 0
    const __m128i two = _mm_castpd_si128(_mm_add_pd(_mm_loadu_pd(values + i), _mm_setzero_pd()));
    const __m128i by = pair(factors + i);
    sums[0] = _mm_xor_si128(sums[0], _mm_clmulepi64_si128(two, by, 0x00));
    sums[1] = _mm_xor_si128(sums[1], _mm_clmulepi64_si128(two, by, 0x11));
  }
  if (i < count) {
    const __m128i one = _mm_castpd_si128(_mm_add_sd(_mm_load_sd(values + i), _mm_setzero_pd()));
    sums[0] = _mm_xor_si128(sums[0], _mm_clmulepi64_si128(one, word(factors[i]), 0x00));
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(sum), _mm_xor_si128(sums[0], sums[1]));
}

}  // namespace
}  // namespace bootfold::ensemble::simd
