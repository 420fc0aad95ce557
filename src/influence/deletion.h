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

/// Up to so many rows a function of the resample is evaluated without each; beyond, without each of
/// so many groups.
inline constexpr std::uint64_t kMostDeletedRows = 10'000;
inline constexpr std::uint64_t kGroups = 1'000;

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

/// Evaluations of functions of the resample that influences() makes: 0 if it has none.
[[nodiscard]] std::uint64_t evaluations(const planning::Problem& problem);

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
