// cli/ensemble_predict.cpp: `bootfold ensemble predict MODEL FILE [--output predictions.csv]`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.h"
#include "bootfold/error.h"
#include "console.h"
#include "ensemble.h"
#include "examples_reader.h"
#include "failure.h"
#include "json.h"
#include "number.h"
#include "prediction_rows.h"
#include "progress.h"
#include "report.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;

constexpr std::size_t kRowsAtOnce = 4096;  // of text

/// As typed.
struct PredictArguments {
  std::string model;
  ExampleArguments rows;
  std::string output;
  std::string confidence = "0.95";
  std::string interval = "normal";
  std::string training;
  std::string threads;
  std::string memory;  // empty: the library's default
  bool json = false;
  bool quiet = false;
};

// As RFC 4180 wants it.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// The table as CSV, piece by piece. Numbers read back as the same bits.
class CsvPieces {
 public:
  explicit CsvPieces(PredictionRows& rows) : rows_(rows) {}

  std::string operator()() {
    std::string text;
    if (!headed_) {
      for (const std::string& name : rows_.names()) text += (text.empty() ? "" : ",") + field(name);
      text += '\n';
      headed_ = true;
    }
    if (row_ == rows_.count()) {
      if (!rows_.next()) return text;
      row_ = 0;
    }
    const std::size_t last = std::min(row_ + kRowsAtOnce, rows_.count());
    for (; row_ < last; ++row_) {
      const std::vector<double> values = rows_.values(row_);
      for (std::size_t c = 0; c < values.size(); ++c) {
        if (c > 0) text += ',';
        const std::string* name = c == 0 ? rows_.class_name(row_) : nullptr;
        if (name != nullptr)
          text += field(*name);
        else
          fmt::format_to(std::back_inserter(text), "{}", values[c]);
      }
      text += '\n';
    }
    return text;
  }

 private:
  PredictionRows& rows_;
  std::size_t row_ = 0;
  bool headed_ = false;
};

/// The table as numbers, piece by piece.
class NumberPieces {
 public:
  explicit NumberPieces(PredictionRows& rows) : rows_(rows) {}

  std::vector<double> operator()() {
    std::vector<double> values;
    if (row_ == rows_.count()) {
      if (!rows_.next()) return values;
      row_ = 0;
    }
    const std::size_t last = std::min(row_ + kRowsAtOnce, rows_.count());
    for (; row_ < last; ++row_) {
      const std::vector<double> own = rows_.values(row_);
      values.insert(values.end(), own.begin(), own.end());
    }
    return values;
  }

 private:
  PredictionRows& rows_;
  std::size_t row_ = 0;
};

