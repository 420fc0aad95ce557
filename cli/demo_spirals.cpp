// cli/demo_spirals.cpp: `bootfold demo spirals`: one network beside an ensemble of many.
//
// A hundred points on two spirals are few, so what a network makes of the plane away from them is
// chance. One network does not know that; members trained on different resamples disagree there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "command.h"
#include "console.h"
#include "figure.h"
#include "number.h"
#include "progress.h"
#include "report.h"
#include "spirals.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

constexpr std::size_t kPoints = 100;
constexpr std::size_t kFreshPoints = 2000;
constexpr double kNoise = 0.05;
constexpr double kReach = 1.5;
constexpr std::size_t kSide = 240;

struct SpiralArguments {
  std::vector<std::string> hidden;
  std::string members = "100";
  std::string steps = "2000";
  std::string learning_rate = "0.01";
  std::string seed = "1";
  std::string output = "bootfold-spirals.png";
  std::string threads;
};

struct Show {
  ensemble::Architecture architecture;
  ensemble::Training training;
  std::string output;
  Canvas::Kind kind = Canvas::Kind::png;
};

Canvas::Kind kind_of(const std::string& path) {
  if (path.ends_with(".png")) return Canvas::Kind::png;
  if (path.ends_with(".svg")) return Canvas::Kind::svg;
  throw InvalidArgument(
      fmt::format("--output is '{}' but must end in .png or .svg, which says what to write", path));
}

