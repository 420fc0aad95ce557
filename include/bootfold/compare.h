// bootfold/compare.h: comparison of groups with a control group.
//
//     auto table = data::read("visits.csv", {.columns = {"revenue"}, .labels = {"variant"}});
//     auto found = compare(table.view(), table.labels(), statistic::mean(), {.control = "A"});
//     for (const comparison::Contrast& contrast : found.contrasts)
//       std::cout << contrast.group << ": " << contrast.estimate << ", from "
//                 << contrast.interval.low << " to " << contrast.interval.high
//                 << ", p = " << contrast.p_value << "\n";
//
// Groups are independent samples: each is bootstrapped on its own rows with its own seed, and
// differences are computed replicate by replicate (docs/compare.md). Groups that share clusters,
// such as users who saw both variants, are not independent: their clusters are drawn once for all
// groups, so that what they share cancels in the difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/interval.h"
#include "bootfold/labels.h"
#include "bootfold/scheme.h"
#include "bootfold/statistic.h"

namespace bootfold {

namespace comparison {

/// How the difference between a group and the control is expressed.
enum class Difference {
  absolute,  ///< group - control
  relative,  ///< (group - control) / |control|, the lift: 0.05 means 5 % more
};

/// Correction for multiple comparisons.
enum class Correction {
  none,
  bonferroni,    ///< each of m differences at error level (1 - confidence) / m
  holm,          ///< step-down p-values (at most Bonferroni's) with Bonferroni intervals
  simultaneous,  ///< max-t: the joint distribution of all studentized differences
};

/// Where p-values come from.
enum class Test {
  bootstrap,    ///< the error level at which the interval excludes 0
  permutation,  ///< the share of relabellings of the rows (or clusters) with such a difference: all
                ///< of them if there are at most 100,000, otherwise `replicates` random ones
};

[[nodiscard]] BOOTFOLD_API std::string_view name(Difference difference) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Correction correction) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Test test) noexcept;

/// The value with that name. Throws InvalidArgument, which lists the names, if there is none.
[[nodiscard]] BOOTFOLD_API Difference parse_difference(std::string_view text);
[[nodiscard]] BOOTFOLD_API Correction parse_correction(std::string_view text);
[[nodiscard]] BOOTFOLD_API Test parse_test(std::string_view text);

/// Largest number of groups in one comparison.
inline constexpr std::size_t kMostGroups = 1000;

/// Options of compare().
struct Options {
  /// Name of the control group. Default: the group named "control" (in any case), otherwise the
  /// first group.
  std::optional<std::string> control = std::nullopt;
  /// Names of the groups to compare with the control; empty: all groups.
  std::vector<std::string> groups = {};
  Difference difference = Difference::absolute;
  interval::Method interval = interval::Method::percentile;  ///< any method except abc
  Correction correction = Correction::none;
  /// Permutation tests are for scheme iid and for clusters: clusters within one group are
  /// relabelled whole, and within those that groups share (pairs too) the groups are swapped.
  Test test = Test::bootstrap;
  double confidence = 0.95;  ///< inside (0, 1)
  /// Alternative hypothesis: the group differs from, is less than, or is greater than the control.
  /// Limits and p-values are two-sided or one-sided accordingly.
  interval::Alternative alternative = interval::Alternative::two_sided;
  std::uint64_t replicates = 10'000;
  /// If given, replaces `replicates`: replicates are added until the Monte Carlo error of every
  /// limit is at most this fraction of the standard error of its difference, or there are 100
  /// million. Inside (0, 1).
  std::optional<double> precision = std::nullopt;
  std::uint64_t nested_replicates = 50;  ///< nested bootstrap size, for studentized intervals
  double rescale = 0.5;  ///< rescaling of resamples of m rows, as in bootfold::Options
  std::uint64_t seed = 0;
  /// Scheme by which each group is resampled; strata, clusters and weights have one entry per row.
  Scheme scheme = {};
  /// Whether the clusters of the scheme are pairs (or triples, ...): exactly one row of each in
  /// every group.
  bool paired = false;
  /// Memory limit of the bootstrap of a group (0: the default) and tolerance of its sums, as in
  /// bootfold::Options.
  std::size_t memory = 0;
  double tolerance = 1e-5;
  /// Whether to keep the replicates of the differences: 8 bytes per replicate and group.
  bool keep_replicates = false;
  /// File that holds the replicates of the groups, from which the comparison goes on if it was
  /// interrupted, as in bootfold::Options. Takes 8 bytes of memory per replicate and group, and
  /// twice that for studentized intervals. Empty: none.
  std::string checkpoint = {};
  Execution execution = {};
};

