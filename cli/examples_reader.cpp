#include "examples_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "arguments.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "json.h"
#include "text.h"

namespace bootfold::cli {
namespace {

using ensemble::Loss;

// A column with more distinct values than this and fewer than two rows for each is not a class.
constexpr std::size_t kManyClasses = 100;

void check_file(const ExampleArguments& arguments) {
  if (arguments.files.empty() || arguments.files[0].empty()) throw InvalidArgument(kNoFile);
}

/// What messages call the files.
std::string file_words(const ExampleArguments& arguments) {
  const std::string first = one_line(arguments.files[0]);
  return arguments.files.size() == 1 ? first : first + " and others";
}

data::ReadOptions read_options(const ExampleArguments& arguments) {
  check_file(arguments);
  data::ReadOptions options;
  if (one_of("--nan", arguments.nan, {"error", "omit"}) == "omit")
    options.nan = data::NanPolicy::omit;
  if (one_of("--header", arguments.header, {"yes", "no", "auto"}) != "auto")
    options.header = arguments.header == "yes";
  options.where = arguments.where;
  set_dialect(arguments.dialect, options);
  return options;
}

/// The task, as far as it is given.
struct Goal {
  std::optional<Loss> loss;
  std::optional<bool> classes;
};

Goal goal_of(const ExampleArguments& arguments) {
  Goal goal;
  if (!arguments.loss.empty()) {
    goal.loss = ensemble::parse_loss(arguments.loss);
    goal.classes = goal.loss == Loss::cross_entropy;
  }
  if (arguments.task.empty()) return goal;
  if (arguments.task != "classification" && arguments.task != "regression")
    throw InvalidArgument(
        fmt::format("--task is '{}' but must be classification or regression", arguments.task));
  const bool classes = arguments.task == "classification";
  if (goal.classes && *goal.classes != classes)
    throw InvalidArgument(
        fmt::format("--loss {} is not for --task {}; {}", arguments.loss, arguments.task,
                    classes ? "use cross_entropy" : "use squared_error or gaussian"));
  goal.classes = classes;
  return goal;
}

bool is_number(const std::string& text) {
  double value = 0;
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* last = text.data() + text.size();
  return std::from_chars(first, last, value).ptr == last;
}

// Throws if the labels are numbers, for which the task must be given.
void check_text(const data::Labels& labels) {
  if (!std::all_of(labels.names.begin(), labels.names.end(), is_number)) return;
  throw InvalidArgument(
      fmt::format("column '{}' contains numbers; give --task classification if each of its {} "
                  "values is a class, or --task regression",
                  one_line(labels.column), labels.size()));
}

void check_classes(const data::Labels& labels) {
  if (labels.size() <= kManyClasses || 2 * labels.size() <= labels.rows()) return;
  throw DataError(
      fmt::format("column '{}' has {} different values in {} rows, too many for classes; is it "
                  "--task regression?",
                  one_line(labels.column), labels.size(), labels.rows()));
}

// A model finds its inputs by name and stores the names in a file.
void check_names(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      throw DataError(
          fmt::format("several columns are named '{}' but a model finds its columns by name; "
                      "rename them, or leave them out with --ignore",
                      one_line(name)));
    try {
      static_cast<void>(Json(name).dump());
    } catch (const Json::exception&) {
      throw DataError(
          fmt::format("the name '{}' is not UTF-8, which the model's file needs; "
                      "convert the file with iconv",
                      one_line(name)));
    }
  }
}

DataView part(const data::Table& table, std::size_t first, std::size_t count) {
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (std::size_t c = first; c < first + count; ++c) {
    columns.push_back(table.view().column(c));
    names.push_back(table.names()[c]);
  }
  return {std::move(columns), std::move(names)};
}

// Columns in the order targets (of numbers), weights, inputs; labels are the classes.
data::Table read_rows(const ExampleArguments& arguments, const Goal& goal,
                      const std::vector<std::string>& targets) {
  data::ReadOptions options = read_options(arguments);
  if (goal.classes.value_or(true))
    options.labels = targets;
  else
    options.columns = targets;
  if (!arguments.weights.empty()) options.columns.push_back(arguments.weights);
  const std::vector<std::string> inputs = split_list(arguments.inputs);
  const std::vector<std::string> ignored = split_list(arguments.ignored);
  if (inputs.empty())
    options.all_but = ignored;
  else if (!ignored.empty())
    throw InvalidArgument(
        "--ignore and --input cannot be combined; without --input all other columns are inputs");
  options.columns.insert(options.columns.end(), inputs.begin(), inputs.end());
  return data::read(arguments.files, options);
}

std::vector<std::string> targets_of(const ExampleArguments& arguments, const Goal& goal) {
  std::vector<std::string> targets = split_list(arguments.target);
  if (targets.empty())
    throw InvalidArgument("no --target given; name the target column: --target species");
  if (targets.size() > 1 && goal.classes.value_or(true))
    throw InvalidArgument(fmt::format(
        "--target names {} columns but only --task regression takes several", targets.size()));
  return targets;
}

}  // namespace

