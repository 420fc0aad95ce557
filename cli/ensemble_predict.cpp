// cli/ensemble_predict.cpp: `bootfold ensemble predict MODEL FILE [--output predictions.csv]`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "arguments.h"
#include "bootfold/error.h"
#include "console.h"
#include "ensemble.h"
#include "ensemble_intervals.h"
#include "examples_reader.h"
#include "failure.h"
#include "input_note.h"
#include "json.h"
#include "number.h"
#include "prediction_rows.h"
#include "prediction_table.h"
#include "progress.h"
#include "report.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;

/// As typed.
struct PredictArguments {
  std::string model;
  ExampleArguments rows;
  std::string output;
  std::string confidence = "0.95";
  std::string interval;  // empty: as the model has it
  std::string training;
  std::string sets;  // empty: none
  std::string threads;
  std::string memory;  // empty: the library's default
  bool json = false;
  bool quiet = false;
};

// Names that are there twice would hide one another.
void check_kept(const PredictionRows& predictions) {
  std::set<std::string> taken;
  for (const std::string& kept : predictions.kept_names())
    if (!taken.insert(kept).second)
      throw InvalidArgument(
          fmt::format("--keep names column '{}' twice; name it once", one_line(kept)));
  for (const std::string& name : predictions.names())
    if (taken.contains(name))
      throw InvalidArgument(
          fmt::format("--keep names column '{}' but the predictions have a column of that name; "
                      "rename the column of the file",
                      one_line(name)));
}

void check_output(const std::string& output, const PredictArguments& arguments) {
  if (!output.ends_with(".csv") && !output.ends_with(".npy"))
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in .csv or .npy", one_line(output)));
  if (output.ends_with(".npy") && !arguments.rows.kept.empty())
    throw InvalidArgument(
        fmt::format("--keep copies text but --output is '{}' and .npy files hold numbers alone; "
                    "write a .csv file",
                    one_line(output)));
  std::error_code ignored;
  std::vector<std::string> files = arguments.rows.files;
  files.push_back(arguments.model);
  files.push_back(arguments.training);
  for (const std::string& read : files)
    if (std::filesystem::equivalent(output, read, ignored))
      throw InvalidArgument(
          fmt::format("--output {} is a file to read; choose another", one_line(output)));
  text::check_writable(output);
}

/// Whether intervals are those of jackknife+.
bool check_interval(const PredictArguments& arguments) {
  const std::string& interval = arguments.interval;
  const std::array known = {"", "conformal", "scaled", "jackknife+", "normal"};
  if (std::ranges::find(known, interval) == known.end())
    throw InvalidArgument(
        fmt::format("--interval is '{}' but must be one of conformal, scaled, jackknife+, normal",
                    one_line(interval)));
  const bool jackknife = interval == "jackknife+";
  if (jackknife && arguments.training.empty())
    throw InvalidArgument(
        "--interval jackknife+ needs the training rows, for out-of-bag residuals; name their file: "
        "--training train.csv");
  if (!jackknife && !arguments.training.empty())
    throw InvalidArgument(
        "--training is for --interval jackknife+; other intervals need no training rows");
  const std::vector<std::string>& files = arguments.rows.files;
  if (jackknife && arguments.training == "-" && std::count(files.begin(), files.end(), "-") > 0)
    throw InvalidArgument(
        "FILE and --training are both standard input, which can be read once; put one into a file");
  return jackknife;
}

/// The training rows of a model.
ModelExamples training_rows(const PredictArguments& arguments, const Ensemble& model) {
  ExampleArguments rows;
  rows.files = {arguments.training};  // as they were used: --where does not hold for them
  rows.nan = arguments.rows.nan;
  rows.header = arguments.rows.header;
  rows.dialect = arguments.rows.dialect;
  return {rows, model.frame()};
}

