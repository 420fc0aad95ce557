// bootfold/ensemble/streaming.h: networks that are trained, asked and discarded.
//
//     auto folded = ensemble::fold(examples, {.members = 1'000'000, .epochs = 50}, points);
//     folded.prediction.mean[3];      // what a million networks say of point 3
//
//     auto result = ensemble::bootstrap_predictions(examples, {.members = 2000}, points);
//     auto limits = interval::bca(result, {.output = 3});   // of what a network says of point 3
//
// A member is that of train() with the same seed and number, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// What is left of an ensemble whose members are gone.
struct Folded {
  Ensemble::Frame frame;
  Prediction prediction;           ///< at the points, by all members of use
  Prediction out_of_bag;           ///< of the examples, if members leave some out; else of no rows
  std::uint64_t members = 0;       ///< trained
  std::uint64_t failed = 0;        ///< of them of no use
  std::string failure = {};        ///< why the first of those is not
  double loss = Member::kUnknown;  ///< of the last batch, the mean over members of use
  double held_out_loss = Member::kUnknown;  ///< the same of Member::held_out_loss
};

/// Trains, asks every member about the points and about the rows it did not see, adds up what it
/// says and forgets it. Memory does not grow with members; what is summed takes about 50 bytes for
/// each point, row and output, a few times for each thread, or as often as Training::memory has
/// room for, at least twice. The same bits for any number of threads and any memory. Throws as
/// train() does, and InvalidArgument where the memory is too small for two.
[[nodiscard]] BOOTFOLD_API Folded fold(const Examples& examples, const Training& training,
                                       const DataView& points);

/// The bootstrap of a network: "train on this resample, then predict at these points" is the
/// statistic, and member k makes replicate k. Intervals come from the result as from any other.
///
/// A replicate has a value for each point and class or target, [point][output]; that of a member
/// that diverged is not a number. Replicate k learns from the rows that any other statistic is
/// given in replicate k on path gather. The estimates are the mean of 16 networks that learn from
/// all rows, with the first weights of members 0 to 15, so that chance in one network's first
/// weights does not move the centre. For BCa the influence of each row is found from how its count
/// goes with the replicates (docs/ensemble-intervals.md): no further networks are trained. Where
/// there are too few members to tell it, the influence says so.
///
/// Needs resampling bootstrap or bayesian and one settings; throws InvalidArgument otherwise.
[[nodiscard]] BOOTFOLD_API Result bootstrap_predictions(const Examples& examples,
                                                        const Training& training,
                                                        const DataView& points);

}  // namespace bootfold::ensemble
