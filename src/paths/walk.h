// Path `stream` for functions of sums, quantiles and trimmed means, in any mixture.
#pragma once

#include <memory>
#include <string>

#include "paths/entry.h"

namespace bootfold::paths::walk {

[[nodiscard]] bool suits(const Question& question);
/// Why the scheme does not suit; empty: it does.
[[nodiscard]] std::string serves(const Question& question);
[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

/// The same from rows that arrive in pieces (planning/part_engine.h): why not; empty: it can.
[[nodiscard]] std::string no_parts(const Question& question);
[[nodiscard]] std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                                  const Resources& resources);

}  // namespace bootfold::paths::walk
