// A study: the statistics bound to the columns, and what is known of the rows. Made once per call,
// and then used by plan, paths, estimates, influence, ABC and exact laws alike.
//
//     Study study(data, statistics);
//     study.look({}, execution);   // reads the rows twice
//
// The first read is all that a plan needs; the second finds exact sums for estimates and
// influences. Both can also be made piece by piece, anywhere: accept() takes merged looks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/column_look.h"
#include "study/feature_look.h"
#include "study/fixed_sums.h"
#include "study/problem.h"
#include "study/summary.h"

namespace bootfold::study {

/// What to look for in the first read.
struct LookRequest {
  std::size_t most_distinct = 0;             ///< count distinct rows up to so many
  std::size_t room = std::size_t{64} << 20;  ///< bytes that may be used for a while
};

/// How replicates draw the rows, as far as the error of their sums depends on it.
struct Drawing {
  /// All rows are drawn alike, and about once on average: no row counts more than 32 times, and
  /// none has more than 32 / rows of a replicate.
  bool even = true;
  std::uint64_t draws = 0;               ///< rows of a replicate
  std::span<const double> weights = {};  ///< of the rows, if these are drawn by weight
};

class Study {
 public:
  /// Binds; reads no row. Throws InvalidArgument.
  Study(const DataView& data, std::span<const Statistic> statistics) : problem_(data, statistics) {}

  /// Reads the columns, and then the features if there are some. Throws DataError, Cancelled.
  void look(const LookRequest& request, const Execution& execution);
  /// Reads the columns only: all that a plan needs.
  void look_at_columns(const LookRequest& request, const Execution& execution);

  /// Tells how replicates draw rows, after the look and before fixed(); `Drawing()` unless told.
  /// Reads the rows once more if they have weights. Throws Cancelled.
  void set_drawing(const Drawing& drawing, const Execution& execution);

  /// A look at all rows that was made elsewhere. Throws InvalidArgument if rows are missing.
  void accept(ColumnsLook look);
  void accept(FeaturesLook look);
  /// Looks at no row yet: the first, and the second as it is to be made after the columns are
  /// known.
  [[nodiscard]] ColumnsLook empty_columns_look(std::size_t most_distinct) const;
  [[nodiscard]] FeaturesLook empty_features_look() const;

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] const DataView& data() const noexcept { return problem_.data; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return problem_.data.rows(); }

  [[nodiscard]] const ColumnsLook& columns() const { return *columns_; }
  [[nodiscard]] const FeaturesLook& features() const { return *features_; }
  /// One for each feature of the problem, from the second look.
  [[nodiscard]] std::span<const FeatureSummary> summaries() const noexcept { return summaries_; }

  /// Whether there are more than `most_distinct` distinct rows.
  [[nodiscard]] bool many_distinct() const { return columns_->distinct().closed(); }
  /// The features of the distinct rows, if these are few, most frequent first; of equally frequent
  /// ones the one that occurs first in the data.
  [[nodiscard]] DistinctRows distinct_features() const;

  /// The features as integers (fixed_sums.h); the second call of a kind finds it made.
  [[nodiscard]] const FixedSums& fixed(double tolerance, bool all_digits) const;

 private:
  Problem problem_;
  std::optional<ColumnsLook> columns_;
  std::optional<FeaturesLook> features_;
  std::vector<FeatureSummary> rough_;  // from the first look, for fixed()
  std::vector<FeatureSummary> summaries_;
  std::uint64_t draws_ = 0;  // of a replicate, if they are more than there are rows
  mutable std::optional<FixedSums> fixed_[2];
};

}  // namespace bootfold::study
