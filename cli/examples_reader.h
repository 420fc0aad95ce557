// cli/examples_reader.h: reads the rows of a file as examples: input columns and target columns.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "dialect.h"

namespace bootfold::cli {

/// A heading of the help page.
inline constexpr const char* kToLearn = "What to learn";

/// As typed.
struct ExampleArguments {
  std::vector<std::string> files;
  std::string where;
  std::vector<std::string> target;
  std::string task;
  std::string loss;
  std::vector<std::string> inputs;
  std::vector<std::string> ignored;
  std::string weights;
  std::vector<std::string> kept;
  std::string class_weights = "none";
  std::string nan = "error";
  std::string header = "auto";
  DialectArguments dialect;
};

void add_example_arguments(CLI::App& command, ExampleArguments& arguments);
/// Only FILE, --nan and --where under a heading of the help page, --header and the dialect.
void add_file_arguments(CLI::App& command, ExampleArguments& arguments, const char* group);

/// The training examples of a file.
class TrainingExamples {
 public:
  /// Reads the file. Throws InvalidArgument and DataError.
  explicit TrainingExamples(const ExampleArguments& arguments);

  [[nodiscard]] ensemble::Examples examples() const;
  /// What other rows must match: names of inputs and target, classes, and the task.
  [[nodiscard]] ensemble::Ensemble::Frame frame() const;
  /// Of --weights only: class weights are used in the loss, not in scores.
  [[nodiscard]] const std::optional<ColumnView>& score_weights() const noexcept {
    return weight_column_;
  }
  /// Weight of each class in the loss; empty: equal weights.
  [[nodiscard]] const std::vector<double>& class_weights() const noexcept { return class_weights_; }
  [[nodiscard]] std::optional<ensemble::Loss> loss() const noexcept { return loss_; }
  [[nodiscard]] std::size_t count() const noexcept { return table_.view().rows(); }
  [[nodiscard]] const data::Table& table() const noexcept { return table_; }
  [[nodiscard]] std::size_t omitted() const noexcept { return table_.omitted(); }
  /// What reading assumed about the file.
  [[nodiscard]] const std::string& note() const noexcept { return table_.note(); }

 private:
  void take_columns(const ExampleArguments& arguments, bool classes, std::size_t targets);
  void weigh(const ExampleArguments& arguments);

  std::optional<ensemble::Loss> loss_;
  data::Table table_;
  const data::Labels* classes_ = nullptr;
  DataView inputs_;
  DataView targets_;
  std::optional<ColumnView> weight_column_;
  std::vector<double> class_weights_;  // empty: all 1
  std::vector<double> weights_;        // of both, where classes have some
};

/// Weights of rows in the loss: row weight times class weight.
[[nodiscard]] std::vector<double> weigh_rows(const std::optional<ColumnView>& weights,
                                             const std::vector<double>& class_weights,
                                             const std::vector<std::uint32_t>& classes);

/// Rows of a file for a trained ensemble: its inputs by name and, on request, the target, a column
/// of weights, and columns of text that are kept.
class ModelExamples {
 public:
  ModelExamples(const ExampleArguments& arguments, const ensemble::Ensemble::Frame& frame,
                bool with_target);

  [[nodiscard]] const DataView& inputs() const noexcept { return inputs_; }
  /// The true classes, numbered as in the ensemble.
  [[nodiscard]] const std::vector<std::uint32_t>& classes() const noexcept { return classes_; }
  [[nodiscard]] const DataView& targets() const noexcept { return targets_; }
  /// Of --weights, if it names a column.
  [[nodiscard]] const std::optional<ColumnView>& weights() const noexcept { return weights_; }
  /// Of --keep: all rows of the file, also omitted ones.
  [[nodiscard]] std::vector<const data::Texts*> kept() const;
  [[nodiscard]] const data::Table& table() const noexcept { return table_; }
  [[nodiscard]] std::size_t omitted() const noexcept { return table_.omitted(); }
  /// What reading assumed about the file.
  [[nodiscard]] const std::string& note() const noexcept { return table_.note(); }
  /// Ascending, counted from 0 among all rows of the file.
  [[nodiscard]] const std::vector<std::size_t>& omitted_rows() const noexcept {
    return table_.omitted_rows();
  }

 private:
  data::Table table_;
  std::size_t kept_ = 0;  // columns
  DataView inputs_;
  DataView targets_;
  std::optional<ColumnView> weights_;
  std::vector<std::uint32_t> classes_;
};

}  // namespace bootfold::cli
