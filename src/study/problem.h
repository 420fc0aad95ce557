// What is asked, with statistics bound to columns and features gathered.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/statistic.h"
#include "study/columns.h"
#include "study/features.h"

namespace bootfold::study {

/// Up to so many rows a function of the resample is evaluated without each, to find what rows do;
/// beyond, without each of so many groups.
inline constexpr std::uint64_t kMostDeletedRows = 10'000;
inline constexpr std::uint64_t kDeletedGroups = 1'000;

/// One statistic on the columns it applies to.
struct Part {
  statistic::Bound bound;
  std::string name;                    // of the statistic
  std::vector<std::uint32_t> columns;  // of the data
  std::size_t first_output = 0;
  std::vector<std::uint32_t> features = {};  // if it is a function of sums: where its features are
  std::vector<statistic::Scale> scales = {};
  double resolution = 0;  // bound on the error of the folded means of its products

  [[nodiscard]] std::size_t outputs() const noexcept { return bound.outputs.size(); }
};

struct Problem {
  /// Binds; looks at the number of columns, not at the rows. Throws InvalidArgument.
  Problem(const DataView& data, std::span<const Statistic> statistics);

  /// Looks at the rows: ranges, scales, and that all are numbers.
  void look(const Execution& execution);

  /// Scales columns by their typical size in place of their largest, for arithmetic in doubles.
  void rescale(std::span<const FeatureSummary> summaries);

  template <class Family>
  [[nodiscard]] bool all() const {
    for (const Part& part : parts)
      if (!std::holds_alternative<Family>(part.bound.body)) return false;
    return true;
  }

  /// Turns the means of all features over `draws` rows into the values of all parts that are
  /// functions of sums. `resolution` bounds the error of the means; without one they were folded in
  /// fixed point, with the errors that has. `scratch` has room for as many numbers as there are
  /// features.
  void finish_sums(std::span<const double> means, double draws, std::optional<double> resolution,
                   std::span<double> values, std::span<double> scratch) const;

  /// Evaluations without a row, or without a group of rows, that it takes to find what rows do; 0
  /// where closed forms tell.
  [[nodiscard]] std::uint64_t deletions() const;

  DataView data;
  std::vector<Part> parts;
  std::vector<std::string> outputs;
  std::vector<ColumnSummary> columns;
  Features features;
};

}  // namespace bootfold::study
