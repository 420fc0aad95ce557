// The inner loops of networks, compiled once for each instruction set.
//
// All levels give the same bits: every sum runs over its terms in order, each product is fused with
// its addition, and lanes are never added. Only the number of lanes, which is the number of
// networks trained side by side, depends on the level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bootfold/ensemble/training.h"
#include "bootfold/execution.h"
#include "ensemble/shape.h"

namespace bootfold::ensemble::simd {

/// Rows that are handled in registers together.
inline constexpr std::size_t kBlock = 8;

/// Points that a network predicts together.
inline constexpr std::size_t kPoints = 64;

/// The loss of one target and the outputs that it is of, for targets that the kernels of
/// cross_entropy, squared_error and gaussian do not serve.
struct HeadLoss {
  Loss loss = Loss::squared_error;   ///< not multi_label and not mixed
  std::size_t output = 0;            ///< first output; gaussian has its log variance behind it
  float parameter = 0;               ///< huber: delta; binary: factor of the loss of 1
  std::span<const float> quantiles;  ///< pinball: one output for each
};

/// Whether the loss depends on the difference of the outputs alone, as that of two classes does.
/// Kernels then see one output, the second less the first, whose weights are the differences of
/// theirs: so a network with one thin hidden layer takes a third fewer multiplications. Its
/// gradient is that by the second output, and that by the first is its negative.
[[nodiscard]] inline bool has_contrast(const Shape& shape, Loss loss) {
  return loss == Loss::cross_entropy && shape.outputs() == 2;
}

/// A batch for a pack of networks. The inputs are given in one of three ways.
struct PackBatch {
  std::size_t rows = 0;
  const float* laned = nullptr;          ///< [row][input][lane]
  const float* shared = nullptr;         ///< [row][input], the same for all lanes
  const float* data = nullptr;           ///< [row of the data][input], taken at `index`
  const std::uint32_t* index = nullptr;  ///< [row][lane]: row of the data
  /// [row][target][lane]. Classes are numbers 0, 1, ... as floats; one target then.
  const float* targets = nullptr;
  const float* weights = nullptr;  ///< [row][lane]: share of a row in the loss
};

/// Dropout of a training step (ensemble/dropout.h), with a value for each lane of a pack, or one
/// for a network that is trained by itself.
struct Dropout {
  const std::uint32_t* add;
  const std::uint32_t* mix;
  const std::uint32_t* threshold;
  const float* scale;
};

/// Whether hidden layers are more than a product and an activation.
[[nodiscard]] inline bool is_extended(const Shape& shape, const Dropout* dropout) {
  return shape.normalizes || shape.adds_inputs || dropout != nullptr;
}

/// A pack of networks of one shape: parameter i of the network in lane l is at [i * lanes + l].
struct PackNetworks {
  const Shape* shape;
  Loss loss;
  float* parameters;
  float* gradient;
  float* scratch;                        ///< pack_scratch_size() vectors
  std::span<const HeadLoss> heads = {};  ///< of each target, if the loss is mixed
  const Dropout* dropout = nullptr;      ///< null: none
};

/// A layer of a network that is trained by itself. Rows of weights are padded to whole vectors of
/// any level.
struct PaddedLayer {
  std::size_t weights;  ///< [out][stride]
  std::size_t stride;
  std::size_t bias;
  std::size_t gain;
  std::size_t offset;
  std::size_t end;
};
inline constexpr std::size_t kPadding = 16;
inline constexpr std::size_t kMostPanel = 64;  ///< columns of a product that are made together
[[nodiscard]] constexpr std::size_t padded_size(std::size_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}
/// Distance between rows of `size` floats. Rows that are a power of two apart would share few sets
/// of the caches.
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
    at.gain = at.bias + padded_size(layer.out);
    at.offset = at.gain + (layer.normalized ? padded_size(layer.out) : 0);
    at.end = at.offset + (layer.normalized ? padded_size(layer.out) : 0);
    if (l == number) return at;
    at.weights = at.end;
  }
}
/// Floats of all parameters, padded; padding is never read.
[[nodiscard]] inline std::size_t padded_parameters(const Shape& shape) {
  return padded_layer(shape, shape.layers.size() - 1).end;
}

/// The share of one of several threads that work on a network together. Each of them calls the
/// kernel; they split the sums of every product, never the terms of a sum, so results do not depend
/// on their number.
struct Share {
  std::size_t thread = 0;
  std::size_t threads = 1;
  void (*wait)(void* barrier) = nullptr;
  void* barrier = nullptr;

