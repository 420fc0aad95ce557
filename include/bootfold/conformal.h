// bootfold/conformal.h: intervals for new rows of a regression, without more training.
//
//     auto ensemble = ensemble::train(examples, {.members = 100});
//     auto band = ensemble::jackknife_plus(ensemble, examples, new_rows, {.confidence = 0.9});
//     band.low[3]; band.high[3];   // where the target of row 3 is expected
//
// Whatever the data and the networks are like, as long as old and new rows come from one source, a
// new target lies inside with probability at least 1 - 2 (1 - confidence); nearly always it is
// about `confidence` (docs/ensemble-intervals.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble.h"

namespace bootfold::ensemble {

struct ConformalOptions {
  double confidence = 0.95;  ///< inside (0, 1)
  /// Memory limit in bytes; 0: execution::default_memory(). Less memory makes it slower and never
  /// changes a result; see jackknife_plus().
  std::size_t memory = 0;
  Execution execution = {};
};

/// Where targets are expected, [row][target].
struct Band {
  std::size_t rows = 0;
  std::size_t targets = 0;
  double confidence = 0;
  std::vector<double> low = {};   ///< may be -infinity: too few examples for the confidence
  std::vector<double> high = {};  ///< the same above
  /// Examples that every member saw. They count as infinitely far off, to be safe; more members
  /// leave fewer of them.
  std::uint64_t unjudged = 0;
};

/// Jackknife+-after-bootstrap (Kim, Xu and Barber 2020). For each example the members that never
/// saw it tell how far off they are; their means at a new row, moved so far down and up, make the
/// limits.
///
/// `examples` are those that the ensemble learned from, in the same order. The ensemble's
/// resampling must be bootstrap or subsample; its loss squared_error or gaussian, of which the mean
/// is used. Work: examples x rows x members / 3 additions. Memory: a bit for each example and
/// member, and for each thread 8 bytes for each example and each of 1 to 64 rows, as many as
/// options.memory has room for. Same bits for any number of threads and any memory. Throws
/// InvalidArgument, Cancelled.
[[nodiscard]] BOOTFOLD_API Band jackknife_plus(const Ensemble& ensemble, const Examples& examples,
                                               const DataView& inputs,
                                               const ConformalOptions& options = {});

/// A number of members drawn so that the guarantee is a theorem: it holds for Binomial(t, p)
/// members, where p is the probability that a member does not see a given one of rows + 1, and t =
/// members / p rounded, so that there are `members` of them on average. At least 1. `subsample` is
/// the share under Resampling::subsample. Throws InvalidArgument for other resampling.
///
///     training.members = ensemble::random_members(100, rows, Resampling::bootstrap, 7);
[[nodiscard]] BOOTFOLD_API std::size_t random_members(std::size_t members, std::size_t rows,
                                                      Resampling resampling, std::uint64_t seed,
                                                      double subsample = 0.5);

}  // namespace bootfold::ensemble
