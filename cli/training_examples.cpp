#include "training_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "arguments.h"
#include "bootfold/error.h"
#include "json.h"
#include "text.h"

namespace bootfold::cli {
namespace {

using ensemble::Loss;

// A column with more distinct values than this and fewer than two rows for each is not a class.
constexpr std::size_t kManyClasses = 100;

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

bool has_column(const ExampleArguments& arguments, const std::string& name) {
  try {
    data::ReadOptions options = read_options(arguments);
    options.where.clear();
    options.columns = {name};
    return data::Tables(arguments.files, options).names() == std::vector{name};
  } catch (const std::exception&) {
    return false;
  }
}

// "price:l1", where a column is named price: there is no loss l1. Standard input is not read twice.
void check_loss_names(const ExampleArguments& arguments) {
  const std::vector<std::string>& files = arguments.files;
  if (std::find(files.begin(), files.end(), "-") != files.end()) return;
  for (const std::string& target : goal_of(arguments.targets).columns) {
    const std::size_t colon = target.rfind(':');
    if (colon == std::string::npos || colon == 0 || has_column(arguments, target) ||
        !has_column(arguments, target.substr(0, colon)))
      continue;
    throw InvalidArgument(fmt::format(
        "--target is '{}' but there is no loss '{}'; losses are squared_error, gaussian, huber, "
        "pinball, poisson, binary, multi_label and cross_entropy",
        one_line(target), one_line(target.substr(colon + 1))));
  }
}

// Columns in the order targets (of numbers), weights, inputs; labels are the classes.
data::Tables open_rows(const ExampleArguments& arguments, const Goal& goal,
                       std::shared_ptr<data::FieldCodes> codes) {
  data::ReadOptions options = read_options(arguments);
  options.codes = std::move(codes);
  if (goal.classes.value_or(true))
    options.labels = goal.columns;
  else
    options.columns = goal.columns;
  if (!arguments.weights.empty()) options.columns.push_back(arguments.weights);
  const std::vector<std::string> inputs = split_list(arguments.inputs);
  const std::vector<std::string> ignored = split_list(arguments.ignored);
  if (inputs.empty())
    options.all_but = ignored;
  else if (!ignored.empty())
    throw InvalidArgument(
        "--ignore and --input cannot be combined; without --input all other columns are inputs");
  options.columns.insert(options.columns.end(), inputs.begin(), inputs.end());
  try {
    return data::Tables(arguments.files, options);
  } catch (const InvalidArgument&) {
    check_loss_names(arguments);
    throw;
  }
}

/// Classes of rows that arrive in tables, each of which numbers its labels anew.
class ClassCodes {
 public:
  void add(const data::Labels& labels) {
    column_ = labels.column;
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : labels.names)
      numbers.push_back(
          known_.try_emplace(name, static_cast<std::uint32_t>(known_.size())).first->second);
    for (const std::uint32_t code : labels.codes) codes_.push_back(numbers[code]);
  }

  [[nodiscard]] data::Labels labels() && {
    std::vector<std::string> names(known_.size());
    for (const auto& [name, number] : known_) names[number] = name;
    data::Labels ordered = data::labels(std::span<const std::string>(names));
    for (std::uint32_t& code : codes_) code = ordered.codes[code];
    return {std::move(codes_), std::move(ordered.names), std::move(column_)};
  }

