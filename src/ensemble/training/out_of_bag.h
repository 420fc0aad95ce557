// What members say of the rows that they did not see.
#pragma once

#include <vector>

#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/training/pack_trainer.h"
#include "ensemble/training/work_schedule.h"

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

/// Bytes of sums at so many points: sums, squares and variances in double, what a member just said,
/// counts.
[[nodiscard]] constexpr std::size_t bytes_of_sums(std::size_t points,
                                                  std::size_t outputs) noexcept {
  return points * (outputs * 48 + 24);
}

/// The loss of one member on rows, those that it was last asked about, one after the other.
class MeanLoss {
 public:
  /// `row` of the table is the point row % kPoints of what the fold was last asked.
  void add(Loss loss, const Table& table, std::size_t row, const Fold& fold);
  /// NaN of no rows.
  [[nodiscard]] double mean() const noexcept { return sum_ / weight_; }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

/// Adds those of later members; the first ones are taken as they are.
void merge(Folds& sums, Folds&& later);

/// What they come to, as rows first, first + 1, ... of a prediction.
void finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t first, Prediction& said);

/// What sums over all points come to; where nobody spoke all is NaN.
[[nodiscard]] Prediction finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t rows);

/// Asks members about the rows that they did not see.
class OutOfBag {
 public:
  /// Whether members of a run leave rows out.
  [[nodiscard]] static bool exists(Resampling resampling) noexcept;

  explicit OutOfBag(const Run& run);

  [[nodiscard]] std::size_t blocks() const noexcept { return points_.blocks(); }

  /// Blocks first .. last - 1 of the rows.
  struct Part {
    std::size_t first;
    std::size_t last;
  };
  [[nodiscard]] Part all() const noexcept { return {0, blocks()}; }

  /// Adds one member at the rows of a part, and its loss there.
  void add(const Job& job, const std::vector<float>& parameters, const Part& part, Folds& folds,
           MeanLoss& loss) const;

 private:
  const Run& run_;
  Points points_;
};

}  // namespace bootfold::ensemble
