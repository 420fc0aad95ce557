// Small trainings that a script in NumPy repeats: every loss with every activation, all options of
// the optimizers, and those of layers.
#pragma once

#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/random.h"
#include "ensemble/dropout.h"
#include "ensemble/training/initialize.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble::trajectory {

inline constexpr std::uint64_t kSteps = 100;
inline constexpr std::size_t kRows = 23;
inline constexpr std::size_t kInputs = 3;
inline constexpr std::uint64_t kMember = 5;  // the member that is compared, of kMembers
inline constexpr std::size_t kMembers = 7;

struct Case {
  std::string name;
  Loss loss;
  Resampling resampling;
  bool weighted;  // rows have weights
  Settings settings;
};

/// Batches of 7 and 10 of 23 rows: each starts at another position of the epoch.
inline std::vector<Case> cases() {
  const auto made = [](Loss loss, Activation activation, std::vector<std::size_t> hidden,
                       Optimizer optimizer, Settings settings,
                       Resampling resampling = Resampling::bootstrap, bool weighted = false) {
    settings.architecture.hidden = std::move(hidden);
    settings.architecture.activation = activation;
    settings.optimizer = optimizer;
    if (settings.schedule == Schedule::automatic) settings.schedule = Schedule::constant;
    std::string title(name(loss));
    title += "_";
    title += name(activation);
    return Case{title, loss, resampling, weighted, settings};
  };
  using enum Loss;
  using enum Activation;
  using enum Optimizer;
  constexpr Schedule kCosine = Schedule::cosine;
  return {
      made(cross_entropy, relu, {8}, adam, {.learning_rate = 1e-2, .batch_size = 7}),
      made(cross_entropy, Activation::tanh, {6, 5}, adamw,
           {.learning_rate = 1e-2, .schedule = kCosine, .weight_decay = 0.1, .batch_size = 10}),
      made(cross_entropy, gelu, {7}, sgd,
           {.learning_rate = 5e-2, .weight_decay = 0.02, .clip = 0.3, .batch_size = 7}),
      made(squared_error, relu, {5, 4}, sgd,
           {.learning_rate = 2e-2, .schedule = kCosine, .momentum = 0.8, .batch_size = 10}),
      made(squared_error, Activation::tanh, {6}, adam,
           {.learning_rate = 3e-3, .weight_decay = 0.05, .clip = 0.5, .batch_size = 7},
           Resampling::bootstrap, true),
      made(squared_error, gelu, {5, 4}, adamw,
           {.learning_rate = 1e-2, .weight_decay = 0.1, .beta2 = 0.99, .batch_size = 0}),
      made(gaussian, relu, {6}, adamw,
           {.learning_rate = 5e-3,
            .schedule = kCosine,
            .weight_decay = 0.2,
            .clip = 1,
            .batch_size = 7},
           Resampling::subsample),
      made(gaussian, Activation::tanh, {4, 4}, sgd,
           {.learning_rate = 1e-2, .clip = 0.5, .batch_size = 10}, Resampling::bayesian),
      made(gaussian, gelu, {6}, adam,
           {.learning_rate = 5e-3, .schedule = kCosine, .weight_decay = 0.01, .batch_size = 7},
           Resampling::none),
      made(cross_entropy, silu, {6, 6}, adamw,
           {.architecture = {.layer_norm = true},
            .learning_rate = 5e-3,
            .schedule = kCosine,
            .weight_decay = 0.2,
            .warmup = 0.1,
            .batch_size = 7}),
      made(squared_error, silu, {5, 5, 5}, adam,
           {.architecture = {.residual = true},
            .learning_rate = 5e-3,
            .warmup = 0.25,
            .average = 0.95,
            .batch_size = 10}),
      made(gaussian, silu, {7, 7}, sgd,
           {.architecture = {.layer_norm = true, .residual = true},
            .learning_rate = 5e-3,
            .weight_decay = 0.1,
            .clip = 0.5,
            .dropout = 0.2,
            .average = 0.9,
            .batch_size = 7}),
  };
}

