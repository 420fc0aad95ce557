#include "ensemble/training/initialize.h"

#include <algorithm>
#include <cmath>

#include "bootfold/random.h"

namespace bootfold::ensemble {

namespace {

/// A normal number within two standard deviations.
double cut_normal(random::Stream& stream) {
  for (;;) {
    const double z = random::normal(stream);
    if (std::abs(z) < 2) return z;
  }
}

}  // namespace

void initialize(const Shape& shape, Initializer initializer, const MemberId& id,
                std::span<float> parameters) {
  // A normal variable cut at two standard deviations has this standard deviation.
  constexpr double kCutDeviation = 0.87962566103423978;
  random::Stream stream({id.seed, id.number, random::Purpose::first_weights});
  for (const Layer& layer : shape.layers) {
    const auto in = static_cast<double>(layer.in);
    const auto out = static_cast<double>(layer.out);
    const std::span<float> weights = parameters.subspan(layer.weights, layer.in * layer.out);
    switch (initializer) {
      case Initializer::lecun:
        for (float& weight : weights)
          weight = static_cast<float>(cut_normal(stream) / (kCutDeviation * std::sqrt(in)));
        break;
      case Initializer::glorot:
        for (float& weight : weights)
          weight =
              static_cast<float>((2 * random::uniform(stream) - 1) * std::sqrt(6 / (in + out)));
        break;
      case Initializer::he:
        for (float& weight : weights)
          weight = static_cast<float>(random::normal(stream) * std::sqrt(2 / in));
        break;
    }
    std::ranges::fill(parameters.subspan(layer.bias, layer.out), 0.0F);
    if (!layer.normalized) continue;
    std::ranges::fill(parameters.subspan(layer.gain, layer.out), 1.0F);
    std::ranges::fill(parameters.subspan(layer.offset, layer.out), 0.0F);
  }
}

}  // namespace bootfold::ensemble
