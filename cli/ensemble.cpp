// cli/ensemble.cpp: `bootfold ensemble`, and `bootfold ensemble evaluate MODEL FILE`.
#include "ensemble.h"

#include <memory>

#include "arguments.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "console.h"
#include "examples_reader.h"
#include "input_note.h"
#include "number.h"
#include "progress.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// As typed.
struct EvaluateArguments {
  std::string model;
  ExampleArguments rows;
  bool out_of_bag = false;
  std::string confidence = "0.95";
  std::string threads;
  bool json = false;
  bool quiet = false;
};

void run_evaluate(const EvaluateArguments& arguments, Interrupt& interrupt) {
  if (arguments.model.empty())
    throw InvalidArgument(
        "no MODEL given; name a file that bootfold ensemble train ... --output wrote");
  const double confidence = parse_between("--confidence", arguments.confidence, 0, 1, "0.95");
  Execution execution;
  execution.threads = parse_threads(arguments.threads);
  const ensemble::Ensemble model = ensemble::Ensemble::load(arguments.model);
  const ModelExamples rows(arguments.rows, model.frame());
  print_input_note(rows.note(), arguments.quiet || arguments.json);
  print_where_note(rows.table(), arguments.quiet);

  const Interrupt::Work work(interrupt);
  const Timer computing;
  EvaluateRun run{.ensemble = model, .scores = {}, .omitted = rows.omitted()};
  const ensemble::Prediction prediction = [&] {
    ProgressBar bar(arguments.quiet, "rows");
    execution.stop = interrupt.token();
    if (arguments.out_of_bag) return out_of_bag(model, {.inputs = rows.inputs()}, execution);
    execution.progress = bar.callback();
    return model.predict(rows.inputs(), execution);
  }();
  run.out_of_bag = arguments.out_of_bag;
  if (model.classifies())
    run.scores.classes = evaluate_classes(prediction, rows.classes(), rows.weights());
  else
    run.scores.targets =
        evaluate_targets(model.frame(), prediction, rows.targets(), confidence, rows.weights());
  run.weighted = rows.weights().has_value();
  run.seconds = computing.seconds();
  print(arguments.json ? as_json(run) : as_text(run, arguments.quiet));
}

}  // namespace

void add_ensemble_evaluate(CLI::App& group, Task& task) {
  CLI::App* command =
      group.add_subcommand("evaluate", "Score a model on rows whose targets are known");
  auto arguments = std::make_shared<EvaluateArguments>();
  command
      ->add_option("MODEL", arguments->model,
                   "Model file that bootfold ensemble train ... --output wrote")
      ->option_text(" ");
  add_file_arguments(*command, arguments->rows, kWhat);
  add_list(*command, "--target", arguments->rows.targets.columns, "NAME",
           "Target column [as in training]")
      ->group(kWhat);
  add_text(*command, "--weights", arguments->rows.weights, "NAME",
           "Column of row weights for the scores [equal weights]")
      ->group(kWhat);
  command
      ->add_flag(
          "--out-of-bag", arguments->out_of_bag,
          "FILE is the training file: score each row by the members that were not trained on it")
      ->group(kWhat)
      ->disable_flag_override();
  add_text(*command, "--confidence", arguments->confidence, "P",
           "Confidence level of the intervals of a regression [0.95]")
      ->group(kWhat);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  command
      ->add_flag("--quiet", arguments->quiet, "Only the numbers: no progress, no reliability table")
      ->group(kShown)
      ->disable_flag_override();
  command->footer(
      "Columns are found by the names they had in training; others are ignored.\n\n" +
      examples({{"bootfold ensemble evaluate iris.safetensors new.csv",
                 "accuracy, NLL, Brier score, ECE, and a reliability table"},
                {"bootfold ensemble evaluate price.safetensors new.csv --confidence 0.9",
                 "RMSE, R2, NLL, and the coverage of 90% intervals"},
                {"bootfold ensemble evaluate iris.safetensors iris.csv --out-of-bag",
                 "out-of-bag scores of the training rows"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_evaluate(*arguments, interrupt); };
  });
}

void add_ensemble(CLI::App& root, Task& task) {
  CLI::App* group = root.add_subcommand(
      "ensemble", "Train many small networks, each on its own resample, and predict");
  group->footer(examples(
      {{"bootfold ensemble train iris.csv --target species --output iris.safetensors",
        "a hundred networks with 32 hidden units"},
       {"bootfold ensemble predict iris.safetensors new.csv --output predictions.csv",
        "class probabilities and their uncertainty"},
       {"bootfold ensemble evaluate iris.safetensors new.csv", "accuracy and calibration"}}));
  add_ensemble_train(*group, task);
  add_ensemble_predict(*group, task);
  add_ensemble_evaluate(*group, task);
}

}  // namespace bootfold::cli
