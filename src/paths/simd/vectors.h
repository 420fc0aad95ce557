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

/// Doubles of a register. Compilers take vectors that are wider than that apart into single
/// numbers.
#if defined(__AVX512F__)
constexpr std::size_t kOfRegister = 8;
#elif defined(__AVX__)
constexpr std::size_t kOfRegister = 4;
#else
constexpr std::size_t kOfRegister = 2;
#endif
using Register = double __attribute__((vector_size(8 * kOfRegister)));
using Integers = std::int32_t __attribute__((vector_size(4 * kOfRegister)));

/// A double for each lane.
struct Doubles {
  static constexpr std::size_t kRegisters = kLanes / kOfRegister;
  Register parts[kRegisters];

  template <class Operation>
  static Doubles of(const Operation& operation) {
    Doubles made;
    for (std::size_t k = 0; k < kRegisters; ++k) made.parts[k] = operation(k);
    return made;
  }
  static Doubles all(double value) {
    return of([&](std::size_t) { return Register{} + value; });
  }
  friend Doubles operator+(const Doubles& a, const Doubles& b) {
    return of([&](std::size_t k) { return a.parts[k] + b.parts[k]; });
  }
  friend Doubles operator-(const Doubles& a, const Doubles& b) {
    return of([&](std::size_t k) { return a.parts[k] - b.parts[k]; });
  }
  friend Doubles operator*(const Doubles& a, const Doubles& b) {
    return of([&](std::size_t k) { return a.parts[k] * b.parts[k]; });
  }
  friend Doubles operator/(const Doubles& a, const Doubles& b) {
    return of([&](std::size_t k) { return a.parts[k] / b.parts[k]; });
  }
  friend Doubles operator*(double a, const Doubles& b) {
    return of([&](std::size_t k) { return a * b.parts[k]; });
  }
  Doubles& operator+=(const Doubles& other) { return *this = *this + other; }
};

inline Doubles smaller(const Doubles& a, const Doubles& b) {
  return Doubles::of(
      [&](std::size_t k) { return a.parts[k] < b.parts[k] ? a.parts[k] : b.parts[k]; });
}

inline Doubles larger(const Doubles& a, const Doubles& b) {
  return Doubles::of(
      [&](std::size_t k) { return a.parts[k] < b.parts[k] ? b.parts[k] : a.parts[k]; });
}

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
#if defined(__AVX512F__)
  return {{_mm512_cvtepi32_pd(reinterpret_cast<__m256i>(words))}};
#elif defined(__AVX2__)  // compilers take it apart into two and two
  const auto all = reinterpret_cast<__m256i>(words);
  return {{_mm256_cvtepi32_pd(_mm256_castsi256_si128(all)),
           _mm256_cvtepi32_pd(_mm256_extracti128_si256(all, 1))}};
#else
  std::int32_t integers[kLanes];
  std::memcpy(integers, &words, sizeof words);
  return Doubles::of([&](std::size_t k) {
    return __builtin_convertvector(load<Integers>(integers + k * kOfRegister), Register);
  });
#endif
}

/// Rows lie anywhere: those of places further on are fetched meanwhile.
constexpr std::size_t kAhead = 64;

inline Longs wide(const Words& words) { return __builtin_convertvector(words, Longs); }

/// Rows of a block, which has sums of its own: within it 32 bits are enough for products of counts,
/// (255 * 256)^2 < 2^32, and sums of doubles round less.
constexpr std::size_t kBlock = 512;

}  // namespace
}  // namespace bootfold::paths::simd
