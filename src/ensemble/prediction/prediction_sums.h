// Sums of the predictions of many networks at many points.
#pragma once

#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/heads.h"
#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// Sums over members at a block of kPoints points, in the order in which members are added.
///
/// Classes: probabilities and entropy. Targets: values, squares (entropies of targets of 0 and 1),
/// and variances if the networks predict them. Values are outputs of the networks, or in the units
/// of the target where a mean of outputs would not be the mean of predictions (Head::in_units).
class BlockSums {
 public:
  /// The heads must outlive the sums.
  explicit BlockSums(const Heads& heads);

  /// Adds one member; weights[point] is 0 where its prediction does not count, otherwise 1.
  /// `scratch` grows as needed; it is not a member because there can be many blocks.
  void add(const simd::Kernels& kernels, const Shape& shape, const float* parameters,
           const float* inputs, const float* weights, std::vector<float>& scratch);

  [[nodiscard]] const Heads& heads() const noexcept { return *heads_; }

  /// Where the outputs of a network at the points go before add_predicted(), [output][point].
  [[nodiscard]] float* network_outputs() noexcept;
  /// Adds one member whose outputs are there.
  void add_predicted(const simd::Kernels& kernels, const float* weights);

  /// Probabilities of the last member, [class][point]; 0 where its weight was 0.
  [[nodiscard]] const float* last_probabilities() const noexcept { return last_.data(); }
  /// Outputs of the last member, [output][point].
  [[nodiscard]] const float* last_outputs() const noexcept { return outputs_.data(); }

  void merge(const BlockSums& later);

  /// Writes points 0 .. points - 1 as rows first, first + 1, ... of a prediction.
  void finish(const Ensemble::Frame& frame, std::size_t first, std::size_t points,
              Prediction& out) const;

 private:
  void add_targets(const float* weights);
  void add_value(const Head& head, double output, std::size_t at);
  void finish_classes(const Ensemble::Frame& frame, std::size_t point, std::size_t row,
                      Prediction& out) const;
  void finish_target(const Ensemble::Frame& frame, std::size_t target, std::size_t point,
                     std::size_t row, Prediction& out) const;

  const Heads* heads_;
  std::size_t answers_;  // classes, or columns of targets
  std::vector<float> outputs_;
  std::vector<float> last_;
  std::vector<double> sums_;       // [answer][point]: probabilities, then entropy; or values
  std::vector<double> squares_;    // of targets
  std::vector<double> variances_;  // that the networks predict
  std::vector<double> inner_;      // outputs of transformed targets
  std::vector<double> inner_squares_;
  std::vector<double> counts_;  // [point]: members
};

/// Sums at any number of points, one entry for each block.
using PredictionSums = std::vector<BlockSums>;

/// Bytes of the sums at `points` points.
[[nodiscard]] constexpr std::size_t bytes_of_sums(std::size_t points,
                                                  std::size_t outputs) noexcept {
  return points * (outputs * 48 + 24);
}

/// Adds the sums of later members.
void merge(PredictionSums& sums, PredictionSums&& later);

/// Writes the prediction of all points as rows first, first + 1, ...
void finish(const PredictionSums& sums, const Ensemble::Frame& frame, std::size_t first,
            Prediction& prediction);

/// The prediction of all points; without members all values are NaN.
[[nodiscard]] Prediction finish(const PredictionSums& sums, const Ensemble::Frame& frame,
                                std::size_t rows);

/// Inputs of a network: the columns of the encoded inputs.
[[nodiscard]] std::size_t network_inputs(const Ensemble::Frame& frame) noexcept;

/// A prediction of `rows` rows, to be filled in.
[[nodiscard]] Prediction empty_prediction(const Heads& heads, std::size_t rows);

}  // namespace bootfold::ensemble
