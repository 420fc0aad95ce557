// cli/ensemble_train.cpp: `bootfold ensemble train FILE --target COLUMN ...`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>

#include "arguments.h"
#include "bootfold/ensemble/calibration.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/sampling.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/training_plan.h"
#include "bootfold/error.h"
#include "checkpoint.h"
#include "console.h"
#include "ensemble.h"
#include "ensemble_selection.h"
#include "failure.h"
#include "input_note.h"
#include "memory.h"
#include "number.h"
#include "progress.h"
#include "resume.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "training_arguments.h"
#include "training_examples.h"
#include "usage.h"
#include "validation.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::Examples;
using ensemble::Training;

/// As typed.
struct TrainArguments {
  ExampleArguments rows;
  TrainingArguments training;
  std::string validation;
  std::string seed = "0";
  SelectionArguments selection;
  bool calibrate = false;
  bool keep_partial = false;
  std::string resume;
  std::string output;
  std::string threads;
  std::string memory;  // empty: the library's default
  std::string checkpoint;
  bool json = false;
  bool quiet = false;
};

void check_output(const std::string& output, const TrainArguments& arguments) {
  if (!output.ends_with(".safetensors"))
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in .safetensors, the format it is written in",
                    one_line(output)));
  std::error_code ignored;
  std::vector<std::string> files = arguments.rows.files;
  files.push_back(arguments.validation);
  for (const std::string& file : files)
    if (std::filesystem::equivalent(output, file, ignored))
      throw InvalidArgument(
          fmt::format("--output {} is a file to read; choose another", one_line(output)));
  text::check_writable(output);
}

// Fails now rather than after hours of training.
void check_memory(const Examples& examples, const Training& training, Ensemble::Frame frame) {
  frame.quantiles = training.quantiles;
  const std::size_t outputs = ensemble::network_outputs(frame);
  double numbers = 0;
  for (const ensemble::Settings& settings : training.settings) {
    auto in = static_cast<double>(examples.encoding->columns(examples.columns()));
    for (const std::size_t units : settings.architecture.hidden) {
      numbers += (in + 1) * static_cast<double>(units);
      in = static_cast<double>(units);
    }
    numbers += (in + 1) * static_cast<double>(outputs);
  }
  const double needed = numbers * static_cast<double>(training.members) * sizeof(float);
  const auto limit = static_cast<double>(execution::memory_limit(training.memory));
  if (needed > limit)
    throw InvalidArgument(
        fmt::format("the parameters of all members take {} but the memory limit is {}; train fewer "
                    "or smaller networks, or give more with --memory",
                    bytes(needed), bytes(limit)));
}

/// Mean loss of the trained members, for the progress bar.
class LossSoFar {
 public:
  void add(const ensemble::Member& member) {
    const std::scoped_lock lock(mutex_);
    ++done_;
    if (!member.failure.empty()) return;
    const bool held_out = !std::isnan(member.held_out_loss);
    sum_ += held_out ? member.held_out_loss : member.loss;
    ++good_;
    has_held_out_ = has_held_out_ || held_out;
  }

  /// "240 members, held-out loss 0.134".
  [[nodiscard]] std::string operator()() {
    const std::scoped_lock lock(mutex_);
    if (good_ == 0) return "";
    return fmt::format("{} member{}, {}loss {:.4g}", grouped(done_), done_ == 1 ? "" : "s",
                       has_held_out_ ? "held-out " : "", sum_ / static_cast<double>(good_));
  }

 private:
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t good_ = 0;
  double sum_ = 0;
  bool has_held_out_ = false;
};

