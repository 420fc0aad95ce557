// Standard errors on every resample, for studentized intervals: by a formula, or by a bootstrap of
// the resample.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bootfold/plan.h"
#include "resample/design.h"

namespace bootfold {

/// The statistics asked for, and then for each of them one that computes its standard errors.
struct WithStandardErrors {
  /// Throws InvalidArgument where the design has no standard errors on resamples. Refers to the
  /// design and to labels of the options.
  WithStandardErrors(const DataView& data, std::span<const Statistic> asked,
                     const resample::Design& design, const Options& options);

  std::vector<Statistic> statistics;
  std::vector<bool> nested;  // of each output asked for: its statistic has no formula
  [[nodiscard]] bool any_nested() const {
    return std::find(nested.begin(), nested.end(), true) != nested.end();
  }

  std::string method;  // "formula" or "nested bootstrap, 50 replicates"
  double seconds = 0;  // what nested bootstraps add, on one thread
};

}  // namespace bootfold
