// bootfold/ensemble/streaming.h: networks that are trained, used to predict and discarded.
//
//     auto streamed = ensemble::train_and_predict(examples, {.members = 1'000'000}, points);
//     streamed.prediction.mean[3];   // the mean of a million networks at point 3
//
// A member is the same to the bit as that of train() with the same seed and number.
#pragma once

#include <cstdint>
#include <string>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// The predictions of an ensemble whose members were discarded.
struct StreamedPrediction {
  Ensemble::Frame frame;
  Prediction prediction;           ///< at the points, by all members that did not fail
  Prediction out_of_bag;           ///< of the examples; of no rows if members use all of them
  std::uint64_t members = 0;       ///< members that were trained
  std::uint64_t failed = 0;        ///< members that diverged
  std::string failure = {};        ///< why the first of them diverged
  double loss = Member::kUnknown;  ///< of the last batch: mean over members that did not fail
  double held_out_loss = Member::kUnknown;  ///< mean of Member::held_out_loss
};

/// Trains members, adds their predictions at the points and at their out-of-bag rows to sums, and
/// discards them. Memory does not grow with the number of members. The sums take about 50 bytes for
/// each point, row and output, several times for each thread if Training::memory allows it, at
/// least twice. Conformal scores are those of the validation rows, if there are any, which must be
/// in memory; else those out of bag. Same bits for any number of threads and any memory. Throws as
/// train() does, and InvalidArgument if the memory is too small.
[[nodiscard]] BOOTFOLD_API StreamedPrediction train_and_predict(const Examples& examples,
                                                                const Training& training,
                                                                const DataView& points);

}  // namespace bootfold::ensemble
