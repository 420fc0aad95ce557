// cli/demo.cpp: `bootfold demo bootstrap`: the showcase, on data it makes itself.
//
// Part 1 has two distinct values, so a replicate of any size is one binomial draw. Part 2 has as
// many distinct values as rows, so every replicate visits every row; it runs for about the time
// that was asked and says what the full number would take. All numbers are of this run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "arguments.h"
#include "bootfold/bootstrap.h"
#include "bootfold/random.h"
#include "command.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "progress.h"
#include "report.h"
#include "text.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

struct DemoArguments {
  std::string rows = "5000000";
  std::string probability = "0.05";
  std::string replicates = "1000000";
  std::string seconds = "10";
  std::string seed = "0";
  std::string threads;
  std::string memory = "64M";
};

struct Demo {
  std::size_t rows = 0;
  double probability = 0;
  std::uint64_t replicates = 0;
  double seconds = 0;
  Options options;
};

Demo check(const DemoArguments& arguments) {
  Demo demo;
  demo.rows = parse_whole("--rows", arguments.rows, 2, std::uint64_t{1} << 40);
  demo.probability = parse_between("--probability", arguments.probability, 0, 1, "0.05");
  demo.replicates = parse_whole("--replicates", arguments.replicates, 2);
  demo.seconds = parse_between("--seconds", arguments.seconds, 0,
                               std::numeric_limits<double>::infinity(), "10");
  demo.options.seed = parse_whole("--seed", arguments.seed, 0);
  demo.options.execution.threads = parse_threads(arguments.threads);
  demo.options.memory = parse_size("--memory", arguments.memory);
  return demo;
}

// A bootstrap of the mean with a progress bar, timed.
struct Timed {
  Result result;
  double seconds = 0;
};

Timed measure(const ColumnView& data, std::uint64_t replicates, const Demo& demo,
              Interrupt& interrupt) {
  ProgressBar bar(false);
  Options options = demo.options;
  options.replicates = replicates;
  options.execution.stop = interrupt.token();
  options.execution.progress = bar.callback();
  const Interrupt::Work work(interrupt);
  const Timer timer;
  Result result = bootstrap(data, statistic::mean(), options);
  return {std::move(result), timer.seconds()};
}

// The standard error that infinitely many replicates would give: the mean of n draws from the data.
double exact_standard_error(const ColumnView& data) {
  double mean = 0;
  double squares = 0;  // Welford: sum of squared deviations so far
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const double before = data[row] - mean;
    mean += before / static_cast<double>(row + 1);
    squares += before * (data[row] - mean);
  }
  const auto rows = static_cast<double>(data.rows());
  return std::sqrt(squares / rows / rows);
}

void show(const Timed& timed, const ColumnView& data) {
  Run run{.result = timed.result,
          .columns = {fmt::format("{} rows", grouped(data.rows()))},
          .intervals = intervals(timed.result, 0.95),
          .seconds = timed.seconds};
  run.peak_memory = peak_memory();
  const double exact = exact_standard_error(data);
  const double error = timed.result.standard_error_error();
  std::string text = numbers_as_text(run, 0);
  if (error > 0)
    text += item("in theory", fmt::format("standard error {}: {:.1f} Monte Carlo errors away",
                                          rounded(exact, error),
                                          std::abs(timed.result.standard_error() - exact) / error));
  print(text + "\n" + histogram_as_text(run, 0) + "\n" + story_as_text(run));
}

void show_two_values(const Demo& demo, Interrupt& interrupt) {
  print(fmt::format("1. {} values, 1 with probability {} and 0 otherwise: {} replicates\n\n",
                    grouped(demo.rows), demo.probability, grouped(demo.replicates)));
  std::vector<std::uint8_t> values(demo.rows);
  random::Stream stream({.seed = demo.options.seed, .replicate = 0});
  for (std::uint8_t& value : values)
    value = static_cast<std::uint8_t>(random::uniform(stream) < demo.probability);
  const ColumnView data(values.data(), data::Type::uint8, values.size(), 1);
  const Timed timed = measure(data, demo.replicates, demo, interrupt);
  show(timed, data);
  const double draws = static_cast<double>(demo.rows) * static_cast<double>(demo.replicates);
  print(item("stands for", fmt::format("{} drawn rows: what a loop of choice() and mean() visits",
                                       scaled(draws))));
}