/// Says on standard error which rows are empty and how many are extrapolations.
void print_notes(const PredictionRows& predictions, const RowsToPredict& rows) {
  const std::size_t empty = rows.omitted();
  const auto share = [&](std::size_t count) {
    return fmt::format("{} of {} rows {}", grouped(count), grouped(predictions.rows()),
                       count == 1 ? "is" : "are");
  };
  if (empty > 0) {
    std::vector<std::string> numbers;
    for (const std::size_t row : rows.first_omitted()) numbers.push_back(std::to_string(row + 1));
    complain(fmt::format(
        "{} empty because an input is missing: {} {}{} (counted from 1, without the header)",
        share(empty), empty == 1 ? "row" : "rows", fmt::join(numbers, ", "),
        empty > numbers.size() ? ", ..." : ""));
  }
  if (predictions.outside_rows() > 0)
    complain(
        fmt::format("{} outside the range of the training rows (column outside); members may "
                    "agree there and be wrong",
                    share(predictions.outside_rows())));
}

void run_predict(const PredictArguments& arguments, Interrupt& interrupt) {
  if (arguments.model.empty())
    throw InvalidArgument(
        "no MODEL given; name a file that bootfold ensemble train ... --output wrote");
  const double confidence = parse_between("--confidence", arguments.confidence, 0, 1, "0.95");
  const bool jackknife = check_interval(arguments);
  const std::size_t memory = execution::memory_limit(parse_size("--memory", arguments.memory));
  Execution execution;
  execution.threads = parse_threads(arguments.threads);
  if (!arguments.output.empty()) check_output(arguments.output, arguments);
  const Ensemble model = Ensemble::load(arguments.model);
  // Each table that jackknife+ predicts needs the residuals of all training rows again.
  const std::size_t table_bytes =
      jackknife ? std::max(data::kChunkBytes, memory / 8) : data::kChunkBytes;
  const RowsToPredict rows(arguments.rows, model.frame(), table_bytes);
  IntervalRequest intervals{.confidence = confidence,
                            .method = interval_method(arguments.interval, model),
                            .sets = set_method(arguments.sets, model)};
  std::optional<ModelExamples> training;
  if (jackknife) training.emplace(training_rows(arguments, model));
  print_input_note(rows.tables().note(), arguments.quiet || arguments.json);
  print_input_note(rows.note(), arguments.quiet || arguments.json);
  print_where_note(rows.filtered(), rows.rows() + rows.filtered(), arguments.quiet);
  if (training) print_input_note(training->note(), arguments.quiet || arguments.json);
  const ensemble::Examples examples =
      training ? ensemble::Examples{.inputs = training->inputs(), .targets = training->targets()}
               : ensemble::Examples{};

  const Interrupt::Work work(interrupt);
  const Timer computing;
  Json columns;
  // A bar and a table on one terminal would spoil each other.
  const bool on_terminal =
      arguments.output.empty() && !arguments.json && is_terminal(STDOUT_FILENO);
  std::optional<ProgressBar> bar;
  bar.emplace(arguments.quiet || on_terminal, "rows");
  execution.stop = interrupt.token();
  execution.progress = bar->callback();
  if (training) intervals.training_examples = &examples;
  PredictionRows predictions(model, rows, intervals, memory, execution);
  check_kept(predictions);
  if (arguments.json && arguments.output.empty()) check_json(predictions, memory);
  try {
    if (!arguments.output.empty())
      write_table(predictions, arguments.output);
    else if (arguments.json)
      columns = columns_of(predictions);
    else
      print_table(predictions);
  } catch (const InvalidArgument& error) {
    if (!training) throw;
    throw InvalidArgument(
        fmt::format("--training {}: {}", one_line(arguments.training), error.what()));
  }
  bar.reset();
  const double seconds = computing.seconds();
  if (arguments.json) {
    Json object{{"members", model.size()},
                {"rows", predictions.rows()},
                {"empty_rows", rows.omitted()},
                {"outside_rows", predictions.outside_rows()}};
    add_intervals(model, intervals, object);
    if (arguments.output.empty())
      object["columns"] = std::move(columns);
    else
      object["output"] = arguments.output;
    object["seconds"] = seconds;
    return print(dump(object));
  }
  if (arguments.quiet) return;
  print_interval_notes(model, intervals, arguments.interval.empty());
  const std::vector<std::string> names = names_of(predictions);
  if (!arguments.output.empty())
    print(fmt::format("{} rows written to {} in {} columns: {}\n", grouped(predictions.rows()),
                      one_line(arguments.output), names.size(),
                      one_line(fmt::format("{}", fmt::join(names, ", ")))));
  print_notes(predictions, rows);
}

}  // namespace

