// What is asked, with statistics bound to columns and features gathered.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/statistic.h"
#include "study/features.h"
#include "study/summary.h"

namespace bootfold::study {

/// Jackknife of a function of the resample: delete single rows up to this count, otherwise this
/// many random groups of rows.
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
  std::vector<double> parameters = {};  // of the statistic
  double resolution = 0;                // bound on the error of the folded means of its features
  bool weighted = false;                // the last of its columns holds weights
  bool names_columns = false;           // as expressions do

  [[nodiscard]] std::size_t outputs() const noexcept { return bound.outputs.size(); }
  /// Whether the caller gave its value a name: "gm = exp(mean(log(price)))".
  [[nodiscard]] bool has_own_name() const;
};

struct Problem {
  /// Binds; looks at the number of columns, not at the rows. Throws InvalidArgument.
  Problem(const DataView& data, std::span<const Statistic> statistics);

  /// Sets what is known of the columns, and with it the scales of products. Throws DataError for
  /// weights that are negative or all 0.
  void set_columns(std::vector<ColumnSummary> summaries);

  /// The same problem with columns scaled by their typical size in place of their largest, for
  /// arithmetic in doubles.
  [[nodiscard]] Problem rescaled(std::span<const FeatureSummary> summaries) const;

  template <class Family>
  [[nodiscard]] bool all() const {
    for (const Part& part : parts)
      if (!std::holds_alternative<Family>(part.bound.body)) return false;
    return true;
  }

  /// Turns the means of all features over `draws` rows into the values of all parts that are
  /// functions of sums. `resolution` bounds the error of the means; without one they were folded in
  /// fixed point, with the errors that has. `scratch` grows to the room that is needed. `relative`
  /// is Folded::relative.
  void finish_sums(std::span<const double> means, double draws, std::optional<double> resolution,
                   std::span<double> values, std::vector<double>& scratch,
                   bool relative = false) const;

  /// Whether the only statistic is the mean of one column: then finish_means() turns the means of
  /// its feature in many replicates into its values.
  [[nodiscard]] bool is_mean() const;
  void finish_means(std::span<const double> means, std::span<double> values) const;

  /// Evaluations without a row, or without a group of rows, that the jackknife makes; 0 where
  /// closed forms are known.
  [[nodiscard]] std::uint64_t deletions() const;

  DataView data;
  std::vector<Part> parts;
  std::vector<std::string> outputs;
  std::vector<ColumnSummary> columns;
  Features features;
};

}  // namespace bootfold::study
