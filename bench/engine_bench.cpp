// Rates of the engine, one workload a call, as one JSON object: what bench/compare.py puts beside
// the peers. A rate is rows x replicates a second, the best of several runs; for ensembles it is
// examples a second.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "bootfold/bootfold.h"
#include "ensemble_work.h"
#include "peak.h"

namespace {

using namespace bootfold;
using Clock = std::chrono::steady_clock;

std::vector<double> normals(std::size_t rows, std::uint64_t seed) {
  random::Stream stream({.seed = seed});
  std::vector<double> values(rows);
  for (double& value : values) value = random::normal(stream);
  return values;
}

Scheme every_row(std::size_t) { return scheme::Iid{}; }

struct Workload {
  std::size_t rows;
  std::uint64_t replicates;  // 0: as many as fit the time
  std::function<std::vector<std::vector<double>>(std::size_t rows)> make;
  std::function<Statistic()> statistic;
  std::optional<Path> path = {};
  bool narrow = false;  // float32 columns
  std::function<Scheme(std::size_t rows)> scheme = every_row;
  std::size_t groups = 0;  // not 0: compares so many groups, whose rows are mixed
};

/// Labels that go round; they live as long as the program.
std::span<const std::uint32_t> labels(std::size_t rows, std::uint32_t groups) {
  static std::vector<std::uint32_t> made;
  made.clear();
  for (std::size_t row = 0; row < rows; ++row)
    made.push_back(static_cast<std::uint32_t>(row % groups));
  return made;
}

Scheme twenty_rows(std::size_t) { return scheme::StationaryBlocks{20}; }
Scheme thousand_clusters(std::size_t rows) { return scheme::Cluster{labels(rows, 1000)}; }
Scheme ten_strata(std::size_t rows) { return scheme::Stratified{labels(rows, 10)}; }
Scheme bayesian(std::size_t) { return scheme::Bayesian{}; }

std::vector<std::vector<double>> one_normal(std::size_t rows) { return {normals(rows, 1)}; }

std::vector<std::vector<double>> several(std::size_t rows, std::size_t columns) {
  std::vector<std::vector<double>> made;
  for (std::size_t c = 0; c < columns; ++c) made.push_back(normals(rows, c + 1));
  for (std::size_t c = 1; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) made[0][r] += made[c][r] / static_cast<double>(c + 1);
  return made;
}

std::vector<std::vector<double>> zeros_and_ones(std::size_t rows) {
  random::Stream stream({.seed = 1});
  std::vector<double> values(rows);
  for (double& value : values) value = random::uniform(stream) < 0.05 ? 1 : 0;
  return {values};
}

/// Reads the resample once, as the cheapest of callables does.
double mean_of(const statistic::Resample& resample) {
  const auto x = resample.column(0);
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8)
    for (std::size_t k = 0; k < 8; ++k) lanes[k] += x[i + k];
  double sum = std::accumulate(lanes, lanes + 8, 0.0);
  for (; i < x.size(); ++i) sum += x[i];
  return sum / static_cast<double>(x.size());
}

Statistic summing_callable() { return statistic::callable(mean_of); }

/// The same with rows in any order.
Statistic symmetric_callable() {
  return statistic::callable(mean_of, "callable", statistic::RowOrder::any);
}

/// Looks at one row only: what is left is drawing the resample out, the bare gather.
Statistic idle_callable() {
  return statistic::callable(
      [](const statistic::Resample& resample) { return resample.column(0)[0]; });
}