Show check(const SpiralArguments& arguments) {
  Show show;
  if (!arguments.hidden.empty()) {
    show.architecture.hidden.clear();
    for (const std::string& units : split_list(arguments.hidden))
      show.architecture.hidden.push_back(parse_whole("--hidden", units, 1, 65'536));
  }
  show.training.members = parse_whole("--members", arguments.members, 2, 1'000'000);
  show.training.steps = parse_whole("--steps", arguments.steps, 1);
  show.training.seed = parse_whole("--seed", arguments.seed, 0);
  show.training.settings[0].learning_rate =
      parse_between("--learning-rate", arguments.learning_rate, 0, 1, "0.01");
  show.training.settings[0].batch_size = 0;
  show.training.settings[0].schedule = ensemble::Schedule::constant;
  show.training.execution.threads = parse_threads(arguments.threads);
  show.output = arguments.output;
  show.kind = kind_of(show.output);
  Canvas::check_available();
  text::check_writable(show.output);
  return show;
}

struct Trained {
  ensemble::Ensemble ensemble;
  double seconds = 0;
};

Trained train(const Spirals& spirals, const Show& show, bool one, Interrupt& interrupt) {
  ProgressBar bar(false, "members");
  ensemble::Training training = show.training;
  training.execution.stop = interrupt.token();
  training.execution.progress = bar.callback();
  if (one) {
    training.members = 1;
    training.resampling = ensemble::Resampling::none;
  }
  const Interrupt::Work work(interrupt);
  const Timer timer;
  ensemble::Ensemble trained =
      ensemble::train(spirals.examples(), show.architecture, std::move(training));
  return {std::move(trained), timer.seconds()};
}

/// Mean and standard deviation of the losses that members ended with.
struct Losses {
  explicit Losses(const ensemble::Ensemble& trained) {
    double squares = 0;
    for (std::size_t m = 0; m < trained.size(); ++m) {
      if (!trained.member(m).failure.empty()) continue;
      const double loss = trained.member(m).loss;
      mean += loss;
      squares += loss * loss;
      count += 1;
    }
    mean /= count;
    spread = std::sqrt(std::max(0.0, squares / count - mean * mean));
  }
  double mean = 0;
  double spread = 0;
  double count = 0;
};

/// "2-32-2".
std::string shape_of(const ensemble::Architecture& architecture) {
  std::string text = "2";
  for (const std::size_t units : architecture.hidden) text += fmt::format("-{}", units);
  return text + "-2";
}

using Score = ensemble::ClassScores;

std::string scores_table(const Trained& one, const Trained& many, const Score& one_score,
                         const Score& many_score, const Score& out_of_bag) {
  const Losses one_loss(one.ensemble);
  const Losses losses(many.ensemble);
  const auto line = [](std::string_view name, std::string_view first, std::string_view second,
                       std::string_view third) {
    std::string text = fmt::format("  {:<18}{:>13}{:>19}{:>13}", name, first, second, third);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  const auto numbers = [&](std::string_view name, double Score::*value) {
    return line(name, fmt::format("{:.4f}", one_score.*value),
                fmt::format("{:.4f}", many_score.*value), fmt::format("{:.4f}", out_of_bag.*value));
  };
  std::string text =
      line("", "one network", fmt::format("ensemble of {}", many.ensemble.size()), "out of bag");
  text += line("training loss", fmt::format("{:.4f}", one_loss.mean),
               fmt::format("{:.4f} +- {:.4f}", losses.mean, losses.spread), "");
  text += numbers("accuracy", &Score::accuracy);
  text += numbers("NLL", &Score::negative_log_likelihood);
  text += numbers("Brier score", &Score::brier_score);
  text += numbers("ECE", &Score::calibration_error);
  text += line("training time", duration(one.seconds), duration(many.seconds), "");
  return text;
}

std::string note(const Score& score) {
  return fmt::format("accuracy {:.1f}%, NLL {:.3f}, ECE {:.3f}", 100 * score.accuracy,
                     score.negative_log_likelihood, score.calibration_error);
}

/// The probability of class 1.
std::vector<double> ones(const ensemble::Prediction& said) {
  std::vector<double> values(said.rows);
  for (std::size_t row = 0; row < said.rows; ++row) values[row] = said.probability(row, 1);
  return values;
}

void run_show(const SpiralArguments& arguments, Interrupt& interrupt) {
  const Show show = check(arguments);
  const Timer timer;
  const std::uint64_t seed = show.training.seed;
  const Spirals spirals(kPoints, kNoise, seed, 0);
  const Spirals fresh(kFreshPoints, kNoise, seed, 1);
  const std::string shape = shape_of(show.architecture);
  print(fmt::format(
      "Two spirals: {} points to learn from, {} fresh ones to be judged by\n"
      "{} networks, {} steps of Adam at {} on the full batch, members on bootstrap resamples\n\n",
      kPoints, grouped(kFreshPoints), shape, grouped(show.training.steps),
      show.training.settings[0].learning_rate));

  const Trained one = train(spirals, show, true, interrupt);
  const Trained many = train(spirals, show, false, interrupt);
  const Score one_score =
      ensemble::evaluate_classes(one.ensemble.predict(fresh.inputs()), fresh.classes.codes);
  const Score many_score =
      ensemble::evaluate_classes(many.ensemble.predict(fresh.inputs()), fresh.classes.codes);
  print(
      scores_table(one, many, one_score, many_score,
                   ensemble::evaluate_classes(many.ensemble.out_of_bag(), spirals.classes.codes)));

  const Grid grid(kReach, kSide);
  const DataView plane({ColumnView(grid.x), ColumnView(grid.y)});
  Execution execution{.threads = show.training.execution.threads, .stop = interrupt.token()};
  const Interrupt::Work work(interrupt);
  const ensemble::Prediction said = many.ensemble.predict(plane, execution);
  const Scale probability{"probability of class 1", diverging, 0, 1};
  const double most = *std::max_element(said.epistemic.begin(), said.epistemic.end());
  const Figure figure{
      .title = fmt::format("Two spirals: {} points, {} networks", kPoints, shape),
      .reach = kReach,
      .side = kSide,
      .panels = {{.title = "One network on all points",
                  .note = note(one_score),
                  .values = ones(one.ensemble.predict(plane, execution)),
                  .scale = probability,
                  .bar = false},
                 {.title = fmt::format("Mean of {} bootstrapped networks", many.ensemble.size()),
                  .note = note(many_score),
                  .values = ones(said),
                  .scale = probability},
                 {.title = "How far the members disagree",
                  .note = "epistemic uncertainty: mutual information",
                  .values = said.epistemic,
                  .scale = {"nats", sequential, 0, std::max(most, 1e-6)},
                  .halves = false}},
      .points = spirals};
  text::write_file(show.output, draw(figure, show.kind));
  print("\n" + item("picture", show.output) + item("all in all", duration(timer.seconds())));
}

}  // namespace

void add_demo_spirals(CLI::App& demo, Task& task) {
  CLI::App* command = demo.add_subcommand(
      "spirals", "One network beside an ensemble of 100, in numbers and as a picture");
  auto arguments = std::make_shared<SpiralArguments>();
  add_list(*command, "--hidden", arguments->hidden, "N1,N2", "Units of each hidden layer [32]");
  add_text(*command, "--members", arguments->members, "K", "Networks of the ensemble [100]");
  add_text(*command, "--steps", arguments->steps, "N", "Of Adam, on the full batch [2000]");
  add_text(*command, "--learning-rate", arguments->learning_rate, "R", "Of Adam [0.01]");
  add_text(*command, "--seed", arguments->seed, "K", "Of points, first weights, resamples [1]");
  add_text(*command, "--output", arguments->output, "PATH",
           "The picture, .png or .svg [bootfold-spirals.png]");
  add_text(*command, "--threads", arguments->threads, "T", "Threads to use [all cores]");
  command->footer(examples(
      {{"bootfold demo spirals", "about a second; look at bootfold-spirals.png"},
       {"bootfold demo spirals --output spirals.svg --members 1000", "more members, as SVG"},
       {"bootfold demo spirals --hidden 512,512 --members 10 --steps 100 --learning-rate 0.001",
        "wide networks, the settings of the usual JAX example"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_show(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
