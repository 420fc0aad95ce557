// bootfold/ensemble/conformal.h: prediction intervals and prediction sets with stated coverage,
// without further training.
//
//     auto ensemble = ensemble::train(examples, {.members = 100});
//     auto prediction = ensemble.predict(new_rows);
//     auto limits = ensemble::default_intervals(ensemble.frame(), prediction, 0.9);
//     limits[3].low; limits[3].high;   // the interval of the target of row 3
//
// Training keeps the order statistics of conformal scores (scores.h), from which these intervals
// and prediction_sets() are made. jackknife_plus() needs the training rows again:
//
//     auto band = ensemble::jackknife_plus(ensemble, examples, new_rows, {.confidence = 0.9});
//
// If training rows and new rows are exchangeable, an interval of it contains the new target with
// probability at least 1 - 2 (1 - confidence), for any data and any networks. In practice the
// coverage of all of them is close to `confidence` (docs/ensemble-intervals.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/scores.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// The scores of rows with known classes or targets that no member was trained on, predicted by all
/// members. Rows of weight 0 are left out, and all others count once. Throws InvalidArgument,
/// DataError, Cancelled.
[[nodiscard]] BOOTFOLD_API ConformalScores conformal_scores(const Ensemble& ensemble,
                                                            const Examples& held_out,
                                                            const Execution& execution = {});

/// The scores of the out-of-bag prediction of the training rows, `examples` (selection.h). train(),
/// best(), join() and calibrate() set them; these are for a model from a file without scores:
///
///     model.set_conformal(out_of_bag_scores(model.frame(), out_of_bag(model, rows), rows));
///
/// Rows that all members were trained on are left out, which depends on random draws alone, and so
/// are rows of weight 0. Throws InvalidArgument, DataError.
[[nodiscard]] BOOTFOLD_API ConformalScores out_of_bag_scores(const Ensemble::Frame& frame,
                                                             const Prediction& out_of_bag,
                                                             const Examples& examples);

/// The method of default_intervals(). With scores it is scaled, but conformal if no target has a
/// mean, if members are trained on all rows, whose deviations do not contain the noise, or if there
/// are fewer than 20 members (groups of them, where they share weights), whose deviations are too
/// random. Without scores it is normal if has_normal_intervals(). Nothing otherwise, and for
/// classes.
[[nodiscard]] BOOTFOLD_API std::optional<IntervalMethod> default_interval_method(
    const Ensemble::Frame& frame);

/// Prediction intervals of each target, [row][target], by default from the scores of the ensemble.
/// Of quantiles the lowest and the highest, moved outwards by a quantile of the scores
/// (conformalized quantile regression), for conformal and scaled. Limits of counts and of targets
/// with transform log are not negative. NaN for targets of 0 and 1, and for rows that no member
/// predicts; infinite if there are too few scores for the confidence. Throws InvalidArgument for
/// method normal, without scores, and for classes.
[[nodiscard]] BOOTFOLD_API std::vector<Limits> conformal_intervals(
    const Ensemble::Frame& frame, const Prediction& prediction, double confidence,
    IntervalMethod method, const ConformalScores* scores = nullptr);

/// The intervals of default_interval_method(); NaN if there is none.
[[nodiscard]] BOOTFOLD_API std::vector<Limits> default_intervals(const Ensemble::Frame& frame,
                                                                 const Prediction& prediction,
                                                                 double confidence = 0.95);

/// Prediction sets: whether a value belongs to the set of a row, 1 or 0. Of classes
/// [row][class]; otherwise [row][target][2], whether 0 and 1 belong, of targets with loss binary
/// (all of multi_label), and 0 for other targets. The most probable value always belongs. By
/// default from the scores of the ensemble. Throws InvalidArgument without scores, if no target is
/// of 0 and 1, and for method adaptive of targets.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint8_t> prediction_sets(
    const Ensemble::Frame& frame, const Prediction& prediction, double confidence = 0.9,
    SetMethod method = SetMethod::threshold, const ConformalScores* scores = nullptr);

struct ConformalOptions {
  double confidence = 0.95;  ///< between 0 and 1
  /// Memory limit in bytes; 0: execution::default_memory(). Less memory is slower and never changes
  /// a result.
  std::size_t memory = 0;
  Execution execution = {};
};

/// Prediction intervals, [row][target].
struct Band {
  std::size_t rows = 0;
  std::size_t targets = 0;
  double confidence = 0;
  std::vector<double> low = {};   ///< -infinity if there are too few examples for the confidence
  std::vector<double> high = {};  ///< infinity in the same case
  /// Examples that all members were trained on. Their residual counts as infinite, which keeps the
  /// guarantee; with more members there are fewer of them.
  std::uint64_t unjudged = 0;
};

/// Jackknife+-after-bootstrap (Kim, Xu and Barber 2020). For each training example, the mean of the
/// members that were not trained on it gives a residual. The limits at a new row are quantiles of
/// the same means at that row, shifted down and up by the residuals.
///
/// `examples` are the training examples in the same order. The resampling must be bootstrap or
/// subsample. Residuals are those of the predicted means, in the units of the target also if it is
/// transformed; targets with loss pinball or binary, which have none, have limits NaN, and limits
/// of counts and of targets with transform log are not negative. Only examples whose residual is
/// close to its quantile can decide a limit. Work: (these examples) x rows x members / 3 additions
/// in 32 bits. Memory: one bit for each example and member, and for each thread 4 bytes for each
/// example and each of 1 to 64 rows, as options.memory allows. Same bits for any number of threads
/// and any memory. Throws InvalidArgument, Cancelled.
[[nodiscard]] BOOTFOLD_API Band jackknife_plus(const Ensemble& ensemble, const Examples& examples,
                                               const DataView& inputs,
                                               const ConformalOptions& options = {});

/// A random number of members, for which the guarantee is a theorem: Binomial(t, p), where p is the
/// probability that a member is not trained on a given one of rows + 1, and t = members / p,
/// rounded, so that the mean is `members`. At least 1. `subsample` is the share of the rows with
/// Resampling::subsample. Where members share weights the number of groups must be random:
/// `members` is then their mean number, and the result times Training::share that of the members.
/// Throws InvalidArgument for resampling none and bayesian.
///
///     training.members = ensemble::random_member_count(100, rows, Resampling::bootstrap, 7);
[[nodiscard]] BOOTFOLD_API std::size_t random_member_count(std::size_t members, std::size_t rows,
                                                           Resampling resampling,
                                                           std::uint64_t seed,
                                                           double subsample = 0.5);

}  // namespace bootfold::ensemble