void add_file_arguments(CLI::App& command, ExampleArguments& arguments, const char* group) {
  command.add_option("FILE", arguments.files, kFileHelp)->option_text(" ");
  add_text(command, "--nan", arguments.nan, "error|omit",
           "Stop at the first NaN in a column that is used, or leave out such rows [error]")
      ->group(group);
  add_text(command, "--where", arguments.where, "CONDITION", kWhereHelp)->group(group);
  add_text(command, "--header", arguments.header, "yes|no|auto", kHeaderHelp)->group(kFile);
  add_dialect_arguments(command, arguments.dialect, kFile);
}

void add_example_arguments(CLI::App& command, ExampleArguments& arguments) {
  add_list(command, "--target", arguments.target, "NAME",
           "Column to learn, by name or by number from 1; several for a regression")
      ->group(kToLearn);
  add_text(command, "--task", arguments.task, "T",
           "classification or regression [classification of text; of numbers it must be said]")
      ->group(kToLearn);
  add_text(command, "--loss", arguments.loss, "L",
           "cross_entropy; squared_error or gaussian (a mean and a variance) [by the task]")
      ->group(kToLearn);
  add_list(command, "--input", arguments.inputs, "NAME",
           "Columns to learn from; repeat it or separate by commas [all others]")
      ->group(kToLearn);
  add_list(command, "--ignore", arguments.ignored, "NAME", "Columns that are no inputs")
      ->group(kToLearn);
  add_text(command, "--weights", arguments.weights, "NAME",
           "Column of weights of the rows in the loss [all the same]")
      ->group(kToLearn);
  add_text(command, "--class-weights", arguments.class_weights, "none|balanced",
           "balanced: rare classes count as much as frequent ones [none]")
      ->group(kToLearn);
  add_file_arguments(command, arguments, kToLearn);
}

TrainingExamples::TrainingExamples(const ExampleArguments& arguments)
    : table_([&] {
        check_file(arguments);
        const Goal goal = goal_of(arguments);
        return read_rows(arguments, goal, targets_of(arguments, goal));
      }()) {
  const Goal goal = goal_of(arguments);
  loss_ = goal.loss;
  const bool classes = goal.classes.value_or(true);
  if (!goal.classes) check_text(table_.labels());
  if (classes) {
    classes_ = &table_.labels();
    check_classes(*classes_);
    check_names(classes_->names);
  }
  take_columns(arguments, classes, classes ? 0 : targets_of(arguments, goal).size());
  weigh(arguments);
}

void TrainingExamples::take_columns(const ExampleArguments& arguments, bool classes,
                                    std::size_t targets) {
  const std::size_t weights = arguments.weights.empty() ? 0 : 1;
  const std::size_t before = targets + weights;
  if (table_.view().columns() == before)
    throw InvalidArgument(fmt::format("{} has no input column", file_words(arguments)));
  targets_ = part(table_, 0, targets);
  if (weights > 0) weight_column_ = table_.view().column(targets);
  inputs_ = part(table_, before, table_.view().columns() - before);
  std::vector<std::string> names = table_.names();
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(targets),
              names.begin() + static_cast<std::ptrdiff_t>(before));
  if (classes) names.push_back(classes_->column);
  check_names(names);
}

