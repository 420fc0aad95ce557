// Normal draws by a ziggurat of 256 layers (Marsaglia and Tsang 2000), each layer, sign and
// position from bits of their own (Doornik 2005). docs/random-streams.md is the definition.
#include <array>
#include <cmath>

#include "bootfold/random.h"
#include "numeric/elementary.h"

namespace bootfold::random {

namespace {

/// The curve exp(-x^2 / 2), x >= 0, covered by layers of equal area: layer 0 holds the tail beyond
/// kTail, and layer i >= 1 is the rectangle of width edge[i] between the heights of edge[i] and of
/// edge[i + 1].
class Ziggurat {
 public:
  Ziggurat() noexcept {
    edge_[1] = kTail;
    height_[1] = numeric::exp(-0.5 * kTail * kTail);
    edge_[0] = kArea / height_[1];  // as wide as a rectangle of the area of layer 0 would be
    for (std::size_t i = 2; i < kLayers; ++i) {
      height_[i] = height_[i - 1] + kArea / edge_[i - 1];
      edge_[i] = std::sqrt(-2 * numeric::log(height_[i]));
    }
    edge_[kLayers] = 0;
    height_[kLayers] = 1;
  }

  [[nodiscard]] double operator()(Stream& stream) const noexcept {
    for (;;) {
      const std::uint64_t word = stream();
      const std::size_t layer = word % kLayers;
      const double x = unit(word) * edge_[layer];
      const double sign = word & kLayers ? -1 : 1;
      if (x < edge_[layer + 1]) return sign * x;  // 99 of 100
      if (layer == 0) return sign * beyond_tail(stream);
      const double y = height_[layer] + unit(stream()) * (height_[layer + 1] - height_[layer]);
      if (y < numeric::exp(-0.5 * x * x)) return sign * x;
    }
  }

 private:
  static constexpr std::size_t kLayers = 256;
  static constexpr double kTail = 0x1.d3bb48209ad33p+1;  // 3.654: the last edge is then 0
  static constexpr double kArea = 0x1.43016a5a43732p-8;  // of each layer

  /// As uniform(): the first 52 bits of a word.
  static double unit(std::uint64_t word) noexcept {
    return static_cast<double>(word >> 12) * 0x1p-52 + 0x1p-53;
  }

  /// A normal variable that is known to be beyond kTail (Marsaglia 1964).
  static double beyond_tail(Stream& stream) noexcept {
    for (;;) {
      const double above = exponential(stream) / kTail;
      if (2 * exponential(stream) > above * above) return kTail + above;
    }
  }

  std::array<double, kLayers + 1> edge_;    // falling
  std::array<double, kLayers + 1> height_;  // of the curve at the edge; that of 0 is not used
};

}  // namespace

double normal(Stream& stream) {
  static const Ziggurat draw;
  return draw(stream);
}

}  // namespace bootfold::random
