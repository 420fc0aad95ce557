// statistic/evaluate.h: a statistic on rows that are at hand, by its definition.
#pragma once

#include <span>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// Fills the values of a statistic on all rows of a tile of its columns.
void evaluate(const Bound& bound, const Tile& rows, std::span<double> values);

}  // namespace bootfold::statistic
