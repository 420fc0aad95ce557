// cli/prediction_rows.h: the predictions of an ensemble for the rows of a file, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "rows_to_predict.h"

namespace bootfold::cli {

/// Prediction intervals of numbers and prediction sets of classes.
struct IntervalRequest {
  double confidence = 0.95;
  /// Method of the intervals; empty: there are none, or those of jackknife+.
  std::optional<ensemble::IntervalMethod> method = {};
  /// The training rows, which jackknife+ needs; null: another method.
  const ensemble::Examples* training_examples = nullptr;
  std::optional<ensemble::SetMethod> sets = {};
};

/// Goes through all rows of a file, in order: call next(), then read the columns of that row. Rows
/// are predicted in batches. A row with a missing input has its turn too, without a prediction.
class PredictionRows {
 public:
  /// A batch has as many rows as fit in `memory`, at least 64. All arguments must outlive it.
  PredictionRows(const ensemble::Ensemble& ensemble, const RowsToPredict& rows,
                 const IntervalRequest& intervals, std::size_t memory, Execution execution);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Rows of the file, with and without a prediction.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_.rows(); }
  /// The names of the columns of --keep.
  [[nodiscard]] const std::vector<std::string>& kept_names() const noexcept {
    return rows_.kept_names();
  }
  /// Rows so far that are outside the range of the training rows.
  [[nodiscard]] std::size_t outside_rows() const noexcept { return outside_rows_; }

  /// Moves to the next row; false if there are no more. Throws InvalidArgument, DataError,
  /// Cancelled.
  bool next();
  /// The row, counted from 0.
  [[nodiscard]] std::size_t row() const noexcept { return before_ + next_row_ - 1; }
  /// The text of a column of --keep in this row.
  [[nodiscard]] std::string_view kept(std::size_t column) const {
    return table_->texts(column)[next_row_ - 1];
  }
  /// Whether the row has no prediction, because an input is missing.
  [[nodiscard]] bool empty() const noexcept { return empty_; }
  /// The name of the predicted class; null for a regression.
  [[nodiscard]] const std::string* class_name() const;
  /// Whether a column has prediction sets.
  [[nodiscard]] bool has_sets(std::size_t column) const { return set_columns_.contains(column); }
  /// The classes of the set in such a column, or 0 and 1.
  [[nodiscard]] std::vector<std::string> set(std::size_t column) const;
  /// All columns as numbers; a class is its number from 0, and a set the number of its classes. All
  /// NaN if the row is empty.
  [[nodiscard]] std::vector<double> values() const;

 private:
  bool next_table();
  void predict_batch();
  void find_intervals(const DataView& inputs, const Execution& execution);
  /// Adds the columns of a target in this row.
  void add_target(std::size_t target, std::vector<double>& values) const;
  [[nodiscard]] const ensemble::Limits& own_limits(std::size_t target) const {
    return limits_[at_ * targets_.size() + target];
  }
  /// The number of classes in the set of this row, or of values of a target of 0 and 1.
  [[nodiscard]] double set_size(std::size_t target) const;
  /// The entries of a set in sets_: the first and their number.
  [[nodiscard]] std::span<const std::uint8_t> set_of(std::size_t target) const;

  const ensemble::Ensemble& ensemble_;
  const RowsToPredict& rows_;
  IntervalRequest intervals_;
  std::size_t memory_;
  Execution execution_;
  std::map<std::size_t, std::size_t> set_columns_;  // targets of the columns of sets
  std::vector<std::string> names_;                  // after set_columns_, which they fill
  std::vector<ensemble::TargetColumns> targets_;
  std::size_t at_once_;
  std::unique_ptr<data::TablePass> pass_;
  std::optional<data::Table> table_;  // that has the row
  std::size_t table_rows_ = 0;        // of all its rows
  std::size_t before_ = 0;            // rows of the tables before it
  std::size_t predicted_ = 0;         // complete rows of the tables before it
  std::size_t next_row_ = 0;          // of the table
  std::size_t next_omitted_ = 0;      // index in its omitted rows
  std::size_t outside_rows_ = 0;
  bool empty_ = false;
  std::size_t first_ = 0;  // complete row of the table that begins the next batch
  std::size_t at_ = 0;     // in the batch
  std::size_t next_at_ = 0;
  ensemble::Prediction prediction_;  // of the batch
  std::vector<ensemble::Limits> limits_;
  std::vector<std::uint8_t> sets_;  // as prediction_sets() has them
};

}  // namespace bootfold::cli
