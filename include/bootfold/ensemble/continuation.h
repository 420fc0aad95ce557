// bootfold/ensemble/continuation.h: trainings that go on, reports of epochs, other parameters.
//
//     Training training{.epochs = 10, .keep_optimizer = true};
//     auto ensemble = ensemble::train(examples, training);
//     training.start = &ensemble;
//     auto longer = ensemble::train(examples, training);   // to the bit that of 20 epochs
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

class Ensemble;  // ensemble.h

/// The state of an optimizer after the last step of a member. Parts of it are empty if the
/// optimizer does not have them.
struct OptimizerState {
  std::vector<float> first = {};   ///< first moments, or velocities of sgd
  std::vector<float> second = {};  ///< second moments
  double power1 = 1;               ///< beta1^steps
  double power2 = 1;               ///< beta2^steps
  /// With Settings::average, the parameters that are averaged; otherwise empty.
  std::vector<float> parameters = {};
  double average_power = 1;  ///< average^steps

  [[nodiscard]] bool empty() const noexcept { return first.empty(); }
};

/// An epoch of a member (Training::epoch_done).
struct MemberEpoch {
  std::size_t settings = 0;  ///< index in Training::settings
  std::uint64_t number = 0;  ///< of the member among those with these settings
  std::uint64_t epoch = 0;   ///< epochs of this training that are complete; the last may be partial
  std::uint64_t step = 0;    ///< steps, including those of earlier trainings
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< mean of the batches of the epoch
  /// Last loss on the validation rows, or without them on the rows that the member is not trained
  /// on; NaN if there are none. With early stopping it is that of the last validation.
  double held_out_loss = std::numeric_limits<double>::quiet_NaN();
};

/// The ensemble with other parameters, [member][parameter], such as those that another program
/// trained. Nobody knows on which rows: losses, noise of targets, out-of-bag predictions and the
/// temperature are discarded, and the resampling becomes `none`. Members whose parameters are all
/// unchanged are no exception unless all members are, in which case the ensemble is returned as it
/// is. Throws InvalidArgument if the numbers of members or parameters differ, or if a parameter is
/// not finite.
[[nodiscard]] BOOTFOLD_API Ensemble
with_parameters(const Ensemble& ensemble, const std::vector<std::vector<float>>& parameters);

}  // namespace bootfold::ensemble
