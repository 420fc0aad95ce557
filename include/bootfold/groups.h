// bootfold/groups.h: a bootstrap of every group of rows, without a control.
//
//     auto flights = data::read("flights.csv", {.columns = {"dep_delay"}, .labels = {"carrier"}});
//     std::vector<Statistic> statistics = {statistic::mean(), statistic::median()};
//     GroupedResult found = bootstrap_groups(flights.view(), {&flights.labels(), 1}, statistics);
//     for (const GroupResult& group : found.groups)
//       std::cout << group.name << ": " << group.values[0].estimate << ", from "
//                 << group.values[0].interval.low << " to " << group.values[0].interval.high <<
//                 "\n";
//
// Groups are independent samples, as in compare(): each is bootstrapped on its own rows with a seed
// made of Options::seed and its name, so the numbers of a group do not depend on the other groups.
// Only the summary of a group is kept; bootstrap() of its rows with GroupResult::seed gives the
// replicates again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/interval.h"
#include "bootfold/labels.h"
#include "bootfold/statistic.h"

namespace bootfold {

/// Options of bootstrap_groups() beside those of bootstrap().
struct GroupOptions {
  interval::Method interval = interval::Method::percentile;
  interval::Options limits = {};  ///< confidence, alternative, convention; `output` is not used
  /// If given, replaces Options::replicates: every group has as many replicates as its limits need
  /// to be this precise, as in bootstrap_to_precision().
  std::optional<double> precision = std::nullopt;
};

/// One value of one group: a statistic of a column, or of several.
struct GroupValue {
  double estimate = 0;
  double standard_error = 0;
  double standard_error_error = 0;  ///< Monte Carlo error of the standard error
  double bias = 0;
  std::uint64_t undefined = 0;  ///< number of replicates on which the statistic is NaN
  Interval interval = {};       ///< status undefined, with the reason, if it has no limits
};

/// Results for one group.
struct GroupResult {
  std::vector<std::string> labels;  ///< its label in each column of groups: {"UA", "1"}
  std::string name;                 ///< these, joined: "UA, 1"
  std::uint64_t rows = 0;
  std::uint64_t replicates = 0;
  std::uint64_t seed = 0;  ///< comparison::group_seed(): that of the bootstrap of its rows
  Path path = Path::gather;
  std::vector<GroupValue> values;  ///< one for each of GroupedResult::outputs
};

/// What a value is: "mean" of {"dep_delay"}, "ratio" of {"clicks", "views"}.
struct OutputName {
  std::string statistic;
  std::vector<std::string> columns;
};

/// The values of statistics on these columns, in the order of Result::estimate(). Throws
/// InvalidArgument for statistics that do not fit the columns.
[[nodiscard]] BOOTFOLD_API std::vector<OutputName> output_names(
    const DataView& values, std::span<const Statistic> statistics);

/// The result of bootstrap_groups().
struct GroupedResult {
  std::vector<std::string> by;  ///< names of the columns of groups
  std::vector<OutputName> outputs;
  std::vector<GroupResult> groups;  ///< sorted by label, column by column
  /// Groups of one row, which have no standard error: label, name and rows, without values.
  std::vector<GroupResult> skipped;
  std::uint64_t seed = 0;  ///< Options::seed, of which the seeds of the groups are made
};

/// Bootstraps the rows of every group. `by` has one label per row in each entry; with several
/// entries, groups are the combinations that occur (data::combined()). Statistics of one column are
/// computed for every column of `values`, as by bootstrap().
///
/// Many small groups are bootstrapped side by side, each on one thread, and large ones on all
/// threads. Nothing of that changes a result. Rows are sorted by group once, which takes one copy
/// of the values unless they are sorted already. Strata, clusters and probabilities of the scheme
/// have one entry per row; clusters are drawn within each group.
///
/// Throws InvalidArgument for labels that do not fit the rows, for groups that all have one row,
/// for Options::checkpoint, and what bootstrap() throws. Throws Cancelled when the stop token
/// requests it.
[[nodiscard]] BOOTFOLD_API GroupedResult bootstrap_groups(const DataView& values,
                                                          std::span<const data::Labels> by,
                                                          std::span<const Statistic> statistics,
                                                          const Options& options = {},
                                                          const GroupOptions& groups = {});

}  // namespace bootfold