  /// Returns when all threads have called it.
  void meet() const {
    if (threads > 1) wait(barrier);
  }
};

/// Items first .. last - 1 of a list.
struct Part {
  std::size_t first;
  std::size_t last;
};
/// Part `number` of `parts` even parts of `count` items, of which `together` stay together.
[[nodiscard]] constexpr Part part_of(std::size_t count, std::size_t number, std::size_t parts,
                                     std::size_t together) {
  const std::size_t groups = (count + together - 1) / together;
  const auto bound = [&](std::size_t i) {
    const std::size_t items = groups * i / parts * together;
    return items < count ? items : count;
  };
  return {bound(number), bound(number + 1)};
}
/// The rows of a batch that a thread transposes.
[[nodiscard]] constexpr Part rows_of(const Share& share, std::size_t rows) {
  return part_of(rows, share.thread, share.threads, kPadding);
}

/// A network that is trained by itself.
struct SoloNetwork {
  const Shape* shape;
  Loss loss;
  float* parameters;
  float* scratch;                        ///< solo_scratch_size()
  std::span<const HeadLoss> heads = {};  ///< as of a pack
  const Dropout* dropout = nullptr;      ///< null: none
  Share share = {};                      ///< of one thread if layers are extended
};

/// A batch for it. Rows are padded to whole vectors, with weight 0 and any targets.
struct SoloBatch {
  std::size_t rows = 0;
  const float* inputs = nullptr;   ///< [row][input], rows row_stride(inputs) apart
  const float* targets = nullptr;  ///< [target][row], padded_size(rows) apart
  const float* weights = nullptr;  ///< [row]
};

/// One step of an optimizer, with a value for each lane. Lanes that are not `live` are not changed.
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

/// Sums over members that share weights are made in so many parts, member m in part
/// m % kSharedParts, which are added in a fixed order.
inline constexpr std::size_t kSharedParts = 16;

/// The weights of one unit of a layer that members share: those of the networks are
/// weights[i] s r[i].
struct SharedRow {
  std::size_t in;
  const float* weights;  ///< [input]
  const float* r;        ///< [input][lane]
  const float* s;        ///< [lane]
};
/// Where the gradient by the weights of the networks leads.
struct SharedRowGradient {
  const float* networks;  ///< [input][lane]: by their weights
  float* by_r;            ///< [input][lane]: is added to
  float* by_s;            ///< [lane]
  float* parts;           ///< [input][part], from the part of the first lane on: is added to
};

/// Sums over networks at kPoints points.
struct ClassSums {
  float* last;     ///< [class][point]: what the last network adds
  double* sums;    ///< [class][point]
  double* counts;  ///< [point]: sum of the weights
};

/// How many sums are below an interval, and how many are in it.
struct SumsNear {
  std::size_t below;
  std::size_t within;
};

/// Some rows of some columns of a table. Values behind the last row, up to a multiple of 8, may be
/// any that are finite.
struct ColumnTile {
  static constexpr std::size_t kRows = 256;
  static constexpr std::size_t kColumns = 16;
  const double (*values)[kRows];  ///< [column][row]
  std::size_t columns;
  std::size_t rows;
};

/// What a training makes of the columns of its table.
struct ColumnKernels {
  /// sums[column] += value / rows, row by row, and the range of the values, widened.
  void (*add_means)(const ColumnTile& tile, double rows, double* sums, double* low,
                    double* high) noexcept;

  /// sums[column] += (value - mean)^2 / rows, row by row.
  void (*add_squares)(const ColumnTile& tile, double rows, const double* mean,
                      double* sums) noexcept;

  /// out[row * stride + column] = (value - mean) / scale.
  void (*standardize)(const ColumnTile& tile, const double* mean, const double* scale, float* out,
                      std::size_t stride) noexcept;

  /// sum = before * factors[0] + the sum over i of the bits of values[i] * factors[1 + i], over
  /// GF(2), of 128 bits; -0 counts as 0. Null where the processor has no instruction for it.
  void (*checksum)(const double* values, std::size_t count, const std::uint64_t* factors,
                   std::uint64_t before, std::uint64_t sum[2]) noexcept;
};

struct Kernels {
  std::size_t lanes;

  ColumnKernels columns;

  /// Gradient of the loss of a batch, and the loss itself to `loss[lane]`.
  void (*gradient)(const PackNetworks& pack, const PackBatch& batch, float* loss) noexcept;

