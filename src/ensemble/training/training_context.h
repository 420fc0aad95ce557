// What all members of a training share.
#pragma once

#include "bootfold/ensemble/training.h"
#include "ensemble/heads.h"
#include "ensemble/training/training_matrix.h"

namespace bootfold::ensemble {

struct TrainingContext {
  const TrainingMatrix& matrix;
  const Training& training;
  const Heads& heads;
  std::size_t outputs;
  execution::Level level;
  const TrainingMatrix* validation = nullptr;  // null: members are validated on out-of-bag rows
  unsigned team = 1;                           // threads that train a member together

  /// The rows of a validation; MemberTraining::validation_weights() are 0 for rows to leave out.
  [[nodiscard]] const TrainingMatrix& validation_matrix() const noexcept {
    return validation != nullptr ? *validation : matrix;
  }
};

/// Whether members are validated during the training, for early stopping or Training::epoch_done.
[[nodiscard]] bool validates(const Training& training) noexcept;
/// Rows that a member with these settings is trained on, counting repeated rows.
[[nodiscard]] std::size_t member_row_count(const Training& training, const Settings& settings,
                                           std::size_t rows);
/// Rows of a batch.
[[nodiscard]] std::size_t batch_row_count(const Training& training, const Settings& settings,
                                          std::size_t rows);
/// Steps without early stopping.
[[nodiscard]] std::uint64_t step_count(const Training& training, const Settings& settings,
                                       std::size_t rows);
/// Steps between validations; not a whole number if epochs are none.
[[nodiscard]] double validation_steps(const Training& training, const Settings& settings,
                                      std::size_t rows);

}  // namespace bootfold::ensemble