void add_ensemble_predict(CLI::App& group, Task& task) {
  CLI::App* command = group.add_subcommand("predict", "Predict new rows, with their uncertainty");
  auto arguments = std::make_shared<PredictArguments>();
  command
      ->add_option("MODEL", arguments->model,
                   "Model file that bootfold ensemble train ... --output wrote")
      ->option_text(" ");
  add_file_arguments(*command, arguments->rows, kWhat);
  command->get_option("--nan")->description(
      "Rows with a missing input: predict them, stop at the first, or leave their prediction empty "
      "[encode, if the model was trained so; otherwise error]");
  add_list(*command, "--keep", arguments->rows.kept, "NAME",
           "Columns of FILE to copy unchanged in front of the predictions, such as an id; repeat "
           "it or separate by commas [none]")
      ->group(kWhat);
  add_text(*command, "--confidence", arguments->confidence, "P",
           "Confidence level of intervals and sets: the share of new rows that they cover [0.95]")
      ->group(kWhat);
  add_text(*command, "--interval", arguments->interval, "conformal|scaled|jackknife+|normal",
           "Interval of a regression: from errors on rows that members never saw, of constant "
           "width, scaled by total_std, or by jackknife+; or from a normal law [scaled; conformal "
           "if members were trained on all rows]")
      ->group(kWhat);
  add_text(*command, "--sets", arguments->sets, "threshold|adaptive",
           "Column with the classes of a prediction set: those that are probable enough, or the "
           "most probable up to a sum [none]")
      ->group(kWhat);
  add_text(*command, "--training", arguments->training, "FILE",
           "With jackknife+: the rows that the model was trained on, in the same order")
      ->group(kWhat);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  add_text(*command, "--memory", arguments->memory, "SIZE",
           "Memory limit of the predictions, which are made in parts: 256M, 1GiB; never changes a "
           "result [a quarter of what the process may use]")
      ->group(kHow);
  add_text(*command, "--output", arguments->output, "FILE",
           "Write to a .csv file, or numbers alone to a .npy file [CSV to standard output]")
      ->group(kShown);
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  command->add_flag("--quiet", arguments->quiet, "No progress and no summary")
      ->group(kShown)
      ->disable_flag_override();
  command->footer(
      "Columns are found by the names they had in training; others are ignored. Every row of FILE\n"
      "has a line, in the same order: with --nan omit a row with a missing input has empty fields\n"
      "(null with --json, NaN in .npy files), and a note says which rows these are.\n\n"
      "Columns for classes: class, probability (of that class), p_CLASS for every class, and "
      "total,\n"
      "aleatoric and epistemic uncertainty (entropy of the mean, mean entropy, and the mutual\n"
      "information between them). In .npy files the class is its number, from 0.\n"
      "With --sets a column set has the classes of a prediction set, such as a|b (a list with\n"
      "--json, their number in .npy files).\n"
      "Columns for numbers: mean, epistemic_std, aleatoric_std, total_std, low, high. From low to\n"
      "high is a conformal interval: it covers new targets as often as --confidence says, for any\n"
      "distribution (docs/ensemble-intervals.md). With --interval jackknife+ it is jackknife_low,\n"
      "jackknife_high. Members that were trained on all rows (--resampling none and bayesian)\n"
      "without --validation have no interval: nan, or null with --json.\n"
      "The last column, outside, is the number of inputs outside the range of the training rows.\n"
      "Above 0 the prediction is an extrapolation: networks may agree there and be wrong.\n\n" +
      examples({{"bootfold ensemble predict iris.safetensors new.csv", "CSV on standard output"},
                {"bootfold ensemble predict iris.safetensors new.csv --output predictions.npy",
                 "an array [rows, columns]"},
                {"bootfold ensemble predict iris.safetensors new.csv --nan omit --keep id",
                 "a line for every row, with its id"},
                {"bootfold ensemble predict iris.safetensors new.csv --sets threshold",
                 "with the classes that the true one is among, for 95% of the rows"},
                {"bootfold ensemble predict price.safetensors - --confidence 0.9 < new.csv",
                 "a regression with 90% intervals"},
                {"bootfold ensemble predict price.safetensors new.csv --interval jackknife+ "
                 "--training houses.csv",
                 "intervals from out-of-bag residuals"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_predict(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
