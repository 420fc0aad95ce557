// cli/prediction_table.h: kept columns and predictions of all rows of a file, as CSV, .npy or JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "json.h"
#include "prediction_rows.h"

namespace bootfold::cli {

/// Names of all columns: those of --keep, and those of the predictions.
[[nodiscard]] std::vector<std::string> names_of(const PredictionRows& predictions);

// Each of the functions below goes through the predictions, which can be done once.

/// Writes a .csv file, or the predictions alone to a .npy file. Throws Failure.
void write_table(PredictionRows& predictions, const std::string& path);
/// Prints CSV.
void print_table(PredictionRows& predictions);
/// One list for each column. Throws DataError for kept text that is not UTF-8.
[[nodiscard]] Json columns_of(PredictionRows& predictions);
/// Throws InvalidArgument if these lists take more than `memory`.
void check_json(const PredictionRows& predictions, std::size_t memory);

}  // namespace bootfold::cli
