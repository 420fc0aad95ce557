// What cannot be trained, said before anything is done.
#pragma once

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Throws InvalidArgument or DataError with the value, the rule and the remedy.
void check(const Examples& examples, const Training& training);

/// Throws InvalidArgument unless inputs, classes, targets and weights have as many rows, at
/// least one.
void check_rows(const Examples& examples);

/// Throws unless there are as many weights as rows of a prediction, all numbers that are not
/// negative; no weights are right too.
void check_weights(const Prediction& prediction, const std::optional<ColumnView>& weights);

/// Throws InvalidArgument unless rows have as many columns as the ensemble learned from.
void check_columns(const Ensemble::Frame& frame, const DataView& inputs);

}  // namespace bootfold::ensemble
