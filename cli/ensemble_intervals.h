// cli/ensemble_intervals.h: how `bootfold ensemble predict` makes intervals and sets.
#pragma once

#include <optional>
#include <string>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "json.h"
#include "prediction_rows.h"

namespace bootfold::cli {

/// The method of --interval, or the default of the model if that is empty; nothing if the model has
/// no intervals, and for jackknife+. Throws InvalidArgument for what the model cannot have.
[[nodiscard]] std::optional<ensemble::IntervalMethod> interval_method(
    const std::string& interval, const ensemble::Ensemble& model);

/// The method of --sets; nothing if that is empty. Throws as interval_method() does.
[[nodiscard]] std::optional<ensemble::SetMethod> set_method(const std::string& sets,
                                                            const ensemble::Ensemble& model);

/// Says on standard error what intervals and sets do not tell. `by_default`: no method was named.
void print_interval_notes(const ensemble::Ensemble& model, const IntervalRequest& intervals,
                          bool by_default);

/// Adds the methods and the confidence to a report.
void add_intervals(const ensemble::Ensemble& model, const IntervalRequest& intervals, Json& object);

}  // namespace bootfold::cli
