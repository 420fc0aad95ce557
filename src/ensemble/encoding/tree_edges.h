// Edges of bins from a decision tree on one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// What a tree predicts: numbers, or the class of each row.
struct TreeTargets {
  /// [target][row]: deviations from the mean, scaled so that the weighted sum of their squares
  /// is 1. Constant targets are left out.
  std::vector<std::vector<double>> numbers = {};
  const std::vector<std::uint32_t>* classes = nullptr;
  std::size_t class_count = 0;
  std::vector<double> weights = {};  ///< of the rows; empty: all are 1
};

/// The targets of examples. Throws InvalidArgument if there are none.
[[nodiscard]] TreeTargets tree_targets(const Examples& examples);

struct TreeOptions {
  /// Splits are looked for between this many groups of neighbouring values, at most: as many rows
  /// in each, or all distinct values if there are fewer.
  static constexpr std::size_t kMostCells = 257;

  std::size_t bins;        ///< leaves, at most
  std::size_t least_rows;  ///< fewest rows in a leaf
};

/// Edges of bins that are the leaves of a tree: the smallest value, the splits, the largest value.
/// Splits are halfway between neighbouring values. Leaves are split one by one, that with the
/// largest gain first: the reduction of the squared error, as a share of that of each target and
/// averaged over targets, or of the Gini impurity of classes. Values are those of some rows, in the
/// order of the rows; sums are made in the order of the values, then of the rows. Empty if no split
/// reduces the error.
[[nodiscard]] std::vector<double> tree_edges(const std::vector<double>& values,
                                             const std::vector<std::uint64_t>& rows,
                                             const TreeTargets& targets,
                                             const TreeOptions& options);

}  // namespace bootfold::ensemble
