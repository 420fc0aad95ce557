#include "bootfold/ensemble/training_plan.h"

#include <algorithm>
#include <cmath>

#include "ensemble/heads.h"
#include "ensemble/scaling.h"
#include "ensemble/shape.h"
#include "ensemble/training/defaults.h"
#include "ensemble/training/solo_trainer.h"
#include "ensemble/training/training_context.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

namespace {

/// Multiplications and additions of a thread in a second that training reaches on common
/// processors (bench/curve.py); the estimate is rough.
double usual_rate(execution::Level level) {
  switch (level) {
    case execution::Level::avx512:
      return 40e9;
    case execution::Level::avx2:
      return 25e9;
    case execution::Level::portable:
      return 2e9;
    default:
      return 10e9;
  }
}

/// Outputs of a network.
std::size_t output_count(const Examples& examples, const Training& training) {
  Ensemble::Frame frame;
  set_targets(examples, training, frame);
  frame.target_scaling = no_scaling(examples.targets.columns());
  return network_outputs(frame);
}

/// "56-32-2".
std::string layers_text(const std::vector<std::size_t>& layers) {
  std::string text;
  for (const std::size_t units : layers) text += text::concat(text.empty() ? "" : "-", units);
  return text;
}

/// "7,800", or "2,000 to 7,800" over settings.
template <class Of>
std::string range_text(const std::vector<TrainingPlan::Networks>& all, const Of& of) {
  const auto [least, most] = std::ranges::minmax(all, {}, of);
  if (of(least) == of(most)) return text::grouped(of(most));
  return text::concat(text::grouped(of(least)), " to ", text::grouped(of(most)));
}

}  // namespace

TrainingPlan plan(const Examples& examples, const Training& given) {
  const Training training = with_defaults(given, examples.rows());
  check_training(examples, training);
  TrainingPlan plan;
  plan.rows = examples.rows();
  plan.inputs = examples.columns();
  plan.encoded =
      examples.encoding == nullptr ? plan.inputs : examples.encoding->columns(examples.columns());
  plan.members = training.members;
  plan.share = training.share;
  plan.patience = training.stopping.patience;
  const std::size_t outputs = output_count(examples, training);
  double work = 0;
  for (const Settings& settings : training.settings) {
    const Shape shape(plan.encoded, settings.architecture, outputs);
    TrainingPlan::Networks networks{.settings = settings, .layers = {shape.inputs()}};
    for (const Layer& layer : shape.layers) networks.layers.push_back(layer.out);
    networks.parameters = shape.parameters;
    networks.batch_rows = batch_row_count(training, settings, plan.rows);
    networks.steps = step_count(training, settings, plan.rows);
    if (plan.patience > 0)
      networks.validations = static_cast<std::uint64_t>(std::ceil(
          static_cast<double>(networks.steps) / validation_steps(training, settings, plan.rows)));
    networks.alone = trains_faster_alone(shape, networks.batch_rows);
    // Forwards, to the inputs and to the weights: a product and a sum for each weight and row.
    work += 6 * static_cast<double>(networks.parameters) *
            static_cast<double>(networks.batch_rows) * static_cast<double>(networks.steps);
    plan.settings.push_back(std::move(networks));
  }
  const auto level = training.execution.level.value_or(execution::default_level());
  const auto threads = static_cast<double>(execution::thread_count(training.execution));
  const auto members = static_cast<double>(plan.members);
  // A group that shares weights is trained by one thread.
  const double parts = members / static_cast<double>(std::max<std::size_t>(1, plan.share));
  plan.seconds = work * members / usual_rate(level) /
                 std::min(threads, parts * static_cast<double>(plan.settings.size()));
  return plan;
}

std::string TrainingPlan::explain() const {
  std::string text =
      text::concat(text::grouped(rows), " rows, ", inputs, inputs == 1 ? " input" : " inputs");
  if (encoded != inputs) text += text::concat(" (", encoded, " encoded)");
  text += text::concat("; ", text::grouped(members * settings.size()),
                       members * settings.size() == 1 ? " network" : " networks");
  if (settings.size() == 1)
    text += " " + layers_text(settings[0].layers);
  else
    text += text::concat(" of ", settings.size(), " settings");
  const std::string steps = range_text(settings, [](const Networks& n) { return n.steps; });
  text += text::concat(
      " of ", range_text(settings, [](const Networks& n) { return n.parameters; }), " parameters",
      share > 0 ? text::concat(", in groups of ", share, " that share weights") : "", "; ",
      patience > 0 ? "up to " : "", steps, steps == "1" ? " step" : " steps", " each, batches of ",
      range_text(settings, [](const Networks& n) { return n.batch_rows; }));
  const auto [least, most] =
      std::ranges::minmax(settings, {}, [](const Networks& n) { return n.settings.learning_rate; });
  text += text::concat(", learning rate ", text::shortest(least.settings.learning_rate));
  if (most.settings.learning_rate != least.settings.learning_rate)
    text += text::concat(" to ", text::shortest(most.settings.learning_rate));
  if (patience > 0) text += text::concat(", early stopping with patience ", patience);
  constexpr double kMoment = 0.1;
  if (seconds < kMoment) return text + "; less than a second";
  return text + text::concat("; about ", text::seconds(seconds), patience > 0 ? " or less" : "");
}

}  // namespace bootfold::ensemble
