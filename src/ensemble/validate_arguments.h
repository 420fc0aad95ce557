// Checks of arguments, made before any work. Each throws InvalidArgument or DataError with the
// value, the rule and the remedy.
#pragma once

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Examples and options of a training.
void check_training(const Examples& examples, const Training& training);

/// The loss of a training whose arguments were checked: Loss::mixed if those of targets differ.
[[nodiscard]] Loss loss_of_training(const Examples& examples, const Training& training);
/// The transform of each target of it.
[[nodiscard]] std::vector<TargetTransform> transforms_of_training(const Examples& examples,
                                                                  const Training& training,
                                                                  const Ensemble::Frame& frame);

/// Inputs, classes, targets and weights have the same number of rows, at least one.
void check_rows(const Examples& examples);

/// The sum of the weights of rows, which are finite and not negative, and not all 0.
[[nodiscard]] double total_weight(const ColumnView& weights);

/// There is one weight for each row of the prediction, finite and not negative; or no weights.
void check_weights(const Prediction& prediction, const std::optional<ColumnView>& weights);

/// The rows have as many columns as the training rows.
void check_columns(const Ensemble::Frame& frame, std::size_t columns);

/// The copy of inputs of a source, with targets and weights, fits the limit, which is as
/// Training::memory. Rows in memory are there already, so they are not checked.
void check_row_memory(const Examples& examples, std::size_t memory);

/// The inputs are not those of a source, which `what` cannot read.
void check_in_memory(const Examples& examples, const char* what);

}  // namespace bootfold::ensemble
