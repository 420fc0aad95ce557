// Conformal scores in the file of an ensemble (docs/ensembles.md).
#pragma once

#include <nlohmann/json.hpp>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

[[nodiscard]] nlohmann::ordered_json json_of(const ConformalScores& scores);

/// Throws InvalidArgument and nlohmann's exceptions for what json_of() cannot have written, for a
/// frame with losses and targets. Memory stays below a small multiple of the size of the text.
[[nodiscard]] ConformalScores scores_from(const nlohmann::ordered_json& json,
                                          const Ensemble::Frame& frame);

}  // namespace bootfold::ensemble