/// Trains all members that are not in `parts`, at once, or in rounds if finished members are to be
/// kept after an interruption. Members are the same to the bit.
Ensemble train_all(const Examples& examples, Training training, const ensemble::TrainingPlan& plan,
                   bool keep_partial, Interrupt& interrupt, bool quiet,
                   std::vector<Ensemble> parts) {
  LossSoFar losses;
  ProgressBar bar(quiet, "members", [&] { return losses(); });
  training.execution.stop = interrupt.token();
  training.execution.progress = bar.callback();
  training.execution.note = notes(quiet);
  if (training.execution.progress)
    training.finished = [&](const ensemble::Member& member) { losses.add(member); };
  const std::size_t settings = training.settings.size();
  const std::size_t known = parts.empty() ? 0 : parts[0].size() / settings;
  if (!keep_partial && parts.empty()) return ensemble::train(examples, training);

  const std::size_t threads = execution::thread_count(training.execution);
  const std::size_t members = training.members;
  // Groups that share weights are trained as a whole.
  const std::size_t group = std::max<std::size_t>(1, training.share);
  const std::size_t together = (std::max<std::size_t>(16, group) + group - 1) / group * group;
  const std::size_t longest =
      keep_partial ? together * ((threads + settings - 1) / settings) : members - known;
  // Members that are trained one by one need no others, and may take long.
  const bool alone = keep_partial && training.share == 0 &&
                     std::ranges::all_of(plan.settings, &ensemble::TrainingPlan::Networks::alone);
  std::size_t round = alone ? std::min((threads + settings - 1) / settings, longest) : longest;
  const auto show = training.execution.progress;
  for (std::size_t first = known; first < members; first += training.members) {
    constexpr double kShort = 2;  // seconds: rounds that end sooner may have more members
    const Timer time;
    training.first_member = first;
    training.members = std::min(round, members - first);
    if (show)
      training.execution.progress = [&](execution::Progress progress) {
        show({progress.done + static_cast<double>(first * settings),
              static_cast<double>(members * settings)});
      };
    try {
      parts.push_back(ensemble::train(examples, training));
    } catch (const Cancelled&) {
      if (parts.empty() || !keep_partial) throw;
      break;
    }
    if (time.seconds() < kShort) round = std::min(2 * round, longest);
  }
  return ensemble::join(parts, examples, {.threads = training.execution.threads}, &training);
}

Scores scores_of(const Ensemble& trained, const ensemble::Prediction& prediction,
                 const Examples& examples, const std::optional<ColumnView>& weights) {
  Scores scores;
  if (trained.classifies())
    scores.classes = evaluate_classes(prediction, examples.classes->codes, weights);
  else
    scores.targets = evaluate_targets(trained.frame(), prediction, examples.targets, 0.95, weights);
  return scores;
}

/// Selects among the trained members, which are then those that are kept.
void select_members(const Training& training, const ensemble::TrainingPlan& plan,
                    const Examples& examples, ensemble::SelectionOptions options,
                    Interrupt& interrupt, bool quiet, TrainRun& run, Ensemble& trained) {
  options.validation = training.validation;
  options.stopping = training.stopping;
  options.stopping.patience = plan.patience;
  // After an interruption that keeps the finished members, these are still selected.
  ProgressBar bar(quiet, "members", [] { return std::string("selection"); });
  options.execution = {.threads = training.execution.threads};
  if (!interrupt.token().stop_requested()) options.execution.stop = interrupt.token();
  options.execution.progress = bar.callback();
  if (options.rule == ensemble::SelectionRule::best)
    options.count = std::min(options.count, trained.size() - run.failures.size());
  run.rule = options.rule;
  run.selection = ensemble::select(trained, examples, options);
  options.execution.progress = {};
  for (const std::size_t m : run.selection->members)
    run.selected.emplace_back(trained.member(m).settings, trained.member(m).number);
  trained =
      ensemble::keep(trained, *run.selection, examples, options.execution, training.validation);
}

void check_held_out_rows(const char* option, const TrainArguments& arguments,
                         const Training& training) {
  using ensemble::Resampling;
  std::string how = fmt::format("--resampling {}", name(training.resampling));
  if (training.resampling == Resampling::subsample) {
    if (std::ranges::any_of(training.settings,
                            [](const ensemble::Settings& each) { return each.subsample < 1; }))
      return;
    how = "--subsample 1";
  }
  if (arguments.validation.empty() && training.resampling != Resampling::bootstrap)
    throw InvalidArgument(fmt::format(
        "{} needs rows that members are not trained on, but with {} they use all rows; give some "
        "with --validation, or take --resampling bootstrap or a smaller --subsample, which leave "
        "some out",
        option, how));
}