/// The data of all cases. All numbers are 32-bit, so nothing is rounded on the way in.
struct Data {
  Data() {
    random::Stream stream({.seed = 21});
    const auto number = [&] {
      return static_cast<double>(static_cast<float>(random::normal(stream)));
    };
    for (auto* column : {&inputs[0], &inputs[1], &inputs[2]})
      for (std::size_t i = 0; i < kRows; ++i) column->push_back(number());
    std::vector<std::int32_t> codes;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double sum = inputs[0][i] + 0.5 * inputs[1][i] * inputs[2][i] + 0.3 * number();
      codes.push_back(sum < -0.4 ? 0 : sum < 0.4 ? 1 : 2);
      targets[0].push_back(static_cast<float>(std::sin(sum) + 0.2 * number()));
      targets[1].push_back(static_cast<float>(inputs[1][i] - 0.4 * inputs[2][i] * inputs[2][i]));
      weights.push_back(0.25 * static_cast<double>(1 + random::uniform_index(stream, 8)));
    }
    classes = data::labels(codes);
  }

  [[nodiscard]] Examples examples(const Case& which) const {
    Examples found{DataView({ColumnView(inputs[0]), ColumnView(inputs[1]), ColumnView(inputs[2])})};
    if (which.loss == Loss::cross_entropy) {
      found.classes = &classes;
    } else {
      found.targets = DataView({ColumnView(targets[0]), ColumnView(targets[1])});
    }
    if (which.weighted) found.weights = ColumnView(weights);
    return found;
  }

  std::vector<double> inputs[kInputs];
  std::vector<double> targets[2];
  std::vector<double> weights;
  data::Labels classes;
};

inline Training training_of(const Case& which, std::uint64_t steps) {
  Training training{.members = kMembers, .settings = {which.settings}, .steps = steps, .seed = 8};
  training.resampling = which.resampling;
  training.loss = which.loss;
  training.standardize = false;
  return training;
}

/// A line: a word and values, to all their digits.
template <class List>
void write(std::ostream& out, const char* word, const List& values) {
  out << word;
  for (const auto value : values) {
    char text[32];
    std::snprintf(text, sizeof text, " %.17g", static_cast<double>(value));
    out << text;
  }
  out << "\n";
}

/// What the script needs: data, settings, and the initial weights and rows of the member, which are
/// pure functions of seed and number.
inline void write_start(std::ostream& out) {
  const Data data;
  out << "# Written by trajectory_start; read by make_trajectory.py.\n";
  for (const auto& column : data.inputs) write(out, "input", column);
  for (const auto& column : data.targets) write(out, "target", column);
  write(out, "classes", data.classes.codes);
  write(out, "weights", data.weights);
  for (const Case& which : cases()) {
    const Settings& own = which.settings;
    const std::size_t outputs = which.loss == Loss::cross_entropy   ? data.classes.size()
                                : which.loss == Loss::squared_error ? 2
                                                                    : 4;
    const Shape shape(kInputs, own.architecture, outputs);
    const MemberId id{8, kMember};
    std::vector<float> first(shape.parameters);
    initialize(shape, own.architecture.initializer, id, first);
    const MemberRows rows(id, which.resampling, kRows, own.subsample, false,
                          execution::Level::portable);
    std::vector<std::uint32_t> walk(rows.size());
    rows.for_each(0, walk.size(), [&](std::size_t i, std::uint32_t row) { walk[i] = row; });
    std::vector<std::size_t> sizes = own.architecture.hidden;
    sizes.insert(sizes.begin(), kInputs);
    sizes.push_back(outputs);
    out << "\ncase " << which.name << "\nloss " << name(which.loss) << "\nactivation "
        << name(own.architecture.activation) << "\noptimizer " << name(own.optimizer)
        << "\nschedule " << name(own.schedule) << "\n";
    write(out, "sizes", sizes);
    const auto one = [&](const char* word, double value) {
      write(out, word, std::vector<double>{value});
    };
    one("weighted", which.weighted ? 1 : 0);
    one("learning_rate", own.learning_rate);
    one("weight_decay", own.weight_decay);
    one("momentum", own.momentum);
    one("beta2", own.beta2);
    one("epsilon", own.epsilon);
    one("clip", own.clip);
    one("batch_size", static_cast<double>(own.batch_size));
    one("layer_norm", own.architecture.layer_norm ? 1 : 0);
    one("residual", own.architecture.residual ? 1 : 0);
    one("warmup", own.warmup);
    one("dropout", own.dropout);
    one("average", own.average);
    std::vector<std::uint32_t> keys;
    for (std::uint64_t step = 0; own.dropout > 0 && step < kSteps; ++step) {
      const DropoutKey key = dropout_key(id, step);
      keys.push_back(key.add);
      keys.push_back(key.mix);
    }
    write(out, "dropout_keys", keys);
    write(out, "walk", walk);
    write(out, "own_weights", rows.weights());
    write(out, "first", first);
  }
}

}  // namespace bootfold::ensemble::trajectory
