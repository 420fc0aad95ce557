// Vectors of the compiler for eight replicates side by side. Everything has internal linkage,
// because the files of this folder compile it with flags of their own.
#pragma once

#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "paths/simd/kernels.h"

namespace bootfold::paths::simd {
namespace {

using Bytes = std::uint8_t __attribute__((vector_size(kLanes)));
using Words = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using Longs = std::uint64_t __attribute__((vector_size(8 * kLanes)));
using Signed = std::int32_t __attribute__((vector_size(4 * kLanes)));
using Doubles = double __attribute__((vector_size(8 * kLanes)));

template <class Vector>
inline Vector load(const void* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Vector>
inline void store(const Vector& value, void* to) {
  std::memcpy(to, &value, sizeof value);
}

inline Words widened(const std::uint8_t* counts) {
#if defined(__AVX2__)  // which compilers do not find by themselves
  return reinterpret_cast<Words>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(counts))));
#else
  return __builtin_convertvector(load<Bytes>(counts), Words);
#endif
}

/// Words below 2^31 as doubles, which compilers convert from signed integers at best.
inline Doubles numbers(const Words& words) {
  return __builtin_convertvector(reinterpret_cast<Signed>(words), Doubles);
}

/// Rows lie anywhere: those of places further on are fetched meanwhile.
constexpr std::size_t kAhead = 64;

inline Longs wide(const Words& words) { return __builtin_convertvector(words, Longs); }

/// Rows of a block, which has sums of its own: within it 32 bits are enough for products of counts,
/// (255 * 256)^2 < 2^32, and sums of doubles round less.
constexpr std::size_t kBlock = 512;

}  // namespace
}  // namespace bootfold::paths::simd
