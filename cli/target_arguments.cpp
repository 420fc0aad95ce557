#include "target_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arguments.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "number.h"
#include "text.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

using ensemble::Loss;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A loss by its name; none if there is no loss of that name.
std::optional<Loss> known_loss(const std::string& name) {
  try {
    return ensemble::parse_loss(name);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

struct NamedTarget {
  std::string column;
  std::optional<Loss> loss;
};

// "price:huber" -> the column price with loss huber. What follows a colon is part of the name
// unless it is a loss.
NamedTarget parse_target(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return {text, std::nullopt};
  const std::optional<Loss> loss = known_loss(text.substr(colon + 1));
  if (!loss) return {text, std::nullopt};
  return {text.substr(0, colon), loss};
}

std::vector<double> parse_numbers(const char* option, const std::vector<std::string>& texts,
                                  double most, const char* example) {
  std::vector<double> values;
  for (const std::string& text : split_list(texts))
    values.push_back(parse_between(option, text, 0, most, example));
  return values;
}

// Several losses are those of numbers; a single one is as good as --loss.
void set_losses(const std::vector<NamedTarget>& targets, Goal& goal) {
  const auto named = [](const NamedTarget& target) { return target.loss.has_value(); };
  if (std::none_of(targets.begin(), targets.end(), named)) return;
  if (targets.size() == 1) {
    if (goal.loss && goal.loss != targets[0].loss)
      throw InvalidArgument(fmt::format("--target {}:{} and --loss {} differ; give one of both",
                                        one_line(targets[0].column), name(*targets[0].loss),
                                        name(*goal.loss)));
    goal.loss = targets[0].loss;
    return;
  }
  for (const NamedTarget& target : targets)
    goal.losses.push_back(target.loss.value_or(goal.loss.value_or(Loss::squared_error)));
  goal.loss = std::nullopt;
  goal.classes = false;
}

}  // namespace

void add_target_arguments(CLI::App& command, TargetArguments& arguments) {
  add_list(command, "--target", arguments.columns, "NAME",
           "Column to learn, by name or by number from 1; several for numbers, each with a loss of "
           "its own if one is named: --target price:huber --target sold:binary")
      ->group(kToLearn);
  add_text(command, "--task", arguments.task, "T",
           "classification or regression [classification of text; of numbers it must be said]")
      ->group(kToLearn);
  add_text(command, "--loss", arguments.loss, "L",
           "Classes: cross_entropy or binary (two classes). Numbers: squared_error, huber, "
           "gaussian (a mean and a variance), pinball (quantiles), poisson (rates of counts) or "
           "multi_label (columns of 0 and 1) [by the task]")
      ->group(kToLearn);
  add_list(command, "--quantiles", arguments.quantiles, "Q,Q,..",
           "Quantiles of --loss pinball, ascending [0.05,0.5,0.95]")
      ->group(kToLearn);
  add_text(command, "--huber-delta", arguments.huber_delta, "X",
           "Error in standard deviations of the target from which --loss huber is linear [1]")
      ->group(kToLearn);
  add_list(command, "--pos-weight", arguments.pos_weight, "X",
           "Factor of the loss of the second class (binary), or of 1 (multi_label; one for each "
           "column or one for all) [1]")
      ->group(kToLearn);
  add_list(command, "--target-transform", arguments.transform, "T",
           "Transform of numbers before training, inverted in predictions: log, yeo-johnson, "
           "quantile or none; one for each target or one for all [none]")
      ->group(kToLearn);
}

Goal goal_of(const TargetArguments& arguments) {
  Goal goal;
  if (!arguments.loss.empty()) goal.loss = ensemble::parse_loss(arguments.loss);
  if (goal.loss == Loss::mixed)
    throw InvalidArgument(
        "--loss mixed is not given as such; name the loss of each target: --target price:huber "
        "--target sold:binary");
  std::vector<NamedTarget> targets;
  for (const std::string& text : split_list(arguments.columns))
    targets.push_back(parse_target(text));
  if (targets.empty())
    throw InvalidArgument("no --target given; name the target column: --target species");
  for (const NamedTarget& target : targets) goal.columns.push_back(target.column);
  set_losses(targets, goal);
  if (goal.loss) goal.classes = ensemble::has_classes(*goal.loss);
  if (!arguments.task.empty()) {
    if (arguments.task != "classification" && arguments.task != "regression")
      throw InvalidArgument(
          fmt::format("--task is '{}' but must be classification or regression", arguments.task));
    const bool classes = arguments.task == "classification";
    // Columns of 0 and 1 are both.
    if (goal.classes && *goal.classes != classes && goal.loss != Loss::multi_label)
      throw InvalidArgument(fmt::format(
          "{} is not for --task {}; {}",
          goal.loss ? fmt::format("--loss {}", name(*goal.loss)) : "a loss for each --target",
          arguments.task,
          classes ? "use cross_entropy or binary"
                  : "use squared_error, huber, gaussian, pinball or poisson"));
    if (!goal.classes) goal.classes = classes;
  }
  if (targets.size() > 1 && goal.classes.value_or(true))
    throw InvalidArgument(fmt::format(
        "--target names {} columns but only --task regression and --loss multi_label take several",
        targets.size()));
  return goal;
}

void set_targets(const TargetArguments& arguments, ensemble::Training& training) {
  const Goal goal = goal_of(arguments);
  const auto uses = [&](Loss loss) {
    return goal.loss == loss ||
           std::find(goal.losses.begin(), goal.losses.end(), loss) != goal.losses.end();
  };
  const auto check_use = [](bool given, bool used, const char* option, const char* loss) {
    if (given && !used) throw InvalidArgument(fmt::format("{} is for --loss {}", option, loss));
  };
  check_use(!arguments.quantiles.empty(), uses(Loss::pinball), "--quantiles", "pinball");
  check_use(!arguments.huber_delta.empty(), uses(Loss::huber), "--huber-delta", "huber");
  check_use(!arguments.pos_weight.empty(), uses(Loss::binary) || uses(Loss::multi_label),
            "--pos-weight", "binary and multi_label");
  if (!arguments.quantiles.empty())
    training.quantiles = parse_numbers("--quantiles", arguments.quantiles, 1, "0.05,0.5,0.95");
  if (!arguments.huber_delta.empty())
    training.huber_delta = parse_between("--huber-delta", arguments.huber_delta, 0, kNoLimit, "1");
  training.pos_weight = parse_numbers("--pos-weight", arguments.pos_weight, kNoLimit, "5");
  for (const std::string& text : split_list(arguments.transform))
    training.target_transforms.push_back(ensemble::parse_target_transform(text));
  training.losses = goal.losses;
}

}  // namespace bootfold::cli