 private:
  std::map<std::string, std::uint32_t> known_;  // numbered as they came
  std::vector<std::uint32_t> codes_;
  std::string column_;
};

// The columns before it are targets of numbers and weights.
std::size_t first_input(const ExampleArguments& arguments) {
  const Goal goal = goal_of(arguments.targets);
  const std::size_t targets = goal.classes.value_or(true) ? 0 : goal.columns.size();
  return targets + (arguments.weights.empty() ? 0 : 1);
}

std::optional<double> parse_share(const std::string& text) {
  if (text == "auto") return std::nullopt;
  return text == "0" ? 0.0 : parse_between("--winsorize", text, 0, 0.5, "0.001 (or auto)");
}

std::optional<std::size_t> parse_bins(const std::string& text) {
  if (text == "auto") return std::nullopt;
  return parse_whole("--bins", text, 0, 1'024, "; 0: none", " (or auto)");
}

ensemble::EncodingOptions encoding_options(const ExampleArguments& arguments, std::size_t memory) {
  ensemble::EncodingOptions options;
  options.memory = ensemble::row_memory_limit(memory);
  options.categorical = split_list(arguments.categorical);
  options.dates = split_list(arguments.dates);
  options.levels = parse_whole("--levels", arguments.levels, 1, 65'536);
  options.bins = parse_bins(arguments.bins);
  options.bin_edges = ensemble::parse_bin_edges(
      one_of("--bin-edges", arguments.bin_edges, {"auto", "quantiles", "tree"}));
  options.winsorize = parse_share(arguments.winsorize);
  options.periodic = parse_whole("--periodic", arguments.periodic, 0, 1'024);
  options.periodic_scale =
      parse_between("--periodic-scale", arguments.periodic_scale, 0, 1e6, "0.5");
  options.missing = encodes_missing(arguments);
  return options;
}

}  // namespace

InputColumns::InputColumns(const data::Tables& tables, std::size_t first)
    : tables_(tables), first_(first) {
  const auto begin = tables.names().begin();
  names_.assign(begin + static_cast<std::ptrdiff_t>(std::min(first, tables.names().size())),
                tables.names().end());
}

std::unique_ptr<data::Pass> InputColumns::open() const {
  class InputPass final : public data::Pass {
   public:
    InputPass(std::unique_ptr<data::TablePass> pass, std::size_t first)
        : pass_(std::move(pass)), first_(first) {}
    std::optional<data::Chunk> next() override {
      std::optional<data::Table> table = pass_->next();
      if (!table) return std::nullopt;
      auto owner = std::make_shared<const data::Table>(std::move(*table));
      DataView view = columns_of(*owner, first_, owner->view().columns() - first_);
      return data::Chunk{std::move(view), std::move(owner)};
    }

   private:
    std::unique_ptr<data::TablePass> pass_;
    std::size_t first_;
  };
  return std::make_unique<InputPass>(tables_.open(), first_);
}

TrainingExamples::TrainingExamples(const ExampleArguments& arguments, std::size_t memory)
    : learner_([&] {
        check_file(arguments);
        return std::make_shared<ensemble::EncodingLearner>(encoding_options(arguments, memory),
                                                           first_input(arguments));
      }()),
      tables_([&] { return open_rows(arguments, goal_of(arguments.targets), learner_); }()),
      source_(tables_, first_input(arguments)) {
  const Goal goal = goal_of(arguments.targets);
  loss_ = goal.loss;
  losses_ = goal.losses;
  classify_ = goal.classes.value_or(true);
  weighted_ = !arguments.weights.empty();
  target_count_ = classify_ ? 0 : goal.columns.size();
  if (source_.names().empty())
    throw InvalidArgument(fmt::format("{} has no input column", file_words(arguments)));
  read(arguments, memory);
  if (!goal.classes) check_text(classes_);
  if (classify_) {
    check_classes(classes_);
    check_names(classes_.names);
  }
  check_columns();
  weigh(arguments);
  ensemble::Examples targets = examples();
  targets.weights = weight_column_;  // class weights are for the loss
  encoding_ = learner_->finish(targets);
}

// Fails before the rows are read, if their number is known, and else as soon as they are too many.
void TrainingExamples::check_memory(const ExampleArguments& arguments, std::uint64_t rows,
                                    const char* more, std::size_t limit) const {
  const bool class_weights = arguments.class_weights == "balanced" && !weighted_;
  const std::size_t columns =
      tables_.names().size() + (classify_ ? 1 : 0) + (class_weights ? 1 : 0);
  const std::size_t needed = ensemble::bytes_of_rows(rows, columns);
  if (needed <= limit) return;
  throw InvalidArgument(fmt::format(
      "{} has {}{} rows of {} columns, which take {} as float32, but the memory limit is {}; use "
      "fewer columns (--input, --ignore), fewer rows (--where) or more memory (--memory)",
      file_words(arguments), more, grouped(rows), columns, bytes(static_cast<double>(needed)),
      bytes(static_cast<double>(limit))));
}

void TrainingExamples::read(const ExampleArguments& arguments, std::size_t memory) {
  const std::size_t limit = ensemble::row_memory_limit(memory);
  if (const auto rows = tables_.rows()) check_memory(arguments, *rows, "", limit);
  columns_.resize(target_count_ + (weighted_ ? 1 : 0));
  ClassCodes codes;
  const std::unique_ptr<data::TablePass> pass = tables_.open();
  while (const std::optional<data::Table> table = pass->next()) {
    const std::size_t count = table->view().rows();
    omitted_ += table->omitted();
    filtered_ += table->filtered();
    check_memory(arguments, rows_ + count, "at least ", limit);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].resize(rows_ + count);
      table->view().column(c).read(0, std::span(columns_[c]).subspan(rows_));
    }
    if (classify_) codes.add(table->labels());
    learner_->add(table->view());
    rows_ += count;
  }
  if (classify_) classes_ = std::move(codes).labels();
  std::vector<ColumnView> targets(columns_.begin(),
                                  columns_.begin() + static_cast<std::ptrdiff_t>(target_count_));
  const auto names = tables_.names().begin();
  targets_ =
      DataView(std::move(targets), {names, names + static_cast<std::ptrdiff_t>(target_count_)});
  if (weighted_) weight_column_ = ColumnView(columns_.back());
}

void TrainingExamples::check_columns() const {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < target_count_; ++t) names.push_back(targets_.name(t));
  names.insert(names.end(), source_.names().begin(), source_.names().end());
  if (classify_) names.push_back(classes_.column);
  check_names(names);
}

