// One step of an optimizer.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// Calls body.operator()<kRule>() for an optimizer that is known only now.
template <class Body>
inline void with_rule(Optimizer rule, Body&& body) {
  switch (rule) {
    case Optimizer::adam:
      return body.template operator()<Optimizer::adam>();
    case Optimizer::adamw:
      return body.template operator()<Optimizer::adamw>();
    case Optimizer::sgd:
      return body.template operator()<Optimizer::sgd>();
  }
}

/// The numbers of an update in registers.
template <Optimizer kRule>
class Step {
 public:
  explicit Step(const Update& u)
      : rate_(Vector::load(u.rate)),
        correction_(Vector::load(u.correction)),
        decay_(Vector::load(u.decay)),
        scale_(Vector::load(u.scale)),
        beta1_(Vector::load(u.beta1)),
        beta2_(Vector::load(u.beta2)),
        epsilon_(Vector::load(u.epsilon)),
        live_(less(Vector::zero(), Vector::load(u.live))),
        first_(u.first),
        second_(u.second) {}

  /// Asks for what take() will need at `i`.
  BOOTFOLD_INLINE inline void fetch(const float* parameters, std::size_t i) const {
    __builtin_prefetch(parameters + i, 1);
    __builtin_prefetch(first_ + i, 1);
    if constexpr (kRule != Optimizer::sgd) __builtin_prefetch(second_ + i, 1);
  }

  /// Moves the vector of parameters at `i`, given its gradient. kAll: all lanes are live.
  template <bool kAll>
  BOOTFOLD_INLINE inline void take(Vector gradient, float* parameters, std::size_t i) const {
    const Vector one = Vector::all(1.0F);
    const Vector p = Vector::load(parameters + i);
    Vector g = gradient * scale_;
    if constexpr (kRule != Optimizer::adamw) g = fused(decay_, p, g);
    const Vector m = Vector::load(first_ + i);
    Vector next;
    if constexpr (kRule == Optimizer::sgd) {
      const Vector velocity = fused(beta1_, m, g);
      next = fused_minus(rate_, velocity, p);
      live<kAll>(velocity, m).store(first_ + i);
    } else {
      const Vector v = Vector::load(second_ + i);
      const Vector first = fused(beta1_, m, (one - beta1_) * g);
      const Vector second = fused(beta2_, v, (one - beta2_) * g * g);
      const Vector slope = first / fused(sqrt(second), correction_, epsilon_);
      next = fused_minus(rate_, slope, p);
      // AdamW decays by the plain learning rate, which stands behind `decay` already.
      if constexpr (kRule == Optimizer::adamw) next = fused_minus(decay_, p, next);
      live<kAll>(first, m).store(first_ + i);
      live<kAll>(second, v).store(second_ + i);
    }
    live<kAll>(next, p).store(parameters + i);
  }

 private:
  template <bool kAll>
  BOOTFOLD_INLINE inline Vector live(Vector moved, Vector old) const {
    if constexpr (kAll)
      return moved;
    else
      return select(live_, moved, old);
  }

  Vector rate_;
  Vector correction_;
  Vector decay_;
  Vector scale_;
  Vector beta1_;
  Vector beta2_;
  Vector epsilon_;
  decltype(less(Vector{}, Vector{})) live_;
  float* first_;
  float* second_;
};

void update(Optimizer rule, const Update& u, const float* gradient, std::size_t count,
            float* parameters) noexcept {
  with_rule(rule, [&]<Optimizer kRule>() {
    const Step<kRule> step(u);
    const auto all = [&]<bool kAll>() {
      for (std::size_t i = 0; i < count * kLanes; i += kLanes)
        step.template take<kAll>(Vector::load(gradient + i), parameters, i);
    };
    if (std::all_of(u.live, u.live + kLanes, [](float live) { return live > 0; }))
      all.template operator()<true>();
    else
      all.template operator()<false>();
  });
}

void average(const float* rate, const float* parameters, std::size_t count,
             float* averages) noexcept {
  const Vector part = Vector::load(rate);
  const auto some = less(part, Vector::all(1.0F));
  for (std::size_t i = 0; i < count * kLanes; i += kLanes) {
    const Vector p = Vector::load(parameters + i);
    const Vector a = Vector::load(averages + i);
    select(some, fused(part, p - a, a), p).store(averages + i);
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
