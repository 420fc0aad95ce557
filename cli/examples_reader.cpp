#include "examples_reader.h"

#include <fmt/format.h>

#include "arguments.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "text.h"

namespace bootfold::cli {

void check_file(const ExampleArguments& arguments) {
  if (arguments.files.empty() || arguments.files[0].empty()) throw InvalidArgument(kNoFile);
}

std::string file_words(const ExampleArguments& arguments) {
  const std::string first = one_line(arguments.files[0]);
  return arguments.files.size() == 1 ? first : first + " and others";
}

bool encodes_missing(const ExampleArguments& arguments) {
  return arguments.nan.empty() ||
         one_of("--nan", arguments.nan, {"encode", "error", "omit"}) == "encode";
}

std::shared_ptr<data::FieldCodes> codes_of(const ExampleArguments& arguments,
                                           const ensemble::Ensemble::Frame& frame) {
  const bool keep = encodes_missing(arguments);
  if (arguments.nan == "encode" && (frame.encoding.empty() || !frame.encoding.accepts_missing))
    throw InvalidArgument(
        "--nan is encode but the model was trained without missing values; use --nan omit, or "
        "train "
        "again with --nan encode");
  if (frame.encoding.empty()) return nullptr;
  return std::make_shared<ensemble::EncodingCodes>(frame.encoding, 0, keep);
}

data::ReadOptions read_options(const ExampleArguments& arguments) {
  check_file(arguments);
  data::ReadOptions options;
  if (!encodes_missing(arguments) && arguments.nan == "omit") options.nan = data::NanPolicy::omit;
  if (one_of("--header", arguments.header, {"yes", "no", "auto"}) != "auto")
    options.header = arguments.header == "yes";
  options.where = arguments.where;
  set_dialect(arguments.dialect, options);
  return options;
}

DataView columns_of(const data::Table& table, std::size_t first, std::size_t count) {
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (std::size_t c = first; c < first + count; ++c) {
    columns.push_back(table.view().column(c));
    names.push_back(table.names()[c]);
  }
  return {std::move(columns), std::move(names)};
}

void check_inputs(const ExampleArguments& arguments, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& columns) {
  // A name that is a number must not select another column by its position.
  for (std::size_t c = 0; c < inputs.size(); ++c)
    if (columns[c] != inputs[c])
      throw InvalidArgument(fmt::format(
          "{} has no column '{}', which the model needs (column {} is named '{}')",
          file_words(arguments), one_line(inputs[c]), one_line(inputs[c]), one_line(columns[c])));
}

void add_file_arguments(CLI::App& command, ExampleArguments& arguments, const char* group) {
  command.add_option("FILE", arguments.files, kFileHelp)->option_text(" ");
  add_text(command, "--nan", arguments.nan, "encode|error|omit",
           "Rows with a missing input: use them, stop at the first, or leave them out [encode, if "
           "the model was trained so]")
      ->group(group);
  add_text(command, "--where", arguments.where, "CONDITION", kWhereHelp)->group(group);
  add_text(command, "--header", arguments.header, "yes|no|auto", kHeaderHelp)->group(kFile);
  add_dialect_arguments(command, arguments.dialect, kFile);
}

void add_example_arguments(CLI::App& command, ExampleArguments& arguments) {
  add_target_arguments(command, arguments.targets);
  add_list(command, "--input", arguments.inputs, "NAME",
           "Columns to learn from; repeat it or separate by commas [all others]")
      ->group(kToLearn);
  add_list(command, "--ignore", arguments.ignored, "NAME", "Columns that are no inputs")
      ->group(kToLearn);
  add_list(
      command, "--categorical", arguments.categorical, "NAME",
      "Inputs whose numbers are codes, such as zip codes; text is categorical by itself [none]")
      ->group(kToLearn);
  add_list(command, "--dates", arguments.dates, "NAME",
           "Inputs that are dates, 2024-01-28 or 2024-01-28 13:05; the networks see time, month, "
           "weekday and hour [none]")
      ->group(kToLearn);
  add_text(command, "--bins", arguments.bins, "N|auto",
           "Bins of the piecewise linear encoding of numbers; auto: 16 with 1,000 rows or more, "
           "fewer for many columns or rows; 0: none [auto]")
      ->group(kToLearn);
  add_text(command, "--bin-edges", arguments.bin_edges, "auto|quantiles|tree",
           "Edges of bins: quantiles of the rows, or splits of a decision tree on the column that "
           "predicts the target, which auto is [auto]")
      ->group(kToLearn);
  add_text(command, "--winsorize", arguments.winsorize, "SHARE|auto",
           "Replace numbers beyond the quantiles of SHARE and 1 - SHARE of the rows by these "
           "quantiles; auto: 0.001 with 1,000 rows or more, unless more than 128 columns have more "
           "than two numbers; 0: none [auto]")
      ->group(kToLearn);
  add_text(command, "--periodic", arguments.periodic, "N",
           "Frequencies of periodic features of numbers, a sine and a cosine each [0]")
      ->group(kToLearn);
  add_text(command, "--periodic-scale", arguments.periodic_scale, "X",
           "Standard deviation of the frequencies, in periods for each standard deviation of the "
           "column [0.3]")
      ->group(kToLearn);
  add_text(command, "--levels", arguments.levels, "N",
           "Levels of a category with a column of their own; others share columns [64]")
      ->group(kToLearn);
  add_text(command, "--weights", arguments.weights, "NAME",
           "Column of weights of the rows in the loss [all the same]")
      ->group(kToLearn);
  add_text(command, "--class-weights", arguments.class_weights, "none|balanced",
           "balanced: rare classes count as much as frequent ones [none]")
      ->group(kToLearn);
  add_file_arguments(command, arguments, kToLearn);
  command.get_option("--nan")->description(
      "Missing inputs: a column of their own and the median (numbers), or a level of their own "
      "(categories); stop at the first; or leave out such rows [encode]");
}

ModelExamples::ModelExamples(const ExampleArguments& arguments,
                             const ensemble::Ensemble::Frame& frame)
    : table_([&] {
        data::ReadOptions options = read_options(arguments);
        options.columns = frame.inputs;
        options.codes = codes_of(arguments, frame);
        const std::vector<std::string> named = split_list(arguments.targets.columns);
        if (ensemble::has_classes(frame.loss)) {
          options.labels = named.empty() ? std::vector{frame.target} : named;
          if (options.labels.size() != 1)
            throw InvalidArgument("--target names several columns but classes are in one");
        } else {
          const std::vector<std::string>& truth = named.empty() ? frame.classes : named;
          if (truth.size() != frame.classes.size())
            throw InvalidArgument(fmt::format("--target names {} columns but the model has {}",
                                              truth.size(), frame.classes.size()));
          options.columns.insert(options.columns.end(), truth.begin(), truth.end());
        }
        if (!arguments.weights.empty()) options.columns.push_back(arguments.weights);
        return data::read(arguments.files, options);
      }()) {
  const std::size_t count = frame.inputs.size();
  check_inputs(arguments, frame.inputs, table_.names());
  inputs_ = columns_of(table_, 0, count);
  const std::size_t weights = arguments.weights.empty() ? 0 : 1;
  targets_ = columns_of(table_, count, table_.view().columns() - count - weights);
  if (weights > 0) weights_ = table_.view().column(table_.view().columns() - 1);
  if (!ensemble::has_classes(frame.loss)) return;
  try {
    classes_ = ensemble::class_codes(frame, table_.labels());
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", file_words(arguments), error.what()));
  }
}

}  // namespace bootfold::cli