void write(const std::string& path, PredictionRows& predictions) {
  try {
    if (path.ends_with(".npy"))
      data::write_npy(path, NumberPieces(predictions),
                      std::array{predictions.rows(), predictions.names().size()});
    else
      text::write_file(path, CsvPieces(predictions));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void print_csv(PredictionRows& predictions) {
  CsvPieces pieces(predictions);
  for (std::string piece = pieces(); !piece.empty(); piece = pieces()) print(piece);
}

// One list for each column.
Json columns_of(PredictionRows& predictions) {
  Json columns;
  for (const std::string& name : predictions.names()) columns[name] = Json::array();
  while (predictions.next())
    for (std::size_t row = 0; row < predictions.count(); ++row) {
      const std::vector<double> values = predictions.values(row);
      for (std::size_t c = 0; c < values.size(); ++c) {
        const std::string* name = c == 0 ? predictions.class_name(row) : nullptr;
        Json& column = columns[predictions.names()[c]];
        if (name != nullptr)
          column.push_back(*name);
        else
          column.push_back(values[c]);
      }
    }
  return columns;
}

// JSON is one piece: there is no smaller way.
void check_json(const PredictionRows& predictions, std::size_t memory) {
  constexpr double kBytes = 48;  // of a number, and of its text
  const double needed = static_cast<double>(predictions.rows()) *
                        static_cast<double>(predictions.names().size()) * kBytes;
  if (needed > static_cast<double>(memory))
    throw InvalidArgument(fmt::format(
        "the predictions as one JSON object take about {} but the memory limit is {}; write "
        "them to a file with --output, which works in parts, or give more with --memory",
        bytes(needed), bytes(static_cast<double>(memory))));
}

void check_output(const std::string& output, const PredictArguments& arguments) {
  if (!output.ends_with(".csv") && !output.ends_with(".npy"))
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in .csv or .npy", one_line(output)));
  std::error_code ignored;
  for (const std::string& read : {arguments.model, arguments.rows.file, arguments.training})
    if (std::filesystem::equivalent(output, read, ignored))
      throw InvalidArgument(
          fmt::format("--output {} is a file to read; choose another", one_line(output)));
  text::check_writable(output);
}

/// Whether intervals are those of jackknife+.
bool check_interval(const PredictArguments& arguments) {
  const std::string& interval = arguments.interval;
  if (interval != "normal" && interval != "jackknife+")
    throw InvalidArgument(fmt::format("--interval is '{}' but must be one of normal, jackknife+",
                                      one_line(interval)));
  const bool jackknife = interval == "jackknife+";
  if (jackknife && arguments.training.empty())
    throw InvalidArgument(
        "--interval jackknife+ needs the training rows, for out-of-bag residuals; name their file: "
        "--training train.csv");
  if (!jackknife && !arguments.training.empty())
    throw InvalidArgument(
        "--training is for --interval jackknife+; normal intervals need no training rows");
  if (jackknife && arguments.training == "-" && arguments.rows.file == "-")
    throw InvalidArgument(
        "FILE and --training are both standard input, which can be read once; put one into a file");
  return jackknife;
}

/// The training rows of a model.
ModelExamples training_rows(const PredictArguments& arguments, const Ensemble& model) {
  if (model.classifies())
    throw InvalidArgument("--interval is for numbers, but the model predicts classes");
  ExampleArguments rows;
  rows.file = arguments.training;
  rows.nan = arguments.rows.nan;
  rows.header = arguments.rows.header;
  return {rows, model.frame(), true};
}

/// Writes the predictions; the summary comes later.
void write_predictions(PredictionRows& predictions, const PredictArguments& arguments,
                       Json& columns) {
  if (!arguments.output.empty()) return write(arguments.output, predictions);
  if (arguments.json)
    columns = columns_of(predictions);
  else
    print_csv(predictions);
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
  const ModelExamples rows(arguments.rows, model.frame(), false);
  std::optional<ModelExamples> training;
  if (jackknife) training.emplace(training_rows(arguments, model));
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
  PredictionRows predictions(model, rows.inputs(), {confidence, training ? &examples : nullptr},
                             memory, execution);
  if (arguments.json && arguments.output.empty()) check_json(predictions, memory);
  try {
    write_predictions(predictions, arguments, columns);
  } catch (const InvalidArgument& error) {
    if (!training) throw;
    throw InvalidArgument(
        fmt::format("--training {}: {}", one_line(arguments.training), error.what()));
  }
  bar.reset();
  const double seconds = computing.seconds();
  if (arguments.json) {
    Json object{
        {"members", model.size()}, {"rows", predictions.rows()}, {"omitted_rows", rows.omitted()}};
    if (!model.classifies()) object["interval"] = arguments.interval;
    if (!model.classifies()) object["confidence"] = confidence;
    if (arguments.output.empty())
      object["columns"] = std::move(columns);
    else
      object["output"] = arguments.output;
    object["seconds"] = seconds;
    return print(dump(object));
  }
  if (arguments.output.empty() || arguments.quiet) return;
  print(fmt::format(
      "{} rows{} written to {} in {} columns: {}\n", grouped(predictions.rows()),
      rows.omitted() > 0 ? fmt::format(" ({} with NaN left out)", grouped(rows.omitted())) : "",
      one_line(arguments.output), predictions.names().size(),
      one_line(fmt::format("{}", fmt::join(predictions.names(), ", ")))));
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
  add_text(*command, "--confidence", arguments->confidence, "P",
           "Confidence level of the interval of a regression [0.95]")
      ->group(kWhat);
  add_text(*command, "--interval", arguments->interval, "normal|jackknife+",
           "Interval of a regression: from a normal law, or from errors on rows that members never "
           "saw [normal]")
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
      "Columns are found by the names they had in training; others are ignored.\n\n"
      "Columns for classes: class, probability (of that class), p_CLASS for every class, and "
      "total,\n"
      "aleatoric and epistemic uncertainty (entropy of the mean, mean entropy, and the mutual\n"
      "information between them). In .npy files the class is its number, from 0.\n"
      "Columns for numbers: mean, epistemic_std, aleatoric_std, total_std, low, high; the "
      "interval\nassumes a normal distribution. With --interval jackknife+ it is jackknife_low, "
      "jackknife_high,\nwhich is valid for any distribution (docs/ensemble-intervals.md).\n\n" +
      examples({{"bootfold ensemble predict iris.safetensors new.csv", "CSV on standard output"},
                {"bootfold ensemble predict iris.safetensors new.csv --output predictions.npy",
                 "an array [rows, columns]"},
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
