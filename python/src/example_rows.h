// Rows with classes or targets, of arrays.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "columns.h"

namespace bootfold::python {

/// Examples, with the arrays that they refer to.
class ExampleRows {
 public:
  ExampleRows(MatrixInput inputs, std::vector<std::string> names, std::optional<Codes> codes,
              std::vector<std::string> classes, std::optional<MatrixInput> targets,
              std::vector<std::string> target_names, std::optional<Doubles> weights,
              std::string target, std::optional<ensemble::Encoding> encoding)
      : inputs_(std::move(inputs)),
        targets_(std::move(targets)),
        weights_(std::move(weights)),
        target_names_(std::move(target_names)),
        encoding_(std::move(encoding)),
        examples_{view_of(inputs_, names)} {
    if (encoding_) examples_.encoding = &*encoding_;
    if (codes) {
      labels_ = {
          {codes->data(), codes->data() + codes->size()}, std::move(classes), std::move(target)};
      examples_.classes = &labels_;
    }
    if (targets_) examples_.targets = view_of(*targets_, target_names_);
    if (weights_)
      examples_.weights = ColumnView(std::span<const double>(weights_->data(), weights_->size()));
  }
  ExampleRows(const ExampleRows&) = delete;  // examples refer to labels
  ExampleRows& operator=(const ExampleRows&) = delete;

  [[nodiscard]] const ensemble::Examples& examples() const noexcept { return examples_; }

 private:
  MatrixInput inputs_;
  std::optional<MatrixInput> targets_;
  std::optional<Doubles> weights_;
  std::vector<std::string> target_names_;
  data::Labels labels_;
  std::optional<ensemble::Encoding> encoding_;
  ensemble::Examples examples_;
};

}  // namespace bootfold::python
