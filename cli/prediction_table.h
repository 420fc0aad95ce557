// cli/prediction_table.h: kept columns and predictions of all rows of a file, as CSV, .npy or JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/texts.h"
#include "json.h"
#include "prediction_rows.h"

namespace bootfold::cli {

/// Each of the functions below goes through the predictions, which can be done once.
struct PredictionTable {
  PredictionRows& predictions;
  std::vector<const data::Texts*> kept;  ///< columns in front of the predictions
};

/// Names of all columns.
[[nodiscard]] std::vector<std::string> names_of(const PredictionTable& table);

/// Writes a .csv file, or the predictions alone to a .npy file. Throws Failure.
void write_table(const PredictionTable& table, const std::string& path);
/// Prints CSV.
void print_table(const PredictionTable& table);
/// One list for each column. Throws DataError for kept text that is not UTF-8.
[[nodiscard]] Json columns_of(const PredictionTable& table);
/// Throws InvalidArgument if these lists take more than `memory`.
void check_json(const PredictionTable& table, std::size_t memory);

}  // namespace bootfold::cli
