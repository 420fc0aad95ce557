// Taking one row out, by the family of the statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/influence.h"
#include "jackknife/cumulants.h"
#include "jackknife/deletion_units.h"
#include "jackknife/row_weights.h"
#include "resample/design.h"
#include "study/formulas.h"
#include "study/study.h"

namespace bootfold::jackknife {

/// The data's order statistic number `rank` (from 1) of the column of a part.
using OrderStatistic = std::function<double(const study::Part& part, std::uint64_t rank)>;

/// What all of this works on.
struct Task {
  const study::Study& study;
  std::span<const study::FeatureSummary> features;  // the study's, or with weighted means
  const Measure& measure;                           // of which their means are
  OrderStatistic order;                             // for quantiles
  Execution execution;
  std::size_t outputs;  // the first so many; the rest is not asked for

  [[nodiscard]] const study::Problem& problem() const { return study.problem(); }
};

/// What is asked for.
struct Request {
  std::size_t outputs = 0;  ///< of the first so many outputs
  bool influences = true;
  bool curves = false;   ///< ABC too
  bool changes = false;  ///< Findings::changes too, where rows are drawn one by one alike
  std::size_t memory = 0;
  Execution execution = {};
};

/// What the rows do, one for each output; curves only if they were asked for.
struct Findings {
  std::vector<Influence> influences = {};
  std::vector<AbcCurve> curves = {};
  /// The change U that each row makes, [output][row], with mean 0. All are 0 where some are not
  /// finite, and for functions of the resample unless influences are asked for of all single rows.
  std::vector<double> changes = {};
};

/// Influences and ABC curves under a design, from a study that looked at all rows. For functions of
/// sums one read of the rows finds both.
[[nodiscard]] Findings find(const study::Study& study, const resample::Design& design,
                            const Request& request);

/// The same of values that may be formulas of the terms that `study` is of. Where rows are drawn
/// one by one alike, a formula takes the values of its terms without each row, O(rows); otherwise
/// it is evaluated as a function of the resample.
[[nodiscard]] Findings find(const study::Formulas& formulas, const study::Study& study,
                            const resample::Design& design, const Request& request);
/// Evaluations of functions of the resample that this makes.
[[nodiscard]] std::uint64_t evaluations(const study::Formulas& formulas, const study::Study& study,
                                        const resample::Design& design, std::size_t outputs);

/// Gives the changes of an output a mean of 0, or makes all of them 0 if some are not finite.
void centre(std::span<double> changes);

/// The influence of an output on resamples that have more or fewer rows than the data.
void rescale(const resample::Design& design, std::uint64_t rows, Influence& found);

/// The same where whole clusters are drawn or left out and all statistics are functions of sums:
/// from a study of the sums of clusters, which are drawn like rows.
[[nodiscard]] Findings find_by_cluster(const study::Study& of_sums, const resample::Design& design,
                                       const Request& request);

/// Evaluations of functions of the resample that find() makes for these outputs: 0 if it has none.
[[nodiscard]] std::uint64_t evaluations(const study::Problem& problem,
                                        const resample::Design& design, std::size_t outputs);

/// Delete-one influences where rows are drawn one by one alike; curves too unless the span is
/// empty, for resamples of `draws` rows; and changes of functions of the resample, as Findings has
/// them, unless that span is empty.
[[nodiscard]] std::vector<Influence> influences(const Task& task, double draws = 0,
                                                std::span<AbcCurve> curves = {},
                                                std::span<double> changes = {});

/// The same under a design for which where a row stands matters: its stratum, its neighbours, its
/// weight. Changes of as many outputs as fit `memory` are held at a time.
[[nodiscard]] std::vector<Influence> influences_in_order(const Task& task,
                                                         const resample::Design& design,
                                                         std::size_t memory);

/// The values of a part that is made of quantiles, without a row: they depend on its rank alone,
/// and few are different.
struct OrderDeletions {
  std::vector<double> whole = {};                // on all rows
  std::vector<std::uint64_t> last = {};          // deleted ranks (last[j - 1], last[j]] give
  std::vector<std::vector<double>> values = {};  // the values values[j]
};
[[nodiscard]] OrderDeletions order_deletions(const Task& task, const study::Part& part);

/// What a part says of itself if it is a statistic of sorted rows (mad, gini, ...); null otherwise.
[[nodiscard]] const statistic::Ordered* ordered_of(const study::Part& part);

/// Such a part without each row, from rows that are sorted once: O(n log n).
struct OrderedDeletions {
  double whole = 0;                  // on all rows
  std::vector<double> changes = {};  // U of each row
  /// If one row is negative, where none may be: that row, and the value without it.
  std::optional<std::pair<std::uint64_t, double>> only = std::nullopt;

  /// The value without a row.
  [[nodiscard]] double without(std::uint64_t row) const;
};
[[nodiscard]] OrderedDeletions ordered_deletions(const Task& task, const study::Part& part);

// By family; each fills the outputs of its parts.

/// Functions of sums without each row, derivatives, or both in one read of the rows. An empty span
/// is not asked for; `draws`: of resamples, for the derivatives.
struct SumsRequest {
  std::span<Influence> deletions = {};    // by leaving a row out
  std::span<Influence> derivatives = {};  // by moving weight to a row
  std::span<AbcCurve> curves = {};        // needs derivatives
  double draws = 0;
};
void study_sums(const Task& task, const SumsRequest& request);

void delete_from_order(const Task& task, const study::Part& part, std::span<Influence> influences);
void delete_from_ordered(const Task& task, const study::Part& part,
                         std::span<Influence> influences);
void delete_and_evaluate(const Task& task, const Units& units, std::span<Influence> influences,
                         std::span<double> changes = {});

// The same in the order of the rows: (n - 1) times what leaving row i out takes from the value.

/// Of functions of sums, outputs first .. last - 1: [output - first][row].
[[nodiscard]] std::vector<double> changes_of_sums(const Task& task, std::size_t first,
                                                  std::size_t last);
/// Of quantiles: [output of the part][row].
[[nodiscard]] std::vector<std::vector<double>> changes_of_order(const Task& task,
                                                                const study::Part& part,
                                                                std::span<double> whole);
/// All values without each unit, and then without nothing: [unit][output]. Families that are not
/// evaluated are left 0; quantiles and statistics of sorted rows are where units are clusters.
[[nodiscard]] std::vector<double> values_without(const Task& task, const Units& units);
[[nodiscard]] bool evaluated(const study::Part& part, const Units& units);

/// All values of functions of sums at the means, for so many rows; relative ones are for
/// differences to other relative ones.
[[nodiscard]] std::vector<double> at_means(const Task& task, double rows, bool relative = false);

/// Turns the spread of U into an influence: second, third, undefined and problem.
void conclude(const Spread& spread, Influence& influence);

}  // namespace bootfold::jackknife
