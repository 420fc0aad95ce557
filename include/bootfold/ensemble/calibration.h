// bootfold/ensemble/calibration.h: probabilities that are as right as they sound.
//
//     auto trained = ensemble::train(examples, {.hidden = {32}});
//     auto calibrated = ensemble::calibrate(trained, examples);
//     calibrated.frame().temperature;   // 0.8: they were too modest
//
//     auto folded = ensemble::fold(examples, training, points);   // no members are left
//     double t = ensemble::likeliest_temperature(folded.out_of_bag, examples.classes->codes);
//     auto said = ensemble::tempered(folded.prediction, t);
//
// Means of members that saw two thirds of the rows each are often too modest, networks trained for
// long too sure. One number mends both, the temperature T: a probability p becomes p^(1/T), divided
// by the sum over the classes. Rows that members never saw find it, so none need be set aside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// What was said of classes, at another temperature: below 1 surer, above 1 less sure; which class
/// is the likeliest stays. The total uncertainty is the entropy of the new probabilities; aleatoric
/// and epistemic keep their shares of it. Throws InvalidArgument for a temperature that is not
/// above 0 and finite, and for what was said of numbers.
[[nodiscard]] BOOTFOLD_API Prediction tempered(Prediction said, double temperature);

/// The temperature, from 1/20 to 20, under which the true classes are likeliest. Half a row counts
/// as wrong beside those there are, so that nobody becomes all too sure by few rows that were
/// right. Rows of which no member speaks do not count, others by their weights. Throws
/// InvalidArgument where none counts or their numbers do not fit, DataError for a weight that is
/// negative or no number.
[[nodiscard]] BOOTFOLD_API double likeliest_temperature(
    const Prediction& said, std::span<const std::uint32_t> truth,
    const std::optional<ColumnView>& weights = std::nullopt);

/// The same members at the likeliest temperature for the rows of `held_out` or, without them, for
/// those of the training, `examples`, each told by the members that never saw it. Those are few
/// where members are few, and the mean of few is surer than that of all: have some 30 members or
/// more, or `held_out`. Rows count by their weights, which should not have weights of classes in
/// them. Scores on the rows that found the temperature are a little too good: it is one number.
/// Throws InvalidArgument for a regression, and where members saw all rows and there is no
/// `held_out`; DataError; Cancelled.
[[nodiscard]] BOOTFOLD_API Ensemble calibrate(Ensemble ensemble, const Examples& examples,
                                              const Examples* held_out = nullptr,
                                              const Execution& execution = {});

}  // namespace bootfold::ensemble
