// The heads of a network: for each target its loss, the outputs that it uses and the columns of a
// prediction that come from them.
#pragma once

#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// One target.
struct Head {
  Loss loss;            // of this target: never multi_label or mixed
  std::size_t output;   // first output of the network
  std::size_t spread;   // gaussian: the output of the logarithm of the variance
  std::size_t answer;   // first column of the prediction
  std::size_t answers;  // columns of the prediction
  double mean;          // of the scaling of the target
  double scale;
  const FittedTransform* transform;  // null: none

  /// Whether members are summed in the units of the target instead of those of the network.
  [[nodiscard]] bool in_units() const noexcept {
    return transform != nullptr || loss == Loss::poisson;
  }
  /// The prediction in the units of the target, of an output of the network.
  [[nodiscard]] double value(double network_output) const noexcept;
  /// The same of a value on the scale of the transformed target.
  [[nodiscard]] double inverse(double transformed) const noexcept {
    return transform == nullptr ? transformed : transform->inverse(transformed);
  }
};

/// Not for classes of cross_entropy, which have none.
class Heads {
 public:
  explicit Heads(const Ensemble::Frame& frame);
  Heads(const Heads&) = delete;  // losses refer to quantiles
  Heads& operator=(const Heads&) = delete;

  /// The loss that the kernels are asked for; mixed if they need losses().
  [[nodiscard]] Loss kernel_loss() const noexcept { return kernel_loss_; }
  [[nodiscard]] const std::vector<simd::HeadLoss>& losses() const noexcept { return losses_; }
  [[nodiscard]] const std::vector<Head>& targets() const noexcept { return targets_; }
  [[nodiscard]] const std::vector<double>& quantiles() const noexcept { return quantiles_; }
  [[nodiscard]] bool classifies() const noexcept { return classifies_; }
  [[nodiscard]] bool transforms() const noexcept { return !transforms_.empty(); }
  /// Outputs of a network.
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  /// Columns of a prediction: classes, or those of all targets.
  [[nodiscard]] std::size_t answers() const noexcept { return answers_; }

 private:
  bool classifies_;
  Loss kernel_loss_;
  std::size_t outputs_ = 0;
  std::size_t answers_ = 0;
  std::vector<double> quantiles_;
  std::vector<float> kernel_quantiles_;
  std::vector<FittedTransform> transforms_;
  std::vector<Head> targets_;
  std::vector<simd::HeadLoss> losses_;
};

/// Sets the names of classes or targets, their losses and the options of these.
void set_targets(const Examples& examples, const Training& training, Ensemble::Frame& frame);

/// The loss of a target.
[[nodiscard]] Loss loss_of_target(const Ensemble::Frame& frame, std::size_t target) noexcept;

}  // namespace bootfold::ensemble
