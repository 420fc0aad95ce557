// bootfold/ensemble/conformal.h: prediction intervals of a regression without further training.
//
//     auto ensemble = ensemble::train(examples, {.members = 100});
//     auto band = ensemble::jackknife_plus(ensemble, examples, new_rows, {.confidence = 0.9});
//     band.low[3]; band.high[3];   // the interval of the target of row 3
//
// If training rows and new rows are exchangeable, an interval contains the new target with
// probability at least 1 - 2 (1 - confidence), for any data and any networks. In practice the
// coverage is close to `confidence` (docs/ensemble-intervals.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

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
/// Resampling::subsample. Throws InvalidArgument for resampling none and bayesian.
///
///     training.members = ensemble::random_member_count(100, rows, Resampling::bootstrap, 7);
[[nodiscard]] BOOTFOLD_API std::size_t random_member_count(std::size_t members, std::size_t rows,
                                                           Resampling resampling,
                                                           std::uint64_t seed,
                                                           double subsample = 0.5);

}  // namespace bootfold::ensemble
