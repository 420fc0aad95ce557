// Compiled functions as statistics.
#pragma once

#include <cstdint>
#include <string>

#include "bootfold/statistic.h"

namespace bootfold::python {

/// A statistic that calls what is at `address`: double(values, rows), or, if it takes `columns`,
/// double(columns, their number, rows); each with a pointer behind if it takes user data.
[[nodiscard]] Statistic native_statistic(std::uintptr_t address, bool columns, bool takes_user_data,
                                         std::uintptr_t user_data, const std::string& name);

}  // namespace bootfold::python
