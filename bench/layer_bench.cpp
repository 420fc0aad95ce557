// Times of trainings with options of layers relative to those without them, on one thread.
//
//     layer_bench [runs] [level]
//
// Runs of all options take turns, and the least CPU time of each counts, so that other programs on
// the machine matter little. Members are trained on all rows, so nothing is predicted out of bag.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/random.h"

namespace {

using namespace bootfold;
using namespace bootfold::ensemble;

struct Network {
  std::size_t inputs;
  std::vector<std::size_t> hidden;
  std::size_t batch;
  std::size_t members;
  std::uint64_t steps;
};

struct Rows {
  explicit Rows(std::size_t columns) : inputs(columns, std::vector<double>(kRows)), target(kRows) {
    random::Stream stream({.seed = 1});
    for (auto& column : inputs)
      for (double& value : column) value = random::normal(stream);
    for (std::size_t row = 0; row < kRows; ++row)
      target[row] = inputs[0][row] * inputs[1][row] + 0.1 * random::normal(stream);
  }

  [[nodiscard]] Examples examples() const {
    std::vector<ColumnView> columns(inputs.begin(), inputs.end());
    return {.inputs = DataView(std::move(columns)), .targets = DataView(target)};
  }

  static constexpr std::size_t kRows = 1000;
  std::vector<std::vector<double>> inputs;
  std::vector<double> target;
};

std::vector<std::pair<std::string, Settings>> variants(const Network& network) {
  Settings plain;
  plain.architecture.hidden = network.hidden;
  plain.batch_size = network.batch;
  std::vector<std::pair<std::string, Settings>> found = {{"plain", plain}};
  const auto add = [&](const char* name, auto&& change) {
    change(found.emplace_back(name, plain).second);
  };
  add("dropout 0.1", [](Settings& s) { s.dropout = 0.1; });
  add("layer norm", [](Settings& s) { s.architecture.layer_norm = true; });
  if (network.hidden.size() > 1)
    add("residual", [](Settings& s) { s.architecture.residual = true; });
  add("average", [](Settings& s) { s.average = 0.999; });
  add("all of them", [](Settings& s) {
    s.dropout = 0.1;
    s.average = 0.999;
    s.architecture.layer_norm = true;
    s.architecture.residual = true;
  });
  add("gelu", [](Settings& s) { s.architecture.activation = Activation::gelu; });
  add("silu", [](Settings& s) { s.architecture.activation = Activation::silu; });
  return found;
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void measure(const Network& network, int runs, std::optional<execution::Level> level) {
  const Rows rows(network.inputs);
  const auto all = variants(network);
  std::vector<double> best(all.size(), std::numeric_limits<double>::infinity());
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < all.size(); ++i) {
      Training training{.members = network.members, .settings = {all[i].second}};
      training.steps = network.steps;
      training.resampling = Resampling::none;
      training.execution.threads = 1;
      training.execution.level = level;
      const double begin = cpu_seconds();
      static_cast<void>(train(rows.examples(), training));
      best[i] = std::min(best[i], cpu_seconds() - begin);
    }
  fmt::print("{}-", network.inputs);
  for (const std::size_t units : network.hidden) fmt::print("{}-", units);
  fmt::print("1, batches of {}, {} members: {:.3g} us a step of a member", network.batch,
             network.members, best[0] * 1e6 / static_cast<double>(network.steps * network.members));
  for (std::size_t i = 1; i < all.size(); ++i)
    fmt::print("; {} {:.2f}", all[i].first, best[i] / best[0]);
  fmt::print("\n");
}

}  // namespace

int main(int count, char** words) {
  const int runs = count > 1 ? std::stoi(words[1]) : 10;
  std::optional<execution::Level> level;
  for (const execution::Level each : execution::available_levels())
    if (count > 2 && execution::name(each) == words[2]) level = each;
  const std::vector<Network> networks = {{2, {32}, 32, 32, 600},
                                         {20, {24, 24}, 32, 32, 200},
                                         {16, {64, 64}, 32, 32, 60},
                                         {16, {64, 64}, 128, 8, 60},
                                         {64, {256, 256}, 128, 2, 30}};
  for (const Network& network : networks) measure(network, runs, level);
}
