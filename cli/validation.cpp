#include "validation.h"

#include <algorithm>

#include "bootfold/error.h"

namespace bootfold::cli {
namespace {

ExampleArguments arguments_of(const std::string& file, const ExampleArguments& training) {
  if (file == "-" && std::count(training.files.begin(), training.files.end(), "-") > 0)
    throw InvalidArgument(
        "FILE and --validation are both standard input, which can be read once; put one into a "
        "file");
  ExampleArguments arguments;
  arguments.files = {file};
  arguments.where = training.where;
  arguments.weights = training.weights;
  arguments.nan = training.nan;
  arguments.header = training.header;
  arguments.dialect = training.dialect;
  return arguments;
}

}  // namespace

ValidationExamples::ValidationExamples(const std::string& file, const ExampleArguments& arguments,
                                       const TrainingExamples& rows)
    : rows_(arguments_of(file, arguments), rows.frame()) {
  const ensemble::Ensemble::Frame frame = rows.frame();
  examples_.inputs = rows_.inputs();
  examples_.weights = rows_.weights();
  if (!ensemble::has_classes(frame.loss)) {
    examples_.targets = rows_.targets();
    return;
  }
  classes_ = {rows_.classes(), frame.classes, frame.target};
  examples_.classes = &classes_;
  if (rows.class_weights().empty()) return;
  weights_ = weigh_rows(rows_.weights(), rows.class_weights(), classes_.codes);
  examples_.weights = ColumnView(weights_);
}

}  // namespace bootfold::cli
