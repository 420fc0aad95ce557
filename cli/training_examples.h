// cli/training_examples.h: the rows of files as training examples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/ensemble/encoding.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/source.h"
#include "bootfold/tables.h"
#include "examples_reader.h"

namespace bootfold::cli {

/// The input columns of files, read again in each pass.
class InputColumns final : public data::Source {
 public:
  /// Those from column `first` on. `tables` must outlive the source.
  InputColumns(const data::Tables& tables, std::size_t first);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return tables_.rows();
  }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override;

 private:
  const data::Tables& tables_;
  std::size_t first_;
  std::vector<std::string> names_;
};

/// The training examples of files. Targets and weights are in memory; inputs are read again, so
/// that training keeps the only copy of them, as float32.
class TrainingExamples {
 public:
  /// Reads the files once. `memory` is the limit of the rows as float32, as Training::memory.
  /// Throws InvalidArgument and DataError.
  TrainingExamples(const ExampleArguments& arguments, std::size_t memory);

  [[nodiscard]] ensemble::Examples examples() const;
  /// What other rows must match: names and encoding of inputs, target, classes, and the task.
  [[nodiscard]] ensemble::Ensemble::Frame frame() const;
  /// Of --weights only: class weights are used in the loss, not in scores.
  [[nodiscard]] const std::optional<ColumnView>& score_weights() const noexcept {
    return weight_column_;
  }
  /// Weight of each class in the loss; empty: equal weights.
  [[nodiscard]] const std::vector<double>& class_weights() const noexcept { return class_weights_; }
  [[nodiscard]] std::optional<ensemble::Loss> loss() const noexcept { return loss_; }
  [[nodiscard]] std::size_t count() const noexcept { return rows_; }
  [[nodiscard]] std::size_t omitted() const noexcept { return omitted_; }
  /// Rows that --where left out.
  [[nodiscard]] std::size_t filtered() const noexcept { return filtered_; }
  /// What should be known about the inputs, a sentence each.
  [[nodiscard]] std::vector<std::string> input_notes() const { return learner_->notes(); }
  /// What reading assumed about the file.
  [[nodiscard]] const std::string& note() const noexcept { return tables_.note(); }

 private:
  void check_memory(const ExampleArguments& arguments, std::uint64_t rows, const char* more,
                    std::size_t limit) const;
  void read(const ExampleArguments& arguments, std::size_t memory);
  void check_columns() const;
  void weigh(const ExampleArguments& arguments);

  std::optional<ensemble::Loss> loss_;
  std::vector<ensemble::Loss> losses_;
  bool classify_ = false;
  std::size_t target_count_ = 0;  // columns of numbers
  bool weighted_ = false;
  std::shared_ptr<ensemble::EncodingLearner> learner_;
  ensemble::Encoding encoding_;
  data::Tables tables_;  // columns in the order targets, weights, inputs
  InputColumns source_;
  std::size_t rows_ = 0;
  std::size_t omitted_ = 0;
  std::size_t filtered_ = 0;
  data::Labels classes_;
  std::vector<std::vector<double>> columns_;  // targets and weights
  DataView targets_;
  std::optional<ColumnView> weight_column_;
  std::vector<double> class_weights_;  // empty: all 1
  std::vector<double> weights_;        // of both, where classes have some
};

/// Weights of rows in the loss: row weight times class weight.
[[nodiscard]] std::vector<double> weigh_rows(const std::optional<ColumnView>& weights,
                                             const std::vector<double>& class_weights,
                                             const std::vector<std::uint32_t>& classes);

}  // namespace bootfold::cli
