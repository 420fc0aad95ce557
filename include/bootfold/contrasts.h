// bootfold/contrasts.h: a comparison from the replicates of its groups.
//
//     const auto chosen = comparison::choose_groups(names, rows, statistic, 1, options);
//     comparison::Contrasts contrasts({"A", result_of_a}, 2, options);
//     contrasts.add({"B", result_of_b});
//     contrasts.add({"C", result_of_c});
//     Comparison found = contrasts.finish();
//
// compare() bootstraps the rows of each group and does this. Where the rows lie in several places,
// shards bootstrap each group with the seed group_seed(), and the comparison has the bits of
// compare() on all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/labels.h"
#include "bootfold/statistic.h"

namespace bootfold::comparison {

/// The groups of a comparison, the control first, as codes of `labels.names`; `rows` has the number
/// of rows of each name, and the statistic is of so many columns. Throws InvalidArgument for a
/// control or group that does not exist, fewer than two groups, too many, one of a single row, a
/// statistic of several values, and options that compare() refuses.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> choose_groups(
    const data::Labels& labels, std::span<const std::uint64_t> rows, const Statistic& statistic,
    std::size_t columns, const Options& options);

/// A group and its replicates.
struct Sample {
  std::string name;
  Result result;               ///< of one value
  std::uint64_t clusters = 0;  ///< the number of clusters that were drawn; 0: rows were drawn
};

/// What is known of a group whose clusters are drawn jointly with those of the control.
struct Joint {
  Result differences;      ///< from the control, replicate by replicate
  double relabellings;     ///< ways to relabel the clusters of the two groups
  std::uint64_t clusters;  ///< of all groups
  std::uint64_t shared;    ///< of these, the ones in several groups
};

/// The differences between groups and a control. Of the groups only a few numbers are kept, so
/// memory does not grow with their number.
class BOOTFOLD_API Contrasts {
 public:
  /// `groups`: the number of groups beside the control. The options must outlive this; those about
  /// resampling are ignored but for `replicates` and `seed`, which the samples must have. Throws
  /// InvalidArgument for options that compare() refuses, an undefined estimate, and a control of 0
  /// if differences are relative.
  Contrasts(Sample control, std::size_t groups, const Options& options);
  Contrasts(Contrasts&& other) noexcept;
  Contrasts& operator=(Contrasts&& other) noexcept;
  ~Contrasts();

  [[nodiscard]] const Result& control() const;

  /// The next group: an independent sample, or one that is drawn jointly with the control. Throws
  /// InvalidArgument if its estimate or its difference is undefined.
  void add(const Sample& group);
  void add(const Sample& group, const Joint& joint);

  /// The comparison, corrected for the number of groups. `test` may replace the p-values of the
  /// contrasts before that, as a permutation test does.
  [[nodiscard]] Comparison finish(const std::function<void(Comparison&)>& test = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bootfold::comparison
