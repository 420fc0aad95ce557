// cli/training_arguments.h: the training options as typed; lists of values make a grid of settings.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/ensemble/training.h"

namespace bootfold::cli {

/// As typed.
struct TrainingArguments {
  std::string members;
  std::vector<std::string> hidden;  ///< layers of one network each
  std::vector<std::string> activation;
  std::string initializer = "lecun";
  bool layer_norm = false;
  bool residual = false;
  std::string share = "0";
  std::string steps;
  std::string epochs;
  std::vector<std::string> batch_size;
  std::vector<std::string> optimizer;
  std::vector<std::string> learning_rate;
  std::vector<std::string> schedule;
  std::vector<std::string> weight_decay;
  std::vector<std::string> momentum;
  std::vector<std::string> clip;
  std::vector<std::string> warmup;
  std::vector<std::string> dropout;
  std::vector<std::string> average;
  std::string resampling = "bootstrap";
  std::vector<std::string> subsample;
  std::string patience;
  std::string look_every;
  std::string stopping_share;
  bool reshuffle = false;
  std::string standardize = "yes";
};

void add_training_arguments(CLI::App& command, TrainingArguments& arguments);

/// Throws InvalidArgument for the first invalid value.
[[nodiscard]] ensemble::Training parse_training(const TrainingArguments& arguments);

/// The settings of a grid as text, a property after the other: those that differ, or all.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> properties(
    const std::vector<ensemble::Settings>& settings, bool all);

}  // namespace bootfold::cli