void TrainingExamples::weigh(const ExampleArguments& arguments) {
  if (one_of("--class-weights", arguments.class_weights, {"none", "balanced"}) == "none") return;
  if (!classify_) throw InvalidArgument("--class-weights is for classes, but this is a regression");
  const std::vector<std::uint64_t> counts = classes_.counts();
  for (const std::uint64_t rows : counts)
    class_weights_.push_back(static_cast<double>(count()) /
                             (static_cast<double>(counts.size()) * static_cast<double>(rows)));
  weights_ = weigh_rows(weight_column_, class_weights_, classes_.codes);
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
  ensemble::Examples examples{.classes = classify_ ? &classes_ : nullptr,
                              .targets = targets_,
                              .weights = weight_column_,
                              .source = &source_,
                              .encoding = &encoding_};
  if (!weights_.empty()) examples.weights = ColumnView(weights_);
  return examples;
}

ensemble::Ensemble::Frame TrainingExamples::frame() const {
  ensemble::Ensemble::Frame frame;
  frame.loss = loss_.value_or(classify_ ? Loss::cross_entropy : Loss::squared_error);
  if (!losses_.empty()) frame.loss = Loss::mixed;
  frame.losses = losses_;
  frame.inputs = source_.names();
  frame.encoding = encoding_;
  if (classify_) {
    frame.target = classes_.column;
    frame.classes = classes_.names;
  } else {
    for (std::size_t t = 0; t < targets_.columns(); ++t) frame.classes.push_back(targets_.name(t));
    frame.target_scaling.mean.resize(targets_.columns());
    frame.target_scaling.scale.resize(targets_.columns(), 1);
  }
  return frame;
}

}  // namespace bootfold::cli
