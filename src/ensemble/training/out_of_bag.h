// Out-of-bag predictions: members predict the rows that they are not trained on.
#pragma once

#include <vector>

#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/selection/held_out_record.h"
#include "ensemble/training/mean_loss.h"
#include "ensemble/training/training_context.h"
#include "ensemble/training/work_schedule.h"

namespace bootfold::ensemble {

class OutOfBag {
 public:
  explicit OutOfBag(const TrainingContext& context);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Blocks first .. last - 1 of the rows.
  struct Part {
    std::size_t first;
    std::size_t last;
  };
  [[nodiscard]] Part all() const noexcept { return {0, blocks()}; }

  /// Adds the predictions of one member for the rows of a part to `sums`, its loss to `loss`, and
  /// what it predicts to `recorder` if there is one.
  void add(const Job& job, const std::vector<float>& parameters, const Part& part,
           PredictionSums& sums, MeanLoss& loss, HeldOutRecorder* recorder = nullptr) const;

 private:
  /// Adds the predictions of a network for the held-out rows of a part to sums[block of the part].
  void predict(const Part& part, const Shape& shape, const std::vector<float>& parameters,
               const std::vector<float>& held_out, BlockSums* sums) const;

  const TrainingContext& context_;
  std::size_t blocks_;
};

}  // namespace bootfold::ensemble
