// bootfold/compare.h: every group against a control.
//
//     auto table = data::read("visits.csv", {.columns = {"revenue"}, .labels = {"variant"}});
//     auto found = compare(table.view(), table.labels(), statistic::mean(), {.control = "A"});
//     for (const comparison::Contrast& contrast : found.contrasts)
//       std::cout << contrast.group << ": " << contrast.estimate << ", from "
//                 << contrast.interval.low << " to " << contrast.interval.high
//                 << ", p = " << contrast.p_value << "\n";
//
// Groups are independent samples: each is bootstrapped on its own rows with a seed of its own, and
// differences are formed replicate by replicate (docs/compare.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What is told of a group beside the control.
enum class Difference {
  absolute,  ///< group - control
  relative,  ///< (group - control) / |control|: the lift; 0.05 is 5 % more
};

/// What is done about many groups giving many chances to be wrong.
enum class Correction {
  none,
  bonferroni,    ///< each of m differences at the m-th part of the error
  holm,          ///< p-values step by step (never larger than Bonferroni's), intervals Bonferroni's
  simultaneous,  ///< max-t: the joint distribution of all differences in units of their errors
};

[[nodiscard]] BOOTFOLD_API std::string_view name(Difference difference) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Correction correction) noexcept;

/// The one of that name; throws InvalidArgument that lists them.
[[nodiscard]] BOOTFOLD_API Difference parse_difference(std::string_view text);
[[nodiscard]] BOOTFOLD_API Correction parse_correction(std::string_view text);

/// The most groups of one comparison.
inline constexpr std::size_t kMostGroups = 1000;

/// What to compare, and how.
struct Options {
  /// Name of the group the others are compared with. Unless given: the one named "control" in
  /// whatever letters, else the first.
  std::optional<std::string> control = std::nullopt;
  /// Names of the groups to compare with the control. Empty: all.
  std::vector<std::string> groups = {};
  Difference difference = Difference::absolute;
  interval::Method interval = interval::Method::percentile;  ///< all but abc
  Correction correction = Correction::none;
  double confidence = 0.95;  ///< inside (0, 1)
  /// One-sided: is the group less, or greater, than the control? Limits and p-values follow.
  interval::Alternative alternative = interval::Alternative::two_sided;
  std::uint64_t replicates = 10'000;
  /// In place of `replicates`: as many as bring the Monte Carlo error of every limit down to this
  /// share of the difference's standard error, 100 million at most. Inside (0, 1).
  std::optional<double> precision = std::nullopt;
  std::uint64_t nested_replicates = 50;  ///< of nested bootstraps, for studentized intervals
  std::uint64_t seed = 0;
  /// How each group draws its rows; strata, clusters and weights have one entry for each row.
  Scheme scheme = {};
  /// As in bootfold::Options: memory limit of a group's bootstrap (0: the default), error of its
  /// sums.
  std::size_t memory = 0;
  double tolerance = 1e-5;
  /// Keep the replicates of the differences: 8 bytes for each replicate of each group.
  bool keep_replicates = false;
  Execution execution = {};
};

/// One group, the control too.
struct Group {
  std::string name;
  std::uint64_t rows = 0;
  double estimate = 0;  ///< the statistic on its rows
  double standard_error = 0;
  double standard_error_error = 0;  ///< Monte Carlo error of the standard error
  std::uint64_t undefined = 0;      ///< replicates on which the statistic is not a number
  std::uint64_t seed = 0;           ///< group_seed(): a plain bootstrap of its rows with this seed
                                    ///< has the same replicates
  Plan plan;
};

/// Something a reader of a number must know, as a word for programs and a sentence for people.
struct Note {
  std::string name;  ///< undefined_replicates, no_variation, control_near_zero, few_replicates,
                     ///< fell_back
  std::string text;
};

/// One group against the control.
struct Contrast {
  std::string group;
  double estimate = 0;  ///< difference or lift
  double standard_error = 0;
  double standard_error_error = 0;  ///< Monte Carlo errors: what another seed would change
  double bias = 0;
  Interval interval;           ///< for this group alone
  Interval adjusted_interval;  ///< together with the others: all hold at once at `confidence`
  double p_value = 0;          ///< the error at which the interval just reaches 0
  double p_value_error = 0;
  double adjusted_p_value = 0;  ///< equals p_value without a correction
  double adjusted_p_value_error = 0;
  std::uint64_t undefined = 0;          ///< replicates without a difference; left out of all above
  std::vector<Note> notes = {};         ///< empty: all is well
  std::vector<double> replicates = {};  ///< if Options::keep_replicates
};

}  // namespace comparison

/// What a comparison found.
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
  std::vector<comparison::Group> groups;  ///< the control first, then in the order of the names
  std::vector<comparison::Contrast> contrasts;  ///< groups 1, 2, ... against group 0
  /// Largest Monte Carlo error of a limit / standard error of its difference.
  double precision = 0;
  std::vector<std::uint64_t> rounds = {};  ///< replicates of each try, if a precision was asked for
};

/// Compares the groups of `groups`, a label for each row of `values`, by one statistic of one value
/// (ratio and correlation take two columns).
///
/// Same bits for every number of threads, instruction set and order of the groups; a group's
/// numbers do not depend on which other groups there are. The rows are brought into the order of
/// the groups once, which takes one more copy of the values unless they are in order already.
/// Throws InvalidArgument for a control that is not there (and lists the groups), fewer than two
/// groups, a group of one row, a statistic that has several values or is undefined on a group;
/// Cancelled when the stop token asks.
[[nodiscard]] BOOTFOLD_API Comparison compare(const DataView& values, const data::Labels& groups,
                                              const Statistic& statistic,
                                              const comparison::Options& options = {});

namespace comparison {

/// The seed with which a group is bootstrapped: a hash of seed and name by Philox.
///
///     auto alone =
///         bootstrap(rows_of_b, statistic::mean(), {.seed = comparison::group_seed(7, "B")});
[[nodiscard]] BOOTFOLD_API std::uint64_t group_seed(std::uint64_t seed, std::string_view group);

}  // namespace comparison
}  // namespace bootfold