/// Batches of any size in a range to draw from must fit, whatever is drawn.
void check_drawn_batches(const TrainArguments& arguments, const Training& training,
                         std::size_t rows) {
  const std::vector<std::string>& texts = arguments.training.batch_size;
  if (arguments.selection.sample.empty() || texts.empty() || !ensemble::is_range(texts[0])) return;
  double share = 1;
  if (training.resampling == ensemble::Resampling::subsample)
    for (const ensemble::Settings& each : training.settings)
      share = std::min(share, each.subsample);
  const auto most =
      static_cast<std::size_t>(std::max(1.0, std::round(share * static_cast<double>(rows))));
  const std::span<const ensemble::RangeOption> options = ensemble::range_options();
  const auto option = std::ranges::find(options, "batch_size", &ensemble::RangeOption::name);
  if (ensemble::parse_range(*option, "--batch-size", texts[0]).high > static_cast<double>(most))
    throw InvalidArgument(
        fmt::format("--batch-size is {} but members have {} rows; give a range up to that",
                    texts[0], grouped(most)));
}

/// "dates=when" of a note about columns as the option of the command line.
std::string with_options(std::string note) {
  constexpr std::string_view kKey = "give dates=";
  if (const std::size_t at = note.find(kKey); at != std::string::npos)
    note.replace(at, kKey.size(), "give --dates ");
  return note;
}

/// `--missing error` asks for what `--nan error` does, and not for a word "error" in fields.
void take_missing_as_nan(ExampleArguments& rows) {
  if (!rows.nan.empty() || rows.dialect.missing != std::vector<std::string>{"error"}) return;
  rows.nan = "error";
  rows.dialect.missing.clear();
}

