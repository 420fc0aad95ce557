// cli/json.h: pieces of the JSON that several commands print.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bootfold/interval.h"
#include "bootfold/plan.h"

namespace bootfold::cli {

/// Keys stay in the order in which they are set.
using Json = nlohmann::ordered_json;

[[nodiscard]] Json json_of(const Interval& interval);
[[nodiscard]] Json json_of(const Plan& plan);

/// The object as text: on a terminal over several lines, elsewhere on one.
[[nodiscard]] std::string dump(const Json& object);

}  // namespace bootfold::cli
