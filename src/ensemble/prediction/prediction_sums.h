// Many networks at many points, folded into a prediction.
#pragma once

#include <span>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// What members said of kPoints points, summed in the order in which they were asked.
///
/// Classes: probabilities and entropy. Targets: values, their squares, and variances if members
/// tell them.
class Fold {
 public:
  Fold(Loss loss, std::size_t outputs);

  /// Asks one member; weights[point] is 0 where it must not speak, else 1. `scratch` grows as
  /// needed; it is not kept here because there may be a fold for each of many blocks of points.
  void add(const simd::Kernels& kernels, const Shape& shape, const float* parameters,
           const float* inputs, const float* weights, std::vector<float>& scratch);

  /// Probabilities that the last member gave, [class][point]; 0 where it did not speak.
  [[nodiscard]] const float* last() const noexcept { return last_.data(); }
  /// Outputs of the last member, [output][point].
  [[nodiscard]] const float* last_outputs() const noexcept { return outputs_.data(); }

  void merge(const Fold& later);

  /// Writes points 0 .. points - 1 as rows first, first + 1, ... of a prediction.
  void finish(const Ensemble::Frame& frame, std::size_t first, std::size_t points,
              Prediction& out) const;

 private:
  Loss loss_;
  std::size_t answers_;  // classes, or targets
  std::vector<float> outputs_;
  std::vector<float> last_;
  std::vector<double> sums_;     // [answer][point], then entropy; or values
  std::vector<double> squares_;  // of targets
  std::vector<double> spreads_;  // variances told by members
  std::vector<double> counts_;   // [point]
};

/// What the networks of a frame put out: of a Gaussian loss two numbers for each target.
[[nodiscard]] std::size_t outputs_of(const Ensemble::Frame& frame) noexcept;

/// Room for the rows of a prediction.
[[nodiscard]] Prediction empty_prediction(Loss loss, std::size_t rows, std::size_t answers);

/// Of each target: variance round what others say of a row, less what they disagree among
/// themselves.
[[nodiscard]] std::vector<double> noise_of(const Prediction& said, const DataView& targets);

/// Finds that variance from rows that judges did not learn from, keeps it in the frame and puts it
/// into what was said, where the networks do not tell it themselves.
void find_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& said);

/// Rows [row][column] to blocks [block][column][point]; points behind the last row repeat it.
void transpose_points(const float* rows, std::size_t count, std::size_t columns, float* out);

}  // namespace bootfold::ensemble
