// What members say of the rows that they did not see.
#pragma once

#include <vector>

#include "ensemble/fold.h"
#include "ensemble/jobs.h"
#include "ensemble/pack.h"

namespace bootfold::ensemble {

/// Rows that members are asked about, as the kernels read them: in blocks of kPoints.
class Points {
 public:
  /// Of rows [row][column], which need not outlive the call.
  Points(const float* rows, std::size_t count, std::size_t columns);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] const float* block(std::size_t index) const noexcept {
    return values_.data() + index * simd::kPoints * columns_;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t blocks_;
  std::vector<float> values_;
};

/// Sums over members at points, one for each block.
using Folds = std::vector<Fold>;

/// Adds those of later members; the first ones are taken as they are.
void merge(Folds& sums, Folds&& later);

/// What they come to; where nobody spoke all is NaN.
[[nodiscard]] Prediction finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t rows);

/// Asks members about the rows that they did not see.
class OutOfBag {
 public:
  /// Whether members of a run leave rows out.
  [[nodiscard]] static bool exists(Resampling resampling) noexcept;

  explicit OutOfBag(const Run& run);

  [[nodiscard]] std::size_t blocks() const noexcept { return points_.blocks(); }

  /// Adds one member; returns its loss on those rows.
  double add(const Job& job, const std::vector<float>& parameters, Folds& folds) const;

  /// Also finds the noise that the frame lacks, where the networks do not tell it themselves.
  [[nodiscard]] Prediction finish(const Folds& folds, const DataView& targets,
                                  Ensemble::Frame& frame) const;

 private:
  [[nodiscard]] double loss_at(const Fold& fold, std::size_t point, std::size_t row) const;

  const Run& run_;
  Points points_;
};

}  // namespace bootfold::ensemble
