// The permutation test: how often would groups that were labelled at random differ so much?
#pragma once

#include <cstdint>
#include <span>

#include "bootfold/compare.h"
#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "bootfold/statistic.h"
#include "comparison/contrast.h"

namespace bootfold::comparison {

/// Two groups and what is relabelled: rows, or clusters. A cluster that has rows of both groups
/// swaps them or does not; the others go to one of the groups whole, as many to each as it has.
struct Relabelling {
  const DataView& group;
  const DataView& control;
  std::span<const std::uint32_t> group_clusters = {};  ///< label of each row; empty: rows
  std::span<const std::uint32_t> control_clusters = {};

  /// How many ways there are, maybe infinity.
  [[nodiscard]] double ways() const;
};

/// In how many ways so many units of a group and of the control can be given to the two.
[[nodiscard]] double relabellings(std::uint64_t group, std::uint64_t control);

struct PermutationResult {
  PValue p;
  std::uint64_t permutations = 0;
  bool exact = false;  ///< these are all there are
};

/// The share of relabellings whose group - control is at least as far out as `difference`, that of
/// the groups as they are; those on which the statistic is undefined count as farther. Of the
/// options, `replicates` is the number of random relabellings where there are too many to take all;
/// `seed`, `memory`, `tolerance` and `execution` are as usual.
[[nodiscard]] PermutationResult permutation_test(const Relabelling& relabelling,
                                                 const Statistic& statistic, double difference,
                                                 interval::Alternative alternative,
                                                 const bootfold::Options& options);

}  // namespace bootfold::comparison
