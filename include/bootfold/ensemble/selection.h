// bootfold/ensemble/selection.h: compares the settings of a sweep and selects members.
//
//     for (const SettingsSummary& summary : ensemble::summarize_settings(sweep)) ...
//     auto selection = ensemble::select(sweep, examples);
//     selection.other_rows.loss;   // of rows that did not select
//     auto kept = ensemble::keep(sweep, selection.members, examples);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
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

/// How select() selects members.
enum class SelectionRule {
  /// Greedy forward selection without replacement: the next member is the one that lowers the loss
  /// of the ensemble the most, and the number of members is that of the lowest loss.
  greedy,
  best,  ///< the members with the lowest held-out losses
};

/// The name as users write it.
[[nodiscard]] BOOTFOLD_API std::string_view name(SelectionRule rule) noexcept;
/// Throws InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API SelectionRule parse_selection_rule(std::string_view name);

struct SelectionOptions {
  static constexpr std::size_t kFolds = 5;  ///< of rows, for Selection::other_rows

  SelectionRule rule = SelectionRule::greedy;
  /// Members to select: with `greedy` at most; with `best` as many, or all that rows can judge.
  std::size_t count = 100;
  /// Rows that judge members, in place of those that each member is not trained on. The validation
  /// rows of the training, if it had any.
  const Examples* validation = nullptr;
  /// That of the training. Rows that stopped members do not judge them. An automatic patience
  /// counts as early stopping.
  Stopping stopping = {};
  Execution execution = {};
};

/// The mean loss of an ensemble over rows: negative log-likelihood of classes, squared error in
/// units of the scaled targets, or the loss of the targets that it was trained with.
struct SelectionScore {
  double loss = Member::kUnknown;
  double standard_error = Member::kUnknown;  ///< of the mean over rows
  std::uint64_t rows = 0;
};

/// Members that were selected.
struct Selection {
  std::vector<std::size_t> members = {};  ///< indices, in the order in which they were selected
  /// The rows are cut into SelectionOptions::kFolds folds, and each fold is scored by members that
  /// were selected by the others. So this estimates the loss on new rows, of a selection by
  /// somewhat fewer rows.
  SelectionScore other_rows = {};
  /// The selected members on the rows of `other_rows`, which selected them: optimistic.
  SelectionScore same_rows = {};
  /// All members on the rows of `other_rows`, which did not select them.
  SelectionScore all_members = {};
  /// The mean of what each row of `other_rows` gains or loses by the selection: the difference to
  /// `all_members`, negative if the selection pays.
  SelectionScore difference = {};
  /// [fold]: the members that the other folds select, with which keep() makes conformal scores.
  std::vector<std::vector<std::size_t>> without_fold = {};
  bool validation = false;  ///< whether validation rows judged the members
  /// Whether rows that judged the members also stopped them early, so that all scores are
  /// optimistic. Not with Stopping::share_of_rows below 1.
  bool stopped_members = false;
};

/// Selects members by rows that they are not trained on. With `greedy`, members are added in rounds
/// of one member of each number. Members with the same number are trained on the same rows, so that
/// those that compete are judged by the same rows; the loss is compared after whole rounds, when
/// each row is judged by equally many selected members of each number that leaves it out. With
/// validation rows all members compete for each place.
///
/// Uses the predictions that Training::keep_held_out kept, and else makes them. `examples` are the
/// training examples. Memory: 8 bytes for each row that judges and each number of a prediction, and
/// what keep_held_out says. Throws InvalidArgument if no rows can judge members.
[[nodiscard]] BOOTFOLD_API Selection select(const Ensemble& ensemble, const Examples& examples,
                                            const SelectionOptions& options = {});

/// An ensemble of these members, in their order in `ensemble`, at temperature 1. Unlike
/// Ensemble::subset(), it has the out-of-bag prediction and the noise of targets of these members,
/// if they leave rows out, and conformal scores: those of the validation rows of the training, if
/// they are given, else those out of bag.
[[nodiscard]] BOOTFOLD_API Ensemble keep(const Ensemble& ensemble,
                                         std::span<const std::size_t> members,
                                         const Examples& examples, const Execution& execution = {},
                                         const Examples* validation = nullptr);

/// The members of a selection. The conformal scores and the noise of targets are those of rows that
/// did not select: the rows of each fold are predicted by the members that the other folds select
/// (cross-conformal prediction, Vovk 2015). The out-of-bag prediction is that of the members that
/// are kept. `validation`: the rows that selected, if they are not out of bag.
[[nodiscard]] BOOTFOLD_API Ensemble keep(const Ensemble& ensemble, const Selection& selection,
                                         const Examples& examples, const Execution& execution = {},
                                         const Examples* validation = nullptr);

/// The `count` members with the lowest Member::held_out_loss, as keep() makes them. Scores on the
/// rows of the selection are optimistic, and intervals from them too narrow: select() with
/// SelectionRule::best has both of other rows.
[[nodiscard]] BOOTFOLD_API Ensemble best(const Ensemble& ensemble, std::size_t count,
                                         const Examples& examples, const Execution& execution = {});

/// Joins ensembles that were trained with the same options but for Training::members and
/// first_member. Members are ordered by settings, then by part, and are the same to the bit as
/// those of one training. Out-of-bag prediction and noise are computed for all; the temperature
/// is 1. With `training`, the options of the parts, sums over members are made in the order of
/// train(), so that all is the same to the bit as of one training of all members. Throws
/// InvalidArgument for parts that do not belong together or contain the same member.
[[nodiscard]] BOOTFOLD_API Ensemble join(std::span<const Ensemble> parts, const Examples& examples,
                                         const Execution& execution = {},
                                         const Training* training = nullptr);

}  // namespace bootfold::ensemble