void run_train(TrainArguments arguments, Interrupt& interrupt) {
  take_missing_as_nan(arguments.rows);
  const std::uint64_t seed = parse_whole("--seed", arguments.seed, 0);
  Training training = parse_training(arguments.training, arguments.selection, seed);
  check_file(arguments.rows);
  set_targets(arguments.rows.targets, training);
  training.seed = seed;
  training.execution.threads = parse_threads(arguments.threads);
  training.memory = parse_size("--memory", arguments.memory);
  std::vector<std::pair<std::string, std::string>> others = {{"--validation", arguments.validation},
                                                             {"--output", arguments.output}};
  for (const std::string& file : arguments.rows.files) others.emplace_back("FILE", file);
  check_checkpoint(arguments.checkpoint, others);
  if (!arguments.checkpoint.empty() && arguments.keep_partial)
    throw InvalidArgument(
        "--checkpoint and --keep-partial do not go together: after Ctrl-C the first keeps members "
        "for the same command, and the second makes an ensemble of them; give one of the two");
  if (!arguments.checkpoint.empty() && !arguments.resume.empty())
    throw InvalidArgument(
        "--checkpoint and --resume do not go together: a checkpoint goes on by itself; give one of "
        "the two");
  training.checkpoint = arguments.checkpoint;
  std::optional<ensemble::SelectionOptions> selection =
      parse_selection(arguments.selection, training);
  if (selection) {
    check_held_out_rows(selecting_option(arguments.selection), arguments, training);
    training.keep_held_out = true;
    if (arguments.training.stopping_share.empty())
      training.stopping.share_of_rows = ensemble::Stopping::kShareBesideSelection;
  }
  if (!arguments.output.empty()) check_output(arguments.output, arguments);

  const Timer reading;
  const TrainingExamples rows(arguments.rows, training.memory);
  std::optional<ValidationExamples> validation;
  if (!arguments.validation.empty()) {
    validation.emplace(arguments.validation, arguments.rows, rows);
    training.validation = &validation->examples();
  }
  const double read_seconds = reading.seconds();
  print_input_note(rows.note(), arguments.quiet || arguments.json);
  print_where_note(rows.filtered(), rows.count() + rows.omitted() + rows.filtered(),
                   arguments.quiet);
  if (validation) print_input_note(validation->note(), arguments.quiet || arguments.json);
  if (!arguments.quiet && !arguments.json)
    for (const std::string& note : rows.input_notes()) complain(with_options(note));
  const Examples examples = rows.examples();
  training.loss = rows.loss();
  if (arguments.calibrate && examples.classes == nullptr &&
      training.loss != ensemble::Loss::multi_label &&
      std::ranges::count(training.losses, ensemble::Loss::binary) == 0)
    throw InvalidArgument(
        "--calibrate is for classes and targets of 0 and 1, but the task is a regression; the "
        "intervals of bootfold ensemble predict have stated coverage without it");
  if (arguments.calibrate) check_held_out_rows("--calibrate", arguments, training);
  check_drawn_batches(arguments, training, examples.rows());
  check_memory(examples, training, rows.frame());
  const ensemble::TrainingPlan plan = ensemble::plan(examples, training);
  std::vector<Ensemble> parts;
  if (!arguments.resume.empty())
    parts.push_back(load_members(arguments.resume, examples, training, plan));
  if (!arguments.quiet && !arguments.json) complain(plan.explain());

  const Interrupt::Work work(interrupt);
  const Timer computing;
  std::size_t resumed = 0;
  if (!parts.empty()) {
    resumed = parts[0].size();
    training.execution.stop = interrupt.token();
    check_first_members(arguments.resume, parts[0], examples, training);
  }
  Ensemble trained = train_all(examples, training, plan, arguments.keep_partial, interrupt,
                               arguments.quiet, std::move(parts));
  const std::vector<ensemble::SettingsSummary> summaries = ensemble::summarize_settings(trained);
  TrainRun run{.ensemble = trained, .summaries = summaries, .plan = plan, .failures = {}};
  run.trained = trained.size();
  run.resumed = resumed;
  run.requested = training.members * training.settings.size();
  for (std::size_t m = 0; m < trained.size(); ++m)
    if (const ensemble::Member& member = trained.member(m); !member.failure.empty())
      run.failures.emplace_back(member.settings, member.failure);
  if (run.failures.size() == trained.size())
    throw Failure(fmt::format("all {} members failed; the first: {}", trained.size(),
                              run.failures[0].second));
  run.sampled = !arguments.selection.sample.empty();
  if (selection) {
    try {
      select_members(training, plan, examples, *selection, interrupt, arguments.quiet, run,
                     trained);
    } catch (const Cancelled&) {
      if (!arguments.keep_partial) throw;
      run.selection.reset();
      run.selected.clear();
      complain("interrupted: no members were selected, so all of them are kept");
    }
  }
  if (arguments.calibrate) {
    Execution execution{.threads = training.execution.threads};
    if (!arguments.keep_partial) execution.stop = interrupt.token();
    // Without class weights, which are for the loss.
    Examples scored = examples;
    scored.weights = rows.score_weights();
    Examples aside;
    if (validation) {
      aside = validation->examples();
      aside.weights = validation->score_weights();
    }
    trained =
        ensemble::calibrate(std::move(trained), scored, validation ? &aside : nullptr, execution);
    run.calibrated = true;
  }
  if (validation && trained.frame().conformal.rows != ensemble::ScoreRows::held_out)
    trained.set_conformal(ensemble::conformal_scores(trained, validation->examples(),
                                                     {.threads = training.execution.threads}));
  if (trained.out_of_bag().rows > 0)
    run.out_of_bag = scores_of(trained, trained.out_of_bag(), examples, rows.score_weights());
  if (validation) {
    const Execution execution{.threads = training.execution.threads};  // also when interrupted
    run.validation = scores_of(trained, trained.predict(validation->examples().inputs, execution),
                               validation->examples(), validation->score_weights());
    run.validation_file = arguments.validation;
    run.validation_omitted = validation->omitted();
  }
  run.weighted = rows.score_weights().has_value();
  run.seconds = computing.seconds();
  if (!arguments.output.empty()) {
    try {
      trained.save(arguments.output);
    } catch (const DataError& error) {
      throw Failure(error.what());
    }
  }
  run.output = arguments.output;
  run.omitted = rows.omitted();
  run.threads = execution::thread_count(training.execution);
  run.read_seconds = read_seconds;
  run.peak_memory = peak_memory();
  print(arguments.json ? as_json(run) : as_text(run, arguments.quiet));
  finish_checkpoint(arguments.checkpoint);
}

}  // namespace