// How many replicates fit in the time asked for: short runs, each longer than the last, until the
// difference of two tells the rate apart from the fixed cost of a run.
std::uint64_t calibrate(const ColumnView& data, const Demo& demo, Interrupt& interrupt) {
  const double enough = std::min(0.1 * demo.seconds, 2.0);
  std::uint64_t replicates = std::min<std::uint64_t>(demo.replicates, 32);
  double seconds = measure(data, replicates, demo, interrupt).seconds;
  for (;;) {
    const double growth = std::clamp(1.5 * enough / seconds, 2.0, 32.0);
    const auto more = std::min<std::uint64_t>(
        demo.replicates, static_cast<std::uint64_t>(static_cast<double>(replicates) * growth));
    if (more == replicates) return replicates;
    const double longer = measure(data, more, demo, interrupt).seconds;
    if (longer >= enough || more == demo.replicates) {
      const double each =
          std::max(longer - seconds, 0.1 * longer) / static_cast<double>(more - replicates);
      const double fixed = std::max(0.0, longer - each * static_cast<double>(more));
      const double fit = std::max(0.0, demo.seconds - fixed) / each;
      return std::max<std::uint64_t>(
          2, static_cast<std::uint64_t>(std::min(fit, static_cast<double>(demo.replicates))));
    }
    replicates = more;
    seconds = longer;
  }
}

void show_distinct_values(const Demo& demo, Interrupt& interrupt) {
  print(fmt::format("\n2. {} distinct normal values: as many replicates as fit in about {}\n\n",
                    grouped(demo.rows), duration(demo.seconds)));
  std::vector<double> values(demo.rows);
  random::Stream stream({.seed = demo.options.seed, .replicate = 1});
  for (double& value : values) value = random::normal(stream);
  const ColumnView data(values);
  const std::uint64_t replicates = calibrate(data, demo, interrupt);
  const Timed timed = measure(data, replicates, demo, interrupt);
  show(timed, data);
  if (replicates < demo.replicates)
    print(item("at this rate",
               fmt::format("{} replicates would take {}", grouped(demo.replicates),
                           duration(timed.seconds * static_cast<double>(demo.replicates) /
                                    static_cast<double>(replicates)))));
}

void run_demo(const DemoArguments& arguments, Interrupt& interrupt) {
  const Demo demo = check(arguments);
  show_two_values(demo, interrupt);
  show_distinct_values(demo, interrupt);
}

}  // namespace

void add_demo(CLI::App& root, Task& task) {
  CLI::App* demo = root.add_subcommand("demo", "See what bootfold can do, on data it makes itself");
  demo->footer(examples({{"bootfold demo bootstrap", "a million replicates of five million values"},
                         {"bootfold demo spirals",
                          "one small network and an ensemble of a hundred, with a picture"}}));

  CLI::App* command =
      demo->add_subcommand("bootstrap", "A million replicates of the mean of five million values");
  auto arguments = std::make_shared<DemoArguments>();
  add_text(*command, "--rows", arguments->rows, "N", "Values in each data set [5000000]");
  add_text(*command, "--probability", arguments->probability, "P",
           "Probability of a 1 in the first data set [0.05]");
  add_text(*command, "--replicates", arguments->replicates, "N", "Resamples to draw [1000000]");
  add_text(*command, "--seconds", arguments->seconds, "S", "Time for the second data set [10]");
  add_text(*command, "--seed", arguments->seed, "K", "Seed of data and resamples [0]");
  add_text(*command, "--threads", arguments->threads, "T", "Threads to use [all cores]");
  add_text(*command, "--memory", arguments->memory, "SIZE",
           "Limit of the working memory, without data and result [64M]");
  command->footer(examples({{"bootfold demo bootstrap", "both data sets, about 15 seconds"},
                            {"bootfold demo bootstrap --seconds 1", "a shorter run"},
                            {"bootfold demo bootstrap --rows 1000 --probability 0.5",
                             "small data: other paths are cheaper"},
                            {"BOOTFOLD_SIMD=avx2 bootfold demo bootstrap --threads 1",
                             "the same numbers on one core without AVX-512"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_demo(*arguments, interrupt); };
  });
  add_demo_spirals(*demo, task);
}

}  // namespace bootfold::cli
