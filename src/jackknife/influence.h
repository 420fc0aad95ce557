// Taking one row out, by the family of the statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/influence.h"
#include "jackknife/cumulants.h"
#include "jackknife/deletion_units.h"
#include "jackknife/row_weights.h"
#include "study/problem.h"

namespace bootfold::jackknife {

/// The data's order statistic number `rank` (from 1) of the column of a part.
using OrderStatistic = std::function<double(const study::Part& part, std::uint64_t rank)>;

/// What all of this works on.
struct Task {
  const study::Problem& problem;
  std::span<const study::FeatureSummary> features;  // as the problem's columns are scaled now
  const Measure& measure;                           // of which their means are
  OrderStatistic order;                             // for quantiles
  Execution execution;
  std::size_t outputs;  // the first so many; the rest is not asked for
};

/// Delete-one influences of the first task.outputs outputs, where rows are drawn one by one alike.
[[nodiscard]] std::vector<Influence> influences(const Task& task);

/// The same under a scheme for which where a row stands matters: its stratum, its neighbours, its
/// weight. Changes of as many outputs as fit `memory` are held at a time.
[[nodiscard]] std::vector<Influence> influences_in_order(const Task& task,
                                                         const resample::Design& design,
                                                         std::size_t memory);
[[nodiscard]] std::vector<Influence> influences_in_order(const Task& task, const Scheme& scheme,
                                                         std::size_t memory);

/// The values of a part that is made of quantiles, without a row: they depend on its rank alone,
/// and few are different.
struct OrderDeletions {
  std::vector<double> whole = {};                // on all rows
  std::vector<std::uint64_t> last = {};          // deleted ranks (last[j - 1], last[j]] give
  std::vector<std::vector<double>> values = {};  // the values values[j]
};
[[nodiscard]] OrderDeletions order_deletions(const Task& task, const study::Part& part);

/// The same where whole clusters are drawn, and deleted.
[[nodiscard]] std::vector<Influence> influences_of_clusters(const DataView& data,
                                                            std::span<const Statistic> statistics,
                                                            const Options& options);
[[nodiscard]] std::vector<AbcCurve> curves_of_clusters(const DataView& data,
                                                       std::span<const Statistic> statistics,
                                                       const Options& options);

/// Are whole clusters drawn, with all their rows?
[[nodiscard]] bool draws_clusters(const Scheme& scheme);

/// Are rows drawn together with others, so that none has a weight of its own? Then there is no ABC.
[[nodiscard]] bool draws_together(const Scheme& scheme);

/// Are rows drawn one by one alike, as many as there are?
[[nodiscard]] bool plain(const Scheme& scheme, std::uint64_t rows);

/// Evaluations of functions of the resample that influence() makes: 0 if it has none.
[[nodiscard]] std::uint64_t evaluations(const study::Problem& problem, const Scheme& scheme);

/// As many threads as have room for a copy of the columns each, if there are evaluations.
[[nodiscard]] Execution within_memory(const study::Problem& problem, const Options& options);

// By family; each fills the outputs of its parts.
void delete_from_sums(const Task& task, std::span<Influence> influences);
void delete_from_order(const Task& task, const study::Part& part, std::span<Influence> influences);
void delete_and_evaluate(const Task& task, const Units& units, std::span<Influence> influences);

// The same in the order of the rows: (n - 1) times what leaving row i out takes from the value.

/// Of functions of sums, outputs first .. last - 1: [output - first][row].
[[nodiscard]] std::vector<double> changes_of_sums(const Task& task, std::size_t first,
                                                  std::size_t last);
/// Of quantiles: [output of the part][row].
[[nodiscard]] std::vector<std::vector<double>> changes_of_order(const Task& task,
                                                                const study::Part& part,
                                                                std::span<double> whole);
/// All values without each unit, and then without nothing: [unit][output]. Families that are not
/// evaluated are left 0; quantiles are where units are clusters.
[[nodiscard]] std::vector<double> values_without(const Task& task, const Units& units);
[[nodiscard]] bool evaluated(const study::Part& part, const Units& units);

/// All values of functions of sums at the means, for so many rows.
[[nodiscard]] std::vector<double> at_means(const Task& task, double rows);

/// Derivatives in place of deletions, of functions of sums, for resamples of so many draws; curves
/// too unless `abc` is empty.
void differentiate_sums(const Task& task, double draws, std::span<Influence> influences,
                        std::span<AbcCurve> abc);

/// Turns the spread of U into an influence: second, third, undefined and problem.
void conclude(const Spread& spread, Influence& influence);

}  // namespace bootfold::jackknife
