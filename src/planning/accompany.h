// Statistics that run beside those asked for: standard errors on every resample.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/plan.h"

namespace bootfold::planning {

/// The statistics asked for, then for each one that computes its standard errors.
struct Accompanied {
  std::vector<Statistic> statistics;
  std::vector<bool> nested = {};  // of each output asked for: its statistic has no formula
  std::string method = {};        // "formula" or "nested bootstrap, 50 replicates"
  double seconds = 0;             // what nested bootstraps add, for one thread

  /// Makes of a plan for all statistics one for those asked for.
  void describe(Plan& plan) const;
};

/// Stands for the standard errors of a statistic without a formula: a bootstrap of the resample.
using Nested = std::function<void(const Statistic&, const statistic::Resample&, std::span<double>)>;

/// `nested` is called on resamples; planning never does. Throws InvalidArgument.
[[nodiscard]] Accompanied accompany(const DataView& data, std::span<const Statistic> statistics,
                                    const Options& options, const Nested& nested);

/// Does its formula hold for resamples of the scheme? They are for rows drawn one by one: under
/// strata there is only a bootstrap.
[[nodiscard]] bool has_formula(const Statistic& statistic, const Options& options);

/// The options of a bootstrap of one resample.
[[nodiscard]] Options inner_options(const Options& options);

}  // namespace bootfold::planning