void TrainingExamples::weigh(const ExampleArguments& arguments) {
  if (one_of("--class-weights", arguments.class_weights, {"none", "balanced"}) == "none") return;
  if (classes_ == nullptr)
    throw InvalidArgument("--class-weights is for classes, but this is a regression");
  const std::vector<std::uint64_t> counts = classes_->counts();
  for (const std::uint64_t rows : counts)
    class_weights_.push_back(static_cast<double>(count()) /
                             (static_cast<double>(counts.size()) * static_cast<double>(rows)));
  weights_ = weigh_rows(weight_column_, class_weights_, classes_->codes);
}

std::vector<double> weigh_rows(const std::optional<ColumnView>& weights,
                               const std::vector<double>& class_weights,
                               const std::vector<std::uint32_t>& classes) {
  std::vector<double> each(classes.size());
  for (std::size_t row = 0; row < each.size(); ++row)
    each[row] = (weights ? (*weights)[row] : 1.0) * class_weights[classes[row]];
  return each;
}

ensemble::Examples TrainingExamples::examples() const {
  ensemble::Examples examples{inputs_, classes_, targets_, weight_column_};
  if (!weights_.empty()) examples.weights = ColumnView(weights_);
  return examples;
}

ensemble::Ensemble::Frame TrainingExamples::frame() const {
  ensemble::Ensemble::Frame frame;
  frame.loss = loss_.value_or(classes_ != nullptr ? Loss::cross_entropy : Loss::squared_error);
  for (std::size_t c = 0; c < inputs_.columns(); ++c) frame.inputs.push_back(inputs_.name(c));
  if (classes_ != nullptr) {
    frame.target = classes_->column;
    frame.classes = classes_->names;
  } else {
    for (std::size_t t = 0; t < targets_.columns(); ++t) frame.classes.push_back(targets_.name(t));
  }
  return frame;
}

ModelExamples::ModelExamples(const ExampleArguments& arguments,
                             const ensemble::Ensemble::Frame& frame, bool with_target)
    : table_([&] {
        data::ReadOptions options = read_options(arguments);
        options.columns = frame.inputs;
        options.texts = split_list(arguments.kept);
        const std::vector<std::string> named = split_list(arguments.target);
        if (with_target && frame.loss == Loss::cross_entropy) {
          options.labels = named.empty() ? std::vector{frame.target} : named;
          if (options.labels.size() != 1)
            throw InvalidArgument("--target names several columns but classes are in one");
        } else if (with_target) {
          const std::vector<std::string>& truth = named.empty() ? frame.classes : named;
          if (truth.size() != frame.classes.size())
            throw InvalidArgument(fmt::format("--target names {} columns but the model has {}",
                                              truth.size(), frame.classes.size()));
          options.columns.insert(options.columns.end(), truth.begin(), truth.end());
        }
        if (!arguments.weights.empty()) options.columns.push_back(arguments.weights);
        return data::read(arguments.files, options);
      }()) {
  kept_ = split_list(arguments.kept).size();
  const std::size_t count = frame.inputs.size();
  // A name that is a number must not select another column by its position.
  for (std::size_t c = 0; c < count; ++c)
    if (table_.names()[c] != frame.inputs[c])
      throw InvalidArgument(
          fmt::format("{} has no column '{}', which the model needs (column {} is named '{}')",
                      file_words(arguments), one_line(frame.inputs[c]), one_line(frame.inputs[c]),
                      one_line(table_.names()[c])));
  inputs_ = part(table_, 0, count);
  const std::size_t weights = arguments.weights.empty() ? 0 : 1;
  targets_ = part(table_, count, table_.view().columns() - count - weights);
  if (weights > 0) weights_ = table_.view().column(table_.view().columns() - 1);
  if (!with_target || frame.loss != Loss::cross_entropy) return;
  try {
    classes_ = ensemble::class_codes(frame, table_.labels());
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", file_words(arguments), error.what()));
  }
}

std::vector<const data::Texts*> ModelExamples::kept() const {
  std::vector<const data::Texts*> columns;
  for (std::size_t c = 0; c < kept_; ++c) columns.push_back(&table_.texts(c));
  return columns;
}

}  // namespace bootfold::cli
