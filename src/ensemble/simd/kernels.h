// The inner loops of networks, once for each instruction set.
//
// All levels give the same bits: every sum runs over its terms in order, each product is fused with
// its addition, and lanes never meet. Only the number of lanes, which is the number of networks
// trained side by side, belongs to the level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/ensemble/training.h"
#include "bootfold/execution.h"
#include "ensemble/shape.h"

namespace bootfold::ensemble::simd {

/// Rows that are handled in registers together.
inline constexpr std::size_t kBlock = 8;

/// Points that a network is asked about together.
inline constexpr std::size_t kPoints = 64;

/// A batch for a pack of networks. One of the ways to name inputs is used.
struct Batch {
  std::size_t rows = 0;
  const float* laned = nullptr;          ///< [row][input][lane]
  const float* shared = nullptr;         ///< [row][input], the same for all lanes
  const float* data = nullptr;           ///< [row of the data][input], taken at `index`
  const std::uint32_t* index = nullptr;  ///< [row][lane]: row of the data
  /// [row][target][lane]. Classes are numbers 0, 1, ... as floats; one target then.
  const float* targets = nullptr;
  const float* weights = nullptr;  ///< [row][lane]: share of a row in the loss
};

/// A pack of networks of one shape: parameter i of the network in lane l is at [i * lanes + l].
struct Pack {
  const Shape* shape;
  Loss loss;
  float* parameters;
  float* gradient;
  float* scratch;  ///< scratch_size() vectors
};

/// A layer of a single network, whose rows of weights are padded to whole vectors of any level.
struct PaddedLayer {
  std::size_t weights;  ///< [out][stride]
  std::size_t stride;
  std::size_t bias;
};
inline constexpr std::size_t kPadding = 16;
inline constexpr std::size_t kMostPanel = 64;  ///< columns of a product that are made together
[[nodiscard]] constexpr std::size_t padded_size(std::size_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}
/// Floats between rows of so many: rows that are a power of two apart would fall into few sets of the
/// caches.
[[nodiscard]] constexpr std::size_t row_stride(std::size_t size) {
  constexpr std::size_t kCrowded = 128;
  const std::size_t padded = padded_size(size);
  return padded % kCrowded == 0 ? padded + kPadding : padded;
}
[[nodiscard]] inline PaddedLayer padded_layer(const Shape& shape, std::size_t number) {
  PaddedLayer at{};
  for (std::size_t l = 0;; ++l) {
    const Layer& layer = shape.layers[l];
    at.stride = row_stride(layer.in);
    at.bias = at.weights + layer.out * at.stride;
    if (l == number) return at;
    at.weights = at.bias + padded_size(layer.out);
  }
}
/// Floats of all parameters, padded; padding is never read.
[[nodiscard]] inline std::size_t padded_parameters(const Shape& shape) {
  const PaddedLayer last = padded_layer(shape, shape.layers.size() - 1);
  return last.bias + padded_size(shape.outputs());
}

/// One network on its own.
struct Single {
  const Shape* shape;
  Loss loss;
  float* parameters;
  float* scratch;  ///< single_scratch_size()
};

/// A batch for it; behind the last row, to whole vectors, weights are 0 and targets are anything.
struct SingleBatch {
  std::size_t rows = 0;
  const float* inputs = nullptr;   ///< [row][input], rows row_stride(inputs) apart
  const float* targets = nullptr;  ///< [target][row], padded_size(rows) apart
  const float* weights = nullptr;  ///< [row]
};

/// One step of an optimizer, a value for each lane; lanes that are not `live` stay as they are.
struct Update {
  const float* rate;        ///< learning rate, with the bias correction of the first moment
  const float* correction;  ///< 1 / sqrt of the bias correction of the second moment
  const float* decay;       ///< weight decay
  const float* scale;       ///< of the gradient: below 1 where it is clipped
  const float* beta1;       ///< SGD: momentum
  const float* beta2;
  const float* epsilon;
  const float* live;  ///< 1 or 0
  float* first;       ///< moments; SGD: velocity
  float* second;
};

struct Kernels {
  std::size_t lanes;

  /// Gradient of the loss of a batch, and the loss itself to `loss[lane]`.
  void (*gradient)(const Pack& pack, const Batch& batch, float* loss) noexcept;

  /// The loss alone.
  void (*loss)(const Pack& pack, const Batch& batch, float* loss) noexcept;

  /// The same for a single network; the loss of the batch is added to `loss`, row by row.
  void (*single_loss)(const Single& single, const SingleBatch& batch, float* loss) noexcept;

  /// The gradient for a batch whose loss was asked for last; padding is anything.
  void (*single_gradient)(const Single& single, const SingleBatch& batch, float* gradient) noexcept;

  /// The same, but parameters move at once, each when its gradient is known.
  void (*single_step)(const Single& single, const SingleBatch& batch, Optimizer rule,
                      const Update& update) noexcept;

  /// Sum of the squares of `count` gradient values of each lane, in 16 parts added in a fixed order.
  void (*squares)(const float* gradient, std::size_t count, float* sums) noexcept;

  /// A step for `count` parameters.
  void (*update)(Optimizer rule, const Update& update, const float* gradient, std::size_t count,
                 float* parameters) noexcept;

  /// What one network, parameters one after another, says of kPoints points: inputs[input][point] to
  /// outputs[output][point]. `scratch` has room for points_scratch_size().
  void (*at_points)(const Shape& shape, const float* parameters, const float* inputs,
                    float* scratch, float* outputs) noexcept;

  /// Adds probabilities of classes, and behind them the entropy, times the weight of the point, to
  /// sums[class][point].
  void (*fold_classes)(const float* outputs, std::size_t classes, const float* weights,
                       float* sums) noexcept;

  // For tests and for callers that fold predictions: elementwise, `count` a multiple of lanes.
  void (*exp)(const float* in, std::size_t count, float* out) noexcept;
  void (*log)(const float* in, std::size_t count, float* out) noexcept;
  void (*activate)(Activation activation, const float* in, std::size_t count, float* out,
                   float* slope) noexcept;
};

/// Floats of Pack::scratch for each lane.
[[nodiscard]] std::size_t scratch_size(const Shape& shape);

/// Floats of Single::scratch for batches of up to so many rows.
[[nodiscard]] std::size_t points_scratch_size(const Shape& shape);
[[nodiscard]] std::size_t single_scratch_size(const Shape& shape, std::size_t rows);

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;

}  // namespace bootfold::ensemble::simd
