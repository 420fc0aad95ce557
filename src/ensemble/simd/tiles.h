// Loops over tiles of sums that must stay in registers.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "bootfold/ensemble/network.h"
#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble::simd {
namespace {

constexpr std::size_t kLanes = Vector::kLanes;

// g++ keeps an array in registers only if all subscripts are constants before it optimizes loops,
// so the loops over tiles are folds over constants.
#define BOOTFOLD_INLINE __attribute__((always_inline))

/// Calls body(0), body(1), ..., body(kTimes - 1) with constants.
template <std::size_t kTimes, class Body>
BOOTFOLD_INLINE inline void repeat(Body&& body) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) BOOTFOLD_INLINE {
    (body(std::integral_constant<std::size_t, kIndex>{}), ...);
  }
  (std::make_index_sequence<kTimes>{});
}

/// Calls body(so_far), where so_far(at) is the gradient at `at`; 0 if it starts here.
template <class Body>
BOOTFOLD_INLINE inline void with_gradient(bool starts, Body&& body) {
  if (starts)
    body([](const float*) BOOTFOLD_INLINE { return Vector::zero(); });
  else
    body([](const float* at) BOOTFOLD_INLINE { return Vector::load(at); });
}

/// Calls body.operator()<kActivation>() for an activation that is known only now.
template <class Body>
inline void with_activation(Activation activation, Body&& body) {
  switch (activation) {
    case Activation::relu:
      return body.template operator()<Activation::relu>();
    case Activation::tanh:
      return body.template operator()<Activation::tanh>();
    case Activation::gelu:
      return body.template operator()<Activation::gelu>();
    case Activation::silu:
      return body.template operator()<Activation::silu>();
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
