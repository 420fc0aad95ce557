// cli/ensemble_predict.cpp: `bootfold ensemble predict MODEL FILE [--output said.csv]`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "arguments.h"
#include "bootfold/error.h"
#include "bootfold/evaluation.h"
#include "console.h"
#include "ensemble.h"
#include "failure.h"
#include "json.h"
#include "number.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "rows.h"
#include "text.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::Limits;
using ensemble::Prediction;

constexpr std::size_t kRowsAtOnce = 4096;  // of text

/// As typed.
struct PredictArguments {
  std::string model;
  RowArguments rows;
  std::string output;
  std::string confidence = "0.95";
  std::string threads;
  bool json = false;
  bool quiet = false;
};

/// What is said of each row, column by column.
class Said {
 public:
  Said(const Ensemble& ensemble, const Prediction& prediction, double confidence)
      : frame_(ensemble.frame()), said_(prediction), classifies_(ensemble.classifies()) {
    if (classifies_) {
      names_ = {"class", "probability"};
      for (const std::string& name : frame_.classes) names_.push_back("p_" + name);
      names_.insert(names_.end(), {"total", "aleatoric", "epistemic"});
      return;
    }
    limits_ = normal_intervals(prediction, confidence);
    for (const std::string& target : frame_.classes)
      for (const char* each :
           {"mean", "epistemic_std", "aleatoric_std", "total_std", "low", "high"})
        names_.push_back(frame_.classes.size() == 1 ? each : target + "_" + each);
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t rows() const { return said_.rows; }
  /// The name of the class, if the first column is one.
  [[nodiscard]] const std::string* chosen(std::size_t row) const {
    return classifies_ ? &frame_.classes[said_.chosen(row)] : nullptr;
  }

  /// All columns of a row as numbers; a class is its number from 0.
  [[nodiscard]] std::vector<double> numbers(std::size_t row) const {
    std::vector<double> values;
    if (classifies_) {
      const std::size_t chosen = said_.chosen(row);
      values = {static_cast<double>(chosen), said_.probability(row, chosen)};
      for (std::size_t c = 0; c < said_.outputs; ++c) values.push_back(said_.probability(row, c));
      values.insert(values.end(), {said_.total[row], said_.aleatoric[row], said_.epistemic[row]});
      return values;
    }
    for (std::size_t t = 0; t < said_.outputs; ++t) {
      const std::size_t at = row * said_.outputs + t;
      values.insert(values.end(), {said_.mean[at], said_.epistemic[at], said_.aleatoric[at],
                                   said_.total[at], limits_[at].low, limits_[at].high});
    }
    return values;
  }

 private:
  const Ensemble::Frame& frame_;
  const Prediction& said_;
  bool classifies_;
  std::vector<Limits> limits_;
  std::vector<std::string> names_;
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
  explicit CsvPieces(const Said& said) : said_(said) {}

  std::string operator()() {
    std::string text;
    if (!headed_) {
      for (const std::string& name : said_.names()) text += (text.empty() ? "" : ",") + field(name);
      text += '\n';
      headed_ = true;
    }
    const std::size_t last = std::min(row_ + kRowsAtOnce, said_.rows());
    for (; row_ < last; ++row_) {
      const std::vector<double> numbers = said_.numbers(row_);
      for (std::size_t c = 0; c < numbers.size(); ++c) {
        if (c > 0) text += ',';
        const std::string* name = c == 0 ? said_.chosen(row_) : nullptr;
        if (name != nullptr)
          text += field(*name);
        else
          fmt::format_to(std::back_inserter(text), "{}", numbers[c]);
      }
      text += '\n';
    }
    return text;
  }

 private:
  const Said& said_;
  std::size_t row_ = 0;
  bool headed_ = false;
};

void write(const std::string& path, const Said& said) {
  if (path.ends_with(".npy")) {
    std::vector<double> values;
    values.reserve(said.rows() * said.names().size());
    for (std::size_t row = 0; row < said.rows(); ++row) {
      const std::vector<double> numbers = said.numbers(row);
      values.insert(values.end(), numbers.begin(), numbers.end());
    }
    return write_output(path, values, std::array{said.rows(), said.names().size()});
  }
  try {
    data::write_file(path, CsvPieces(said));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void print_csv(const Said& said) {
  CsvPieces pieces(said);
  for (std::string piece = pieces(); !piece.empty(); piece = pieces()) print(piece);
}

// One list for each column.
std::string as_json(const Said& said, const Ensemble& ensemble, const PredictArguments& arguments,
                    std::size_t omitted, double seconds) {
  Json columns;
  for (const std::string& name : said.names()) columns[name] = Json::array();
  for (std::size_t row = 0; row < said.rows(); ++row) {
    const std::vector<double> numbers = said.numbers(row);
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const std::string* name = c == 0 ? said.chosen(row) : nullptr;
      Json& column = columns[said.names()[c]];
      if (name != nullptr)
        column.push_back(*name);
      else
        column.push_back(numbers[c]);
    }
  }
  Json object{{"members", ensemble.size()}, {"rows", said.rows()}, {"omitted_rows", omitted}};
  if (arguments.output.empty())
    object["columns"] = std::move(columns);
  else
    object["output"] = arguments.output;
  object["seconds"] = seconds;
  return dump(object);
}

void check_output(const std::string& output, const PredictArguments& arguments) {
  if (!output.ends_with(".csv") && !output.ends_with(".npy"))
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in .csv or .npy", one_line(output)));
  std::error_code ignored;
  for (const std::string& read : {arguments.model, arguments.rows.file})
    if (std::filesystem::equivalent(output, read, ignored))
      throw InvalidArgument(
          fmt::format("--output {} is a file to read; choose another", one_line(output)));
  data::check_writable(output);
}

void run_predict(const PredictArguments& arguments, Interrupt& interrupt) {
  if (arguments.model.empty())
    throw InvalidArgument(
        "no MODEL given; name a file that bootfold ensemble train ... --output wrote");
  const double confidence = parse_between("--confidence", arguments.confidence, 0, 1, "0.95");
  Execution execution;
  execution.threads = parse_threads(arguments.threads);
  if (!arguments.output.empty()) check_output(arguments.output, arguments);
  const Ensemble model = Ensemble::load(arguments.model);
  const NewRows rows(arguments.rows, model.frame(), false);

  const Interrupt::Work work(interrupt);
  const Timer computing;
  const Prediction prediction = [&] {
    ProgressBar bar(arguments.quiet, "rows");
    execution.stop = interrupt.token();
    execution.progress = bar.callback();
    return model.predict(rows.inputs(), execution);
  }();
  const double seconds = computing.seconds();
  const Said said(model, prediction, confidence);
  if (!arguments.output.empty()) write(arguments.output, said);
  if (arguments.json) return print(as_json(said, model, arguments, rows.omitted(), seconds));
  if (arguments.output.empty()) return print_csv(said);
  if (arguments.quiet) return;
  print(fmt::format(
      "{} rows{} written to {} in {} columns: {}\n", grouped(said.rows()),
      rows.omitted() > 0 ? fmt::format(" ({} with NaN left out)", grouped(rows.omitted())) : "",
      one_line(arguments.output), said.names().size(),
      one_line(fmt::format("{}", fmt::join(said.names(), ", ")))));
}

}  // namespace

void add_ensemble_predict(CLI::App& group, Task& task) {
  CLI::App* command =
      group.add_subcommand("predict", "What a model says of new rows, and how sure it is");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("MODEL", arguments->model, "What bootfold ensemble train ... --output wrote")
      ->option_text(" ");
  add_file_arguments(*command, arguments->rows, kWhat);
  add_text(*command, "--confidence", arguments->confidence, "P",
           "Of the interval low to high of a regression [0.95]")
      ->group(kWhat);
  add_text(*command, "--threads", arguments->threads, "T", "Never changes a result [all cores]")
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
      "Written of classes: class, probability (its own), p_CLASS for every class, and total,\n"
      "aleatoric and epistemic uncertainty (entropy of the mean, mean entropy, and the mutual\n"
      "information between them). In .npy files the class is its number, from 0.\n"
      "Written of numbers: mean, epistemic_std, aleatoric_std, total_std, low, high; the interval\n"
      "is that of a normal law.\n\n" +
      examples({{"bootfold ensemble predict iris.safetensors new.csv", "CSV on standard output"},
                {"bootfold ensemble predict iris.safetensors new.csv --output said.npy",
                 "an array [rows, columns]"},
                {"bootfold ensemble predict price.safetensors - --confidence 0.9 < new.csv",
                 "a regression with 90% intervals"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_predict(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
