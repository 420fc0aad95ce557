// bootfold/ensemble/selection.h: compares the settings of a sweep and selects members.
//
//     for (const SettingsSummary& summary : ensemble::summarize_settings(sweep)) ...
//     auto best = ensemble::best(sweep, 50, examples);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// Mean and standard deviation over members.
struct MemberAverage {
  double mean = Member::kUnknown;
  double deviation = Member::kUnknown;  ///< standard deviation; NaN for fewer than 2 members
};

/// The members with the same settings.
struct SettingsSummary {
  std::size_t settings = 0;  ///< index in Ensemble::Frame::settings
  std::size_t members = 0;
  std::size_t failed = 0;  ///< members that failed; the averages below leave them out
  MemberAverage steps;
  MemberAverage loss;
  MemberAverage held_out_loss;  ///< NaN if members have neither validation nor out-of-bag rows
};

/// One summary for each of the settings, in their order.
[[nodiscard]] BOOTFOLD_API std::vector<SettingsSummary> summarize_settings(
    const Ensemble& ensemble);

/// Out-of-bag predictions of the training rows, `examples`, for an ensemble that was loaded from a
/// file or selected from another. Throws InvalidArgument if these are not the training rows, or if
/// members are trained on all rows.
[[nodiscard]] BOOTFOLD_API Prediction out_of_bag(const Ensemble& ensemble, const Examples& examples,
                                                 const Execution& execution = {});

/// The `count` members with the lowest held-out loss, in their order, at temperature 1. Out-of-bag
/// prediction and noise of targets are computed for these members, if they leave rows out.
/// `examples` are the training examples. Scores on the rows of the selection are slightly
/// optimistic.
[[nodiscard]] BOOTFOLD_API Ensemble best(const Ensemble& ensemble, std::size_t count,
                                         const Examples& examples, const Execution& execution = {});

/// Joins ensembles that were trained with the same options but for Training::members and
/// first_member. Members are ordered by settings, then by part, and are the same to the bit as
/// those of one training. Out-of-bag prediction and noise are computed for all; the temperature
/// is 1. Throws InvalidArgument for parts that do not belong together or contain the same member.
[[nodiscard]] BOOTFOLD_API Ensemble join(std::span<const Ensemble> parts, const Examples& examples,
                                         const Execution& execution = {});

}  // namespace bootfold::ensemble
