// bootfold/ensemble/calibration.h: temperature scaling of class probabilities.
//
//     auto trained = ensemble::train(examples, {.hidden = {32}});
//     auto calibrated = ensemble::calibrate(trained, examples);
//     calibrated.frame().temperature;   // 0.8: the probabilities were underconfident
//
//     auto streamed = ensemble::train_and_predict(examples, training, points);   // keeps no
//     members double t = ensemble::fit_temperature(streamed.out_of_bag, examples.classes->codes);
//     auto prediction = ensemble::apply_temperature(streamed.prediction, t);
//
// The mean of members that were trained on two thirds of the rows each is often underconfident;
// networks that were trained for long are often overconfident. The temperature T corrects both: a
// probability p becomes p^(1/T), normalized over the classes. T is fitted to out-of-bag
// predictions, so no rows have to be set aside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// Returns the class probabilities at another temperature: more confident below 1, less confident
/// above 1. The predicted class does not change. The total uncertainty becomes the entropy of the
/// new probabilities; the shares of aleatoric and epistemic uncertainty do not change. Throws
/// InvalidArgument for a temperature that is not positive and finite, and for a regression.
[[nodiscard]] BOOTFOLD_API Prediction apply_temperature(Prediction prediction, double temperature);

/// The temperature, from 1/20 to 20, with the highest likelihood of the true classes. Adds half a
/// misclassified pseudo-row, so that a small, perfectly classified set does not drive T to its
/// lower bound. Rows count by their weights; rows that no member predicts are left out. Throws
/// InvalidArgument if no row is left or if the numbers of rows differ; DataError for a weight that
/// is negative or not finite.
[[nodiscard]] BOOTFOLD_API double fit_temperature(
    const Prediction& prediction, std::span<const std::uint32_t> truth,
    const std::optional<ColumnView>& weights = std::nullopt);

/// Returns the ensemble at the temperature that is fitted to `held_out` or, without it, to the
/// out-of-bag predictions of the training rows, `examples`; targets with loss binary have a
/// temperature each (Ensemble::Frame::temperatures). With few members an out-of-bag
/// prediction is the mean of very few, which is more confident than the mean of all: use about 30
/// members or more, or `held_out`. Rows count by their weights, which should not contain class
/// weights. Scores on the rows that the temperature was fitted to are slightly optimistic. Throws
/// InvalidArgument if there are neither classes nor targets of 0 and 1, and without `held_out` if
/// members are trained on all rows; DataError; Cancelled.
[[nodiscard]] BOOTFOLD_API Ensemble calibrate(Ensemble ensemble, const Examples& examples,
                                              const Examples* held_out = nullptr,
                                              const Execution& execution = {});

}  // namespace bootfold::ensemble
