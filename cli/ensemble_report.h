// cli/ensemble_report.h: what became of an ensemble, for a person or for a program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/training_plan.h"

namespace bootfold::cli {

/// How right predictions are; one of the two.
struct Scores {
  std::optional<ensemble::ClassScores> classes;
  std::vector<ensemble::TargetScores> targets;
};

/// A finished training.
struct TrainRun {
  const ensemble::Ensemble& ensemble;                         ///< that is kept
  const std::vector<ensemble::SettingsSummary>& summaries;    ///< of all that were trained
  const ensemble::TrainingPlan& plan;                         ///< that the training followed
  std::vector<std::pair<std::size_t, std::string>> failures;  ///< settings and why, of all
  std::size_t trained = 0;
  std::size_t requested = 0;  ///< more than trained after an interruption
  std::size_t resumed = 0;    ///< of the trained ones, from a file
  std::optional<Scores> out_of_bag = {};
  std::optional<Scores> validation = {};
  std::string validation_file = {};
  std::size_t validation_omitted = 0;
  bool sampled = false;  ///< the settings
  ensemble::SelectionRule rule = ensemble::SelectionRule::best;
  std::optional<ensemble::Selection> selection = {};
  /// Settings and numbers of the selected members, in the order of the selection.
  std::vector<std::pair<std::size_t, std::uint64_t>> selected = {};
  bool weighted = false;    ///< the scores
  bool calibrated = false;  ///< the probabilities
  std::string output = {};
  std::size_t omitted = 0;
  unsigned threads = 1;
  double read_seconds = 0;
  double seconds = 0;
  std::size_t peak_memory = 0;
};
[[nodiscard]] std::string as_text(const TrainRun& run, bool quiet);
[[nodiscard]] std::string as_json(const TrainRun& run);

/// A finished evaluation.
struct EvaluateRun {
  const ensemble::Ensemble& ensemble;
  Scores scores;
  bool out_of_bag = false;
  bool weighted = false;
  std::size_t omitted = 0;
  double seconds = 0;
};
[[nodiscard]] std::string as_text(const EvaluateRun& run, bool quiet);
[[nodiscard]] std::string as_json(const EvaluateRun& run);

}  // namespace bootfold::cli