const std::map<std::string, Workload>& workloads() {
  static const std::map<std::string, Workload> all = {
      {"binary_mean_5e6", {5'000'000, 1'000'000, zeros_and_ones, statistic::mean}},
      {"mean_1e7", {10'000'000, 0, one_normal, statistic::mean}},
      {"compare_10_groups_1e7",
       {10'000'000, 0, one_normal, statistic::mean, {}, false, every_row, 10}},
      {"mean_5e6", {5'000'000, 0, one_normal, statistic::mean}},
      {"mean_5e6_f32", {5'000'000, 0, one_normal, statistic::mean, {}, true}},
      {"mean_1e6", {1'000'000, 0, one_normal, statistic::mean}},
      {"mean_1e5", {100'000, 0, one_normal, statistic::mean}},
      {"mean_1e4", {10'000, 0, one_normal, statistic::mean}},
      {"mean_1e3", {1000, 0, one_normal, statistic::mean}},
      {"mean_100", {100, 0, one_normal, statistic::mean}},
      {"mean_15", {15, 1'000'000, one_normal, statistic::mean}},
      {"median_5e6", {5'000'000, 1'000'000, one_normal, statistic::median}},
      {"variance_1e6", {1'000'000, 0, one_normal, [] { return statistic::variance(); }}},
      {"correlation_1e6",
       {1'000'000, 0, [](std::size_t n) { return several(n, 2); }, statistic::correlation}},
      {"regression5_1e6",
       {1'000'000, 0, [](std::size_t n) { return several(n, 6); }, statistic::regression}},
      {"stationary_1e5", {100'000, 0, one_normal, statistic::mean, {}, false, twenty_rows}},
      {"cluster_1e6",
       {1'000'000, 100'000, one_normal, statistic::mean, {}, false, thousand_clusters}},
      {"stratified_1e6", {1'000'000, 0, one_normal, statistic::mean, {}, false, ten_strata}},
      {"bayesian_1e6", {1'000'000, 0, one_normal, statistic::mean, {}, false, bayesian}},
      {"trimmed_1e5", {100'000, 0, one_normal, [] { return statistic::trimmed_mean(0.1); }}},
      {"callable_1e5", {100'000, 0, one_normal, summing_callable}},
      {"callable_1e6", {1'000'000, 0, one_normal, summing_callable}},
      {"symmetric_callable_1e6", {1'000'000, 0, one_normal, symmetric_callable}},
      {"gather_1e5", {100'000, 0, one_normal, idle_callable}},
      {"gather_mean_1e5", {100'000, 0, one_normal, statistic::mean, Path::gather}},
      {"gather_mean_1e3", {1000, 0, one_normal, statistic::mean, Path::gather}},
  };
  return all;
}

struct Arguments {
  std::string workload;
  double seconds = 3;
  Execution execution;
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string key = words[i];
    const std::string value = words[i + 1];
    if (key == "--workload") arguments.workload = value;
    if (key == "--seconds") arguments.seconds = std::stod(value);
    if (key == "--threads") arguments.execution.threads = static_cast<unsigned>(std::stoul(value));
    if (key == "--simd")
      for (const auto level : execution::available_levels())
        if (execution::name(level) == value) arguments.execution.level = level;
  }
  if (!workloads().contains(arguments.workload) &&
      !bench::parse_ensemble_work(arguments.workload)) {
    std::cerr << "usage: engine_bench --workload NAME [--threads T] [--simd LEVEL] [--seconds S]\n";
    for (const auto& [name, workload] : workloads()) std::cerr << "  " << name << "\n";
    std::cerr << "  train:2-32-2:full:100, train:2-32-2:32:100, predict:2-32-2:1e6:100, "
                 "fold:2-32-2:32:1e5 and the like\n";
    std::exit(2);
  }
  return arguments;
}

/// The best of several runs, as one line of JSON. Steps alone are what as many steps again take:
/// peers are timed so, without the preparation of the rows and predictions out of bag.
void measure(const bench::EnsembleWork& work, const Arguments& arguments) {
  const std::function<void(std::size_t)> run = bench::prepare(work, arguments.execution);
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const bool short_work = work.kind != bench::EnsembleWork::Kind::fold;
  const unsigned threads = execution::thread_count(arguments.execution);
  const auto level = arguments.execution.level.value_or(execution::default_level());
  const bool trains = work.kind == bench::EnsembleWork::Kind::train;
  if (short_work) run(1);  // warm
  double best = 1e300;
  double best_of_twice = 1e300;
  double best_processor = 1e300;
  double peak = bench::peak_flops(level, threads);
  const auto begin = Clock::now();
  for (int runs = 0; runs < (short_work ? 3 : 1) || since(begin) < arguments.seconds; ++runs) {
    const auto start = Clock::now();
    const double processor_start = bench::processor_seconds();
    run(1);
    best = std::min(best, since(start));
    best_processor = std::min(best_processor, bench::processor_seconds() - processor_start);
    if (trains) {
      const auto again = Clock::now();
      run(2);
      best_of_twice = std::min(best_of_twice, since(again));
    }
    peak = std::max(peak, bench::peak_flops(level, threads));  // in turn, as the machine wavers
  }
  const double flops = work.flops() / best;
  nlohmann::json line{{"workload", arguments.workload},      {"rows", work.rows()},
                      {"replicates", work.members},          {"seconds", best},
                      {"rate", work.examples() / best},      {"path", "lanes"},
                      {"simd", execution::name(level)},      {"threads", threads},
                      {"processor_seconds", best_processor}, {"gflops", flops / 1e9}};
  const double steps_flops = work.flops() / (best_of_twice - best);
  if (trains) {
    line["steps_seconds"] = best_of_twice - best;
    line["steps_gflops"] = steps_flops / 1e9;
  }
  if (peak > 0) {
    if (trains) line["steps_share"] = steps_flops / peak;
    line["peak_gflops"] = peak / 1e9;
    line["share"] = flops / peak;
    // What a machine of its own would give to one thread, even while other programs run.
    line["processor_share"] = work.flops() / best_processor / (peak / threads);
  }
  std::cout << line.dump() << "\n";
}

}  // namespace

int main(int count, char** words) try {
  const Arguments arguments = parse(count, words);
  if (const auto work = bench::parse_ensemble_work(arguments.workload)) {
    measure(*work, arguments);
    return 0;
  }
  const Workload& workload = workloads().at(arguments.workload);
  const auto made = workload.make(workload.rows);
  std::vector<std::vector<float>> narrow;
  std::vector<ColumnView> columns;
  for (const auto& column : made) {
    if (workload.narrow) {
      narrow.emplace_back(column.begin(), column.end());
    } else {
      columns.emplace_back(column);
    }
  }
  for (const auto& column : narrow) columns.emplace_back(column);
  const DataView data(columns);
  data::Labels labels;
  for (std::size_t group = 0; group < workload.groups; ++group)
    labels.names.push_back("group" + std::to_string(group));
  for (std::size_t row = 0; workload.groups > 0 && row < workload.rows; ++row)
    labels.codes.push_back(static_cast<std::uint32_t>(row % workload.groups));

  Options options;
  options.execution = arguments.execution;
  options.path = workload.path;
  options.scheme = workload.scheme(workload.rows);
  double best = 1e300;
  std::uint64_t best_replicates = 1;
  std::optional<Plan> plan;
  const auto run = [&](std::uint64_t replicates) {
    options.replicates = replicates;
    const auto start = Clock::now();
    if (workload.groups > 0) {
      const comparison::Options how{.replicates = replicates, .execution = options.execution};
      plan = compare(data, labels, workload.statistic(), how).groups[0].plan;
    } else {
      plan = bootstrap(data, workload.statistic(), options).plan();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // Everything is timed: planning, passes over the data, replicates, their summary.
  std::uint64_t replicates = workload.replicates;
  if (replicates == 0) {
    replicates = 1000;  // planning is timed too, so fewer would measure little else
    double seconds = run(replicates);
    while (seconds < arguments.seconds / 8) {
      replicates = static_cast<std::uint64_t>(
          static_cast<double>(replicates) *
          std::clamp(arguments.seconds / 3 / std::max(seconds, 1e-6), 2.0, 64.0));
      seconds = run(replicates);
    }
  }
  const auto begin = Clock::now();
  int runs = 0;
  while (runs < 3 ||
         std::chrono::duration<double>(Clock::now() - begin).count() < arguments.seconds) {
    const double seconds = run(replicates);
    if (seconds / static_cast<double>(replicates) < best / static_cast<double>(best_replicates)) {
      best = seconds;
      best_replicates = replicates;
    }
    ++runs;
  }
  const double work = static_cast<double>(workload.rows) * static_cast<double>(best_replicates);
  std::cout << nlohmann::json{{"workload", arguments.workload},
                              {"rows", workload.rows},
                              {"replicates", best_replicates},
                              {"seconds", best},
                              {"rate", work / best},
                              {"path", name(plan->path)},
                              {"digits", plan->digits},
                              {"simd", execution::name(plan->level)},
                              {"threads", plan->threads},
                              {"estimated_seconds", plan->seconds}}
                   .dump()
            << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << "engine_bench: " << error.what() << "\n";
  return 1;
}
