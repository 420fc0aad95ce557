#include "ensemble/training/training_context.h"

#include <algorithm>
#include <cmath>

#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

bool validates(const Training& training) noexcept {
  if (training.stopping.patience > 0) return true;
  return training.epoch_done &&
         (training.validation != nullptr || leaves_rows_out(training.resampling));
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

std::uint64_t step_count(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.steps > 0) return training.steps;
  const auto rows_each = static_cast<double>(member_row_count(training, settings, rows));
  const auto batch = static_cast<double>(batch_row_count(training, settings, rows));
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(training.epochs * rows_each / batch)));
}

}  // namespace bootfold::ensemble
