// The loss of the last layer and its gradient, and backpropagation through an activation.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <span>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/several.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// Calls body.operator()<kLoss>() for a loss that is known only now: all that have no kernels of
/// their own are losses of heads, Loss::mixed.
template <class Body>
inline void with_loss(Loss loss, Body&& body) {
  switch (loss) {
    case Loss::cross_entropy:
      return body.template operator()<Loss::cross_entropy>();
    case Loss::squared_error:
      return body.template operator()<Loss::squared_error>();
    case Loss::gaussian:
      return body.template operator()<Loss::gaussian>();
    default:
      return body.template operator()<Loss::mixed>();
  }
}

/// Rows whose costs are made side by side.
constexpr std::size_t kCosts = 4;

/// Cross-entropy of two classes, of kRows rows that are contiguous, from the differences of their
/// outputs, which are replaced by the gradient.
template <std::size_t kRows>
BOOTFOLD_INLINE inline Several<kRows> cost_of_contrast(const float* target, Several<kRows> weight,
                                                       float* output) {
  using Rows = Several<kRows>;
  const Rows z = Rows::load(output);
  const Rows none = Rows::zero();
  const Rows one = Rows::all(1.0F);
  const Rows opposite = none - z;
  const Rows lower = exponential_of_lower(min(z, opposite));  // e^-|z|; NaN stays NaN
  const Rows share = weight / (one + lower);
  const auto is_first = equal(Rows::load(target), none);
  fused(select(less(z, none), lower, one), share, none - select(is_first, none, weight))
      .store(output);
  return weight * (log_one_plus(lower) + max(none, select(is_first, z, opposite)));
}

/// The Huber loss: e^2 / 2 up to delta, and linear beyond it.
inline Vector huber_cost(Vector delta, Vector target, Vector share, float* output) {
  const Vector error = Vector::load(output) - target;
  const Vector held = min(delta, max(Vector::zero() - delta, error));
  (share * held).store(output);
  return held * fused_minus(Vector::all(0.5F), held, error);
}

/// The pinball losses of the quantiles, mean over them.
inline Vector pinball_cost(std::span<const float> quantiles, Vector target, Vector share,
                           float* output, std::size_t step) {
  const Vector count = Vector::all(static_cast<float>(quantiles.size()));
  const Vector each = share / count;
  Vector sum = Vector::zero();
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const Vector above = Vector::all(quantiles[i]);
    const Vector below = above - Vector::all(1.0F);
    const Vector error = target - Vector::load(output + i * step);
    sum = sum + max(above * error, below * error);
    (each * (Vector::zero() - select(less(Vector::zero(), error), above, below)))
        .store(output + i * step);
  }
  return sum / count;
}

/// Negative log-likelihood of a count without its constant: rate - count log(rate).
inline Vector poisson_cost(Vector target, Vector share, float* output) {
  const Vector logarithm = Vector::load(output);
  const Vector rate = exp(logarithm);
  (share * (rate - target)).store(output);
  return fused_minus(target, logarithm, rate);
}

/// Cross-entropy of a target of 0 or 1 after a sigmoid; that of 1 is multiplied by a factor.
inline Vector binary_cost(Vector factor_of_one, Vector target, Vector share, float* output) {
  const Vector z = Vector::load(output);
  const Vector one = Vector::all(1.0F);
  const Vector none = Vector::zero();
  const Vector lower = exp(none - max(z, none - z));  // e^-|z|
  const Vector larger = one / (one + lower);
  const Vector sigmoid = select(less(z, none), lower * larger, larger);
  const auto is_one = equal(target, one);
  const Vector factor = select(is_one, factor_of_one, one);
  (share * factor * (sigmoid - target)).store(output);
  // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|); the second argument of max is kept if it is NaN.
  return factor * (log(one + lower) + max(none, select(is_one, none - z, z)));
}

/// (s + (y - m)^2 e^-s) / 2 of a mean and the logarithm of a variance.
inline Vector gaussian_cost(Vector target, Vector share, float* output, std::size_t step) {
  const Vector half = Vector::all(0.5F);
  const Vector spread = Vector::load(output + step);
  const Vector error = Vector::load(output) - target;
  const Vector precise = error * exp(Vector::zero() - spread);
  const Vector ratio = error * precise;
  (share * precise).store(output);
  (share * half * (Vector::all(1.0F) - ratio)).store(output + step);
  return half * (spread + ratio);
}

