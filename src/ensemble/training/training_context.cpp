#include "ensemble/training/training_context.h"

#include <algorithm>
#include <cmath>

#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

bool validates(const Training& training) noexcept {
  if (training.stopping.patience > 0) return true;
  return training.epoch_done && (training.validation != nullptr ||
                                 leaves_rows_out(training.resampling, training.settings));
}

std::size_t member_row_count(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.resampling != Resampling::subsample) return rows;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(settings.subsample * static_cast<double>(rows))), 1,
      rows);
}

std::size_t batch_row_count(const Training& training, const Settings& settings, std::size_t rows) {
  return settings.batch_size == 0 ? member_row_count(training, settings, rows)
                                  : settings.batch_size;
}

namespace {

/// The length of a training whose options leave it open.
constexpr double kUsualEpochs = 100;
constexpr double kFewestSteps = 2000;
constexpr double kMostSteps = 20'000;
/// Validations of a whole training, at most.
constexpr double kMostValidations = 100;

/// Steps of an epoch; not a whole number if the rows are no whole number of batches.
double epoch_steps(const Training& training, const Settings& settings, std::size_t rows) {
  return static_cast<double>(member_row_count(training, settings, rows)) /
         static_cast<double>(batch_row_count(training, settings, rows));
}

}  // namespace

std::uint64_t step_count(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.steps > 0) return training.steps;
  const double epoch = epoch_steps(training, settings, rows);
  const double steps = training.epochs == kAutomatic
                           ? std::clamp(kUsualEpochs * epoch, kFewestSteps, kMostSteps)
                           : training.epochs * epoch;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(steps)));
}

double validation_steps(const Training& training, const Settings& settings, std::size_t rows) {
  const double epoch = epoch_steps(training, settings, rows);
  if (training.stopping.look_every != kAutomatic) return training.stopping.look_every * epoch;
  return std::max(epoch,
                  static_cast<double>(step_count(training, settings, rows)) / kMostValidations);
}

}  // namespace bootfold::ensemble
