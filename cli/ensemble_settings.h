// cli/ensemble_settings.h: the table of settings of a training, and the selection of members.
#pragma once

#include <string>

#include "ensemble_report.h"
#include "json.h"

namespace bootfold::cli {

/// A line for each of the settings; of many the best.
[[nodiscard]] std::string settings_as_text(const TrainRun& run);

/// The losses of the selection, and who judged.
[[nodiscard]] std::string selection_as_text(const TrainRun& run);
[[nodiscard]] Json selection_as_json(const TrainRun& run);

/// How many members with each of the settings are kept.
[[nodiscard]] std::vector<std::size_t> kept_of_settings(const TrainRun& run);

}  // namespace bootfold::cli