/// The mean over targets of their losses, chosen target by target. One copy for all activations.
__attribute__((noinline)) Vector cost_of_heads(std::span<const HeadLoss> heads, const float* target,
                                               std::size_t target_step, Vector weight,
                                               float* output, std::size_t step) {
  const Vector share = weight / Vector::all(static_cast<float>(heads.size()));
  Vector sum = Vector::zero();
  for (std::size_t t = 0; t < heads.size(); ++t) {
    const HeadLoss& head = heads[t];
    const Vector wanted = Vector::load(target + t * target_step);
    const Vector parameter = Vector::all(head.parameter);
    float* at = output + head.output * step;
    switch (head.loss) {
      case Loss::huber:
        sum = sum + huber_cost(parameter, wanted, share, at);
        break;
      case Loss::pinball:
        sum = sum + pinball_cost(head.quantiles, wanted, share, at, step);
        break;
      case Loss::poisson:
        sum = sum + poisson_cost(wanted, share, at);
        break;
      case Loss::binary:
        sum = sum + binary_cost(parameter, wanted, share, at);
        break;
      case Loss::gaussian:
        sum = sum + gaussian_cost(wanted, share, at, step);
        break;
      default: {  // squared_error
        const Vector error = Vector::load(at) - wanted;
        sum = fused(error, error, sum);
        (Vector::all(2.0F) * share * error).store(at);
      }
    }
  }
  return share * sum;
}

/// The loss of a row. Outputs are replaced by their deltas, the gradient of the loss. Outputs are
/// `step` apart, targets `target_step`. `heads` are those of Loss::mixed. One output of
/// cross_entropy is a contrast.
template <Loss kLoss>
inline Vector cost(std::size_t outputs, const float* target, std::size_t target_step, Vector weight,
                   float* output, std::size_t step, std::span<const HeadLoss> heads) {
  if constexpr (kLoss == Loss::mixed) {
    return cost_of_heads(heads, target, target_step, weight, output, step);
  } else if constexpr (kLoss == Loss::cross_entropy) {
    if (outputs == 1) return cost_of_contrast<1>(target, {{weight}}, output).v[0];
    Vector highest = Vector::load(output);
    for (std::size_t c = 1; c < outputs; ++c)
      highest = max(highest, Vector::load(output + c * step));
    const Vector label = Vector::load(target);
    Vector sum = Vector::zero();
    Vector chosen = Vector::zero();
    for (std::size_t c = 0; c < outputs; ++c) {
      const Vector z = Vector::load(output + c * step) - highest;
      const Vector grown = exp(z);
      sum = sum + grown;
      chosen = select(equal(label, Vector::all(static_cast<float>(c))), z, chosen);
      grown.store(output + c * step);
    }
    const Vector share = weight / sum;
    for (std::size_t c = 0; c < outputs; ++c) {
      const Vector hit =
          select(equal(label, Vector::all(static_cast<float>(c))), weight, Vector::zero());
      (fused(Vector::load(output + c * step), share, Vector::zero() - hit))
          .store(output + c * step);
    }
    return weight * (log(sum) - chosen);
  } else if constexpr (kLoss == Loss::squared_error) {
    // The mean over the outputs.
    const Vector share = weight / Vector::all(static_cast<float>(outputs));
    Vector sum = Vector::zero();
    for (std::size_t c = 0; c < outputs; ++c) {
      const Vector error = Vector::load(output + c * step) - Vector::load(target + c * target_step);
      sum = fused(error, error, sum);
      (Vector::all(2.0F) * share * error).store(output + c * step);
    }
    return share * sum;
  } else {
    // Outputs are means, then logarithms of variances: (s + (y - m)^2 e^-s) / 2, mean over targets.
    const std::size_t targets = outputs / 2;
    const Vector half = Vector::all(0.5F);
    const Vector share = weight / Vector::all(static_cast<float>(targets));
    Vector sum = Vector::zero();
    for (std::size_t c = 0; c < targets; ++c) {
      const Vector mean = Vector::load(output + c * step);
      const Vector spread = Vector::load(output + (targets + c) * step);
      const Vector error = mean - Vector::load(target + c * target_step);
      const Vector precise = error * exp(Vector::zero() - spread);
      const Vector ratio = error * precise;
      sum = fused(half, spread + ratio, sum);
      (share * precise).store(output + c * step);
      (share * half * (Vector::all(1.0F) - ratio)).store(output + (targets + c) * step);
    }
    return share * sum;
  }
}

/// The delta of a unit with this value, given the sum that reaches it from the next layer.
template <Activation kActivation>
inline Vector back_through(Vector sum, Vector value, const float* slope) {
  if constexpr (kActivation == Activation::relu) return keep(less(Vector::zero(), value), sum);
  return sum * slope_of<kActivation>(value, slope);
}

}  // namespace
}  // namespace bootfold::ensemble::simd
