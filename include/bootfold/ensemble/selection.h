// bootfold/ensemble/selection.h: which settings of a sweep did well, and an ensemble of the best members.
//
//     for (const Standing& standing : ensemble::standings(sweep)) ...
//     auto best = ensemble::best(sweep, 50, examples);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// A number over members.
struct Spread {
  double mean = Member::kUnknown;
  double deviation = Member::kUnknown;  ///< standard deviation over members; NaN of fewer than 2
};

/// How the members with the same settings did.
struct Standing {
  std::size_t settings = 0;  ///< number among Ensemble::Frame::settings
  std::size_t members = 0;
  std::size_t failed = 0;  ///< of them; they do not count below
  Spread steps;
  Spread loss;
  Spread held_out_loss;  ///< NaN where members see every row and none validates them
};

/// One for each of the settings, in their order.
[[nodiscard]] BOOTFOLD_API std::vector<Standing> standings(const Ensemble& ensemble);

/// What members say of the rows they never saw, of those that it was trained on: for an ensemble
/// that was loaded, or chosen from another. Throws InvalidArgument where the rows are not as many
/// or members saw all of them.
[[nodiscard]] BOOTFOLD_API Prediction out_of_bag(const Ensemble& ensemble, const Examples& examples,
                                                 const Execution& execution = {});

/// The `count` members of the lowest held-out loss, in their order, with an out-of-bag prediction
/// (and noise of targets) of their own, if members leave rows out, at temperature 1. `examples` are those of the
/// training. Scores on the rows that they were chosen by are a little too good.
[[nodiscard]] BOOTFOLD_API Ensemble best(const Ensemble& ensemble, std::size_t count,
                                         const Examples& examples, const Execution& execution = {});

/// One ensemble of members that were trained in several goes: the same but for Training::members
/// and first_member. Settings by settings in the order of the parts, the same members to the bit
/// as of one go; out-of-bag prediction and noise are made anew, the temperature is 1. Throws InvalidArgument for parts
/// that do not belong together or share a member.
[[nodiscard]] BOOTFOLD_API Ensemble join(std::span<const Ensemble> parts, const Examples& examples,
                                         const Execution& execution = {});

}  // namespace bootfold::ensemble