void add_ensemble_train(CLI::App& group, Task& task) {
  CLI::App* command =
      group.add_subcommand("train", "Train many small networks, each on its own resample");
  auto arguments = std::make_shared<TrainArguments>();
  add_example_arguments(*command, arguments->rows);
  add_text(
      *command, "--validation", arguments->validation, "FILE",
      "Validation rows with the same columns, instead of the rows that each member does not see")
      ->group(kToLearn);
  add_training_arguments(*command, arguments->training);
  add_selection_arguments(*command, arguments->selection);
  add_text(*command, "--seed", arguments->seed, "K",
           "Seed of the random numbers: the same command gives the same networks [0]")
      ->group(kHow);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  add_text(*command, "--memory", arguments->memory, "SIZE",
           "Memory limit of the parameters of all members, of sums over members and of the rows as "
           "float32: 256M, 1GiB; never changes a result [a quarter of what the process may use; "
           "half of it for the rows]")
      ->group(kHow);
  add_checkpoint(*command, arguments->checkpoint, kHow);
  command
      ->add_flag("--calibrate", arguments->calibrate,
                 "Calibrate the probabilities of classes and of targets of 0 and 1 by temperature "
                 "scaling on rows that members do not see")
      ->group(kHow)
      ->disable_flag_override();
  command
      ->add_flag("--keep-partial", arguments->keep_partial,
                 "On Ctrl-C, keep the members that are finished")
      ->group(kHow)
      ->disable_flag_override();
  add_text(*command, "--resume", arguments->resume, "MODEL",
           "Go on from the members of this file, which the same command wrote with --keep-partial "
           "or fewer --members")
      ->group(kHow);
  add_text(*command, "--output", arguments->output, "FILE",
           "Save the ensemble to a .safetensors file")
      ->group(kShown);
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  command->add_flag("--quiet", arguments->quiet, "Only the numbers: no progress, no notes")
      ->group(kShown)
      ->disable_flag_override();
  command->footer(examples(
      {{"bootfold ensemble train iris.csv --target species --output iris.safetensors",
        "a hundred networks with 32 hidden units, with out-of-bag scores"},
       {"bootfold ensemble train iris.csv --target species --calibrate",
        "with calibrated class probabilities"},
       {"bootfold ensemble train houses.csv --target price --task regression --loss gaussian "
        "--hidden 64,64 --ignore id",
        "networks that predict a mean and a variance"},
       {"bootfold ensemble train houses.csv --target price --loss pinball --quantiles "
        "0.05,0.5,0.95 "
        "--target-transform log",
        "quantiles of the price; the networks learn its logarithm"},
       {"bootfold ensemble train houses.csv --target price:huber --target sold:binary",
        "a number and a column of 0 and 1, each with its loss"},
       {"bootfold ensemble train flights.csv --target late --categorical flight --dates day",
        "text, codes, dates and missing values as inputs"},
       {"bootfold ensemble train iris.csv --target species --learning-rate 1e-4,1e-3,1e-2 --hidden "
        "16 --hidden 32,32 --members 20 --keep-best 30 --output best.safetensors",
        "compares six settings with 20 members each and keeps the best 30 members"},
       {"bootfold ensemble train houses.csv --target price --sample 64 --learning-rate 1e-4..1e-2 "
        "--hidden 16..256 --output best.safetensors",
        "64 settings drawn from ranges with 8 members each, and the members that predict best "
        "together"},
       {"bootfold ensemble train fraud.csv --target fraud --task classification --class-weights "
        "balanced --patience 5 --epochs 500",
        "a rare class; members stop early by their out-of-bag loss"},
       {"bootfold ensemble train train.csv --target species --resampling none --validation val.csv "
        "--patience 5 --learning-rate 1e-3,1e-2 --keep-best 50",
        "members are stopped, compared and selected on the rows of another file"},
       {"bootfold ensemble train big.csv --target y --task regression --members 10000 --output "
        "big.safetensors --checkpoint run.checkpoint",
        "a long training: after an interruption, the same command goes on"},
       {"bootfold ensemble train x.npy --target 65 --task regression --subsample 0.1,0.2,0.4,0.8",
        "the loss as a function of the number of rows"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_train(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
