// The order of labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bootfold::data {

/// Where each name goes: sorted by value if all are numbers, else by bytes; combinations (with
/// kLabelParts) part by part. order[place] = name.
[[nodiscard]] std::vector<std::uint32_t> label_order(const std::vector<std::string>& names);

}  // namespace bootfold::data
