// The weight that rows have in the data, and where it comes from as it moves to one of them.
//
// Moving a share h of all weight to row i moves the means to m + h (f_i - c_i). If it comes from
// all rows alike, c_i = m. Under strata it comes from the row's own stratum and c_i are the
// stratum's means: a scheme that draws within strata never changes their shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "resample/design.h"
#include "resample/numbering.h"
#include "study/problem.h"

namespace bootfold::jackknife {

class Measure {
 public:
  /// All rows alike.
  explicit Measure(std::uint64_t rows) : rows_(static_cast<double>(rows)) {}

  /// As the design has it: strata and weights matter, all else is alike. If there are weights the
  /// means of `features` become weighted ones. One pass. Throws Cancelled.
  Measure(const resample::Design& design, const study::Problem& problem,
          std::span<study::FeatureSummary> features, const Execution& execution);

  /// Means of the row's stratum, one for each feature; null: those of all rows.
  [[nodiscard]] const double* centre(std::uint64_t row) const {
    return labels_.empty() ? nullptr : means_.data() + number_(labels_[row]) * features_;
  }

  /// Of all weight n, what the row has: n times its probability.
  [[nodiscard]] double weight(std::uint64_t row) const {
    return weights_.empty() ? 1 : rows_ * (weights_[row] / total_);
  }

  /// The share of all weight that deleting the row moves to the others: 0 if there are none, or if
  /// it has no weight.
  [[nodiscard]] double deletion(std::uint64_t row) const;

  [[nodiscard]] bool weighted() const noexcept { return !weights_.empty(); }

 private:
  double rows_;
  std::span<const std::uint32_t> labels_;
  resample::Numbering number_;  // of the labels
  std::span<const double> weights_;
  double total_ = 0;
  std::size_t features_ = 0;
  std::vector<double> sizes_;  // of strata, by number
  std::vector<double> means_;  // [number][feature]
};

}  // namespace bootfold::jackknife
