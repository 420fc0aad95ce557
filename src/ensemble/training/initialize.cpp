#include "ensemble/training/initialize.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bootfold/random.h"

namespace bootfold::ensemble {

namespace {

/// The numbers of random::normal(), made some at a time, which is faster.
class Normals {
 public:
  explicit Normals(const random::StreamId& id) : stream_(id) {}

  double operator()() {
    if (next_ == some_.size()) {
      random::normals(stream_, some_);
      next_ = 0;
    }
    return some_[next_++];
  }

  /// The next one that is within two standard deviations.
  double cut() {
    for (;;) {
      const double z = (*this)();
      if (std::abs(z) < 2) return z;
    }
  }

 private:
  random::Stream stream_;
  std::array<double, 64> some_;
  std::size_t next_ = 64;
};

}  // namespace

void initialize(const Shape& shape, Initializer initializer, const MemberId& id,
                std::span<float> parameters) {
  // A normal variable cut at two standard deviations has this standard deviation.
  constexpr double kCutDeviation = 0.87962566103423978;
  const random::StreamId name{id.seed, id.number, random::Purpose::first_weights};
  Normals normal(name);
  random::Stream stream(name);
  for (const Layer& layer : shape.layers) {
    const auto in = static_cast<double>(layer.in);
    const auto out = static_cast<double>(layer.out);
    const std::span<float> weights = parameters.subspan(layer.weights, layer.in * layer.out);
    switch (initializer) {
      case Initializer::lecun:
        for (float& weight : weights)
          weight = static_cast<float>(normal.cut() / (kCutDeviation * std::sqrt(in)));
        break;
      case Initializer::glorot:
        for (float& weight : weights)
          weight =
              static_cast<float>((2 * random::uniform(stream) - 1) * std::sqrt(6 / (in + out)));
        break;
      case Initializer::he:
        for (float& weight : weights) weight = static_cast<float>(normal() * std::sqrt(2 / in));
        break;
    }
    std::ranges::fill(parameters.subspan(layer.bias, layer.out), 0.0F);
  }
}

}  // namespace bootfold::ensemble