  /// The loss alone.
  void (*loss)(const PackNetworks& pack, const PackBatch& batch, float* loss) noexcept;

  /// The same for one network; the loss of the batch is added to `loss`, row by row. Each thread
  /// has set the inputs of rows_of() its share. They must meet before the next call.
  void (*solo_loss)(const SoloNetwork& solo, const SoloBatch& batch, float* loss) noexcept;

  /// The gradient for the batch of the last solo_loss(); padding may have any value.
  void (*solo_gradient)(const SoloNetwork& solo, const SoloBatch& batch, float* gradient) noexcept;

  /// The same, but each parameter is updated as soon as its gradient is known.
  void (*solo_step)(const SoloNetwork& solo, const SoloBatch& batch, Optimizer rule,
                    const Update& update) noexcept;

  /// Sum of the squares of `count` gradient values of each lane, in 16 parts added in a fixed
  /// order.
  void (*squares)(const float* gradient, std::size_t count, float* sums) noexcept;

  /// Updates `count` parameters.
  void (*update)(Optimizer rule, const Update& update, const float* gradient, std::size_t count,
                 float* parameters) noexcept;

  /// Moves `count` running averages towards the parameters: a + rate (p - a), with a rate for each
  /// lane; at rate 1 they become the parameters.
  void (*average)(const float* rate, const float* parameters, std::size_t count,
                  float* averages) noexcept;

  /// The weights of the networks: networks[input][lane].
  void (*shared_weights)(const SharedRow& row, float* networks) noexcept;

  void (*shared_gradient)(const SharedRow& row, const SharedRowGradient& to) noexcept;

  /// The sum of the parts of `count` weights; `parts` has padded_size(count) of them.
  void (*add_shared_parts)(const float* parts, std::size_t count, float* sums) noexcept;

  /// Outputs of one network, with contiguous parameters, at kPoints points: inputs[input][point] to
  /// outputs[output][point]. Those of two classes are 0 and their difference (has_contrast()).
  /// `scratch` has points_scratch_size() floats.
  void (*predict_points)(const Shape& shape, Loss loss, const float* parameters,
                         const float* inputs, float* scratch, float* outputs) noexcept;

  /// The inputs of kPoints points: out[input][point] = data[rows[point]][input].
  void (*gather_points)(const float* data, std::size_t columns, const std::uint32_t* rows,
                        float* out) noexcept;

  /// Class probabilities, then the entropy, times the weight of the point.
  void (*sum_classes)(const float* outputs, std::size_t classes, const float* weights,
                      const ClassSums& sums) noexcept;

  /// sums[point] = sum of predicted[member * stride + point], for kPoints points, over the members
  /// whose bits are set, in their order.
  void (*sum_members)(const float* predicted, std::size_t stride, const std::uint64_t* bits,
                      std::size_t words, float* sums) noexcept;

  /// sums[i] = sign * means[i] + added[i]. Those in [low, high] are copied to `near`, which has
  /// room for all of them.
  SumsNear (*sums_near)(const float* means, const double* added, std::size_t count, double sign,
                        double low, double high, double* sums, double* near) noexcept;

  // Elementwise, for tests; `count` is a multiple of lanes.
  void (*exp)(const float* in, std::size_t count, float* out) noexcept;
  void (*log)(const float* in, std::size_t count, float* out) noexcept;
  void (*activate)(Activation activation, const float* in, std::size_t count, float* out,
                   float* slope) noexcept;
};

/// Floats of PackNetworks::scratch for each lane.
[[nodiscard]] std::size_t pack_scratch_size(const Shape& shape);
/// Where the contrast of two classes and its gradient lie in it, behind all else.
[[nodiscard]] std::size_t pack_contrast_place(const Shape& shape);

/// Floats of `scratch` of Kernels::predict_points.
[[nodiscard]] std::size_t points_scratch_size(const Shape& shape);

/// Floats of it for the contrast of two classes, in front of all else.
[[nodiscard]] inline std::size_t solo_contrast_size(const Shape& shape) {
  return shape.outputs() == 2 ? row_stride(shape.layers.back().in) + kPadding : 0;
}
/// Floats of SoloNetwork::scratch for batches of up to `rows` rows and so many threads.
[[nodiscard]] std::size_t solo_scratch_size(const Shape& shape, std::size_t rows,
                                            std::size_t threads);

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;
/// The same for a pack of `members`: narrower vectors are faster if most lanes would idle.
[[nodiscard]] const Kernels& kernels(execution::Level level, std::size_t members) noexcept;

extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::ensemble::simd
