// Taking one row out, by the family of the statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/influence.h"
#include "plan/problem.h"

namespace bootfold::deletion {

/// The data's order statistic number `rank` (from 1) of the column of a part.
using OrderStatistic = std::function<double(const planning::Part& part, std::uint64_t rank)>;

/// What all of this works on.
struct Task {
  const planning::Problem& problem;
  std::span<const planning::FeatureSummary> features;  // as the problem's columns are scaled now
  OrderStatistic order;                                // for quantiles
  Execution execution;
  std::size_t outputs;  // the first so many; the rest is not asked for
};

/// Delete-one influences of the first task.outputs outputs.
[[nodiscard]] std::vector<Influence> influences(const Task& task);

/// Why rows cannot be deleted one by one under a scheme; empty: they can.
[[nodiscard]] std::string not_exchangeable(const Scheme& scheme, std::uint64_t rows);

/// The values of a part that is made of quantiles, without a row: they depend on its rank alone,
/// and few are different.
struct OrderDeletions {
  std::vector<double> whole = {};                // on all rows
  std::vector<std::uint64_t> last = {};          // deleted ranks (last[j - 1], last[j]] give
  std::vector<std::vector<double>> values = {};  // the values values[j]
};
[[nodiscard]] OrderDeletions order_deletions(const Task& task, const planning::Part& part);

// By family; each fills the outputs of its parts.
void delete_from_sums(const Task& task, std::span<Influence> influences);
void delete_from_order(const Task& task, const planning::Part& part,
                       std::span<Influence> influences);
void delete_and_evaluate(const Task& task, std::span<Influence> influences);

/// Derivatives in place of deletions, of functions of sums; curves too unless `abc` is empty.
void differentiate_sums(const Task& task, std::span<Influence> influences, std::span<AbcCurve> abc);

class Moments;
/// Turns moments of U into an influence: second, third, undefined and problem.
void conclude(const Moments& moments, Influence& influence);

}  // namespace bootfold::deletion
