#include "ensemble/training/defaults.h"

#include <algorithm>
#include <bit>

#include "ensemble/training/member_rows.h"
#include "ensemble/training/training_context.h"

namespace bootfold::ensemble {

namespace {

constexpr std::size_t kSmallestBatch = 32;
constexpr std::size_t kLargestBatch = 256;
/// Batches of an epoch: so many steps that early stopping can choose among them.
constexpr std::size_t kBatchesOfEpoch = 64;

constexpr double kAdamRate = 1e-2;
constexpr double kSgdRate = 3e-2;

constexpr std::size_t kPatience = 10;

std::size_t usual_batch(std::size_t rows) {
  if (rows < kSmallestBatch) return Settings::kFullBatch;
  return std::clamp(std::bit_floor(rows / kBatchesOfEpoch), kSmallestBatch, kLargestBatch);
}

bool can_validate(const Training& training) {
  if (training.validation != nullptr) return true;
  return std::ranges::all_of(training.settings, [&](const Settings& settings) {
    return leaves_rows_out(training.resampling, {&settings, 1});
  });
}

}  // namespace

Training with_defaults(Training training, std::size_t rows) {
  const bool may_continue = training.start != nullptr || training.keep_optimizer;
  for (Settings& settings : training.settings) {
    if (settings.learning_rate == kAutomatic)
      settings.learning_rate = settings.optimizer == Optimizer::sgd ? kSgdRate : kAdamRate;
    if (settings.schedule == Schedule::automatic)
      settings.schedule = may_continue ? Schedule::constant : Schedule::cosine;
    if (settings.batch_size != Settings::kAutomaticBatch) continue;
    // What is wrong with the rows or their share is reported by check_training().
    const bool known = rows > 0 && (training.resampling != Resampling::subsample ||
                                    (settings.subsample > 0 && settings.subsample <= 1));
    settings.batch_size = usual_batch(known ? member_row_count(training, settings, rows) : 0);
  }
  if (training.stopping.patience == Stopping::kAutomaticPatience) {
    const bool open_end = training.steps == 0 && training.epochs == kAutomatic;
    training.stopping.patience = open_end && can_validate(training) ? kPatience : 0;
  }
  return training;
}

}  // namespace bootfold::ensemble