/// Results for one group, including the control.
struct Group {
  std::string name;
  std::uint64_t rows = 0;
  double estimate = 0;  ///< the statistic on the rows of the group
  double standard_error = 0;
  double standard_error_error = 0;  ///< Monte Carlo error of the standard error
  std::uint64_t undefined = 0;      ///< number of replicates on which the statistic is NaN
  std::uint64_t seed = 0;           ///< group_seed(): bootstrap() of the rows of the group with
                                    ///< this seed gives the same replicates, unless clusters are
                                    ///< drawn jointly
  Plan plan;
  /// Two-sided interval of the estimate at the confidence of the comparison, for this group alone:
  /// by the method of the comparison, or percentile where a group does not have that one.
  Interval interval = {};
};

/// A warning about a contrast: a name for programs and a sentence for people.
struct Note {
  std::string name;  ///< undefined_replicates, no_variation, control_near_zero, few_replicates,
                     ///< fell_back, few_rows, least_p_value, joint_clusters,
                     ///< no_interval
  std::string text;
};

/// The difference between one group and the control.
struct Contrast {
  std::string group;
  double estimate = 0;  ///< difference or lift
  double standard_error = 0;
  double standard_error_error = 0;  ///< Monte Carlo error of standard_error
  double bias = 0;
  Interval interval;           ///< for this group alone
  Interval adjusted_interval;  ///< corrected: all of them hold jointly with `confidence`
  /// Smallest error level at which the interval excludes 0, but no less than the smallest p-value
  /// that a permutation test of so many rows (or clusters) could give.
  double p_value = 0;
  double p_value_error = 0;        ///< Monte Carlo error of p_value
  std::uint64_t permutations = 0;  ///< relabellings of a permutation test
  bool all_permutations = false;   ///< these are all there are, so the p-value is exact
  double adjusted_p_value = 0;     ///< equals p_value without a correction
  double adjusted_p_value_error = 0;
  std::uint64_t undefined = 0;          ///< replicates with an undefined difference, not used above
  std::vector<Note> notes = {};         ///< warnings; empty if there are none
  std::vector<double> replicates = {};  ///< if Options::keep_replicates
};

}  // namespace comparison

/// The result of a comparison.
struct Comparison {
  std::string statistic;  ///< "mean", "ratio(clicks, visits)"
  std::string control;
  comparison::Difference difference = comparison::Difference::absolute;
  interval::Method method = interval::Method::percentile;
  comparison::Correction correction = comparison::Correction::none;
  double confidence = 0.95;
  interval::Alternative alternative = interval::Alternative::two_sided;
  std::uint64_t replicates = 0;
  std::uint64_t seed = 0;
  std::vector<comparison::Group> groups;  ///< the control first, then the others sorted by name
  std::vector<comparison::Contrast> contrasts;  ///< groups 1, 2, ... against group 0
  comparison::Test test = comparison::Test::bootstrap;
  std::uint64_t clusters = 0;         ///< clusters of the scheme in these groups, if it has any
  std::uint64_t shared_clusters = 0;  ///< of these, the ones in several groups. If there are any,
                                      ///< all clusters are drawn once for all groups
  /// Largest ratio of the Monte Carlo error of a limit to the standard error of its difference.
  double precision = 0;
  std::vector<std::uint64_t> rounds = {};  ///< replicates of each round, if Options::precision
  std::vector<std::string> columns = {};   ///< names of the columns that the statistic sees; empty
                                           ///< if it is an expression with a name: "gm = ..."
};

/// Compares the groups given by `groups`, which has one label per row of `values`; groups by
/// several columns have the labels data::combined(), such as "UA, 1". The statistic must have one
/// value (ratio and correlation take two columns).
///
/// The result has the same bits for every number of threads, instruction set and order of the
/// groups. Unless groups share clusters, the results for a group do not depend on which other
/// groups exist. Rows are sorted by group once, which takes one copy of the values unless they are
/// sorted already.
///
/// Throws InvalidArgument for an unknown control (the message lists the groups), fewer than two
/// groups, a group of one row, and a statistic that has several values or is undefined on a group.
/// Throws Cancelled when the stop token requests it.
[[nodiscard]] BOOTFOLD_API Comparison compare(const DataView& values, const data::Labels& groups,
                                              const Statistic& statistic,
                                              const comparison::Options& options = {});

/// Compares the groups by several statistics: a statistic of one column (mean, median) for every
/// column of `values`, one of several columns (ratio, correlation) for all of them together. The
/// comparisons stand statistic by statistic, then column by column, and share the resamples of each
/// group. Corrections are for the contrasts of one comparison. Throws what compare() throws, and
/// InvalidArgument for Options::checkpoint with more than one comparison.
[[nodiscard]] BOOTFOLD_API std::vector<Comparison> compare_all(
    const DataView& values, const data::Labels& groups, std::span<const Statistic> statistics,
    const comparison::Options& options = {});

namespace comparison {

/// The seed with which a group is bootstrapped: a Philox hash of the seed and the group's name.
///
///     auto alone =
///         bootstrap(rows_of_b, statistic::mean(), {.seed = comparison::group_seed(7, "B")});
[[nodiscard]] BOOTFOLD_API std::uint64_t group_seed(std::uint64_t seed, std::string_view group);

}  // namespace comparison
}  // namespace bootfold
