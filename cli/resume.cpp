#include "resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "text.h"
#include "training_arguments.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::Member;

constexpr const char* kRule = "a training goes on with the same rows and options alone";

/// Throws "m.safetensors has seed 1 but this training has 2" unless both are equal.
void require_equal(const std::string& path, const std::string& what, const std::string& stored,
                   const std::string& now) {
  if (stored != now)
    throw InvalidArgument(fmt::format("{} has {} {} but this training has {}; {}", one_line(path),
                                      what, one_line(stored), one_line(now), kRule));
}

std::string list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

bool same_number(double a, double b) { return a == b || (a != a && b != b); }

bool same_member(const Ensemble& a, std::size_t i, const Ensemble& b, std::size_t k) {
  const Member& left = a.member(i);
  const Member& right = b.member(k);
  return left.steps == right.steps && same_number(left.loss, right.loss) &&
         same_number(left.held_out_loss, right.held_out_loss) &&
         a.parameters(i).size() == b.parameters(k).size() &&
         std::memcmp(a.parameters(i).data(), b.parameters(k).data(),
                     a.parameters(i).size_bytes()) == 0;
}

}  // namespace

Ensemble load_members(const std::string& path, const ensemble::Examples& examples,
                      const ensemble::Training& training, const ensemble::TrainingPlan& plan) {
  Ensemble earlier = Ensemble::load(path);
  const Ensemble::Frame& frame = earlier.frame();
  std::vector<std::string> inputs;
  for (std::size_t c = 0; c < examples.columns(); ++c) inputs.push_back(examples.name(c));
  require_equal(path, "inputs", list(frame.inputs), list(inputs));
  std::vector<std::string> answers;
  if (examples.classes != nullptr)
    answers = examples.classes->names;
  else
    for (std::size_t t = 0; t < examples.targets.columns(); ++t)
      answers.push_back(examples.targets.name(t));
  const bool classifies = examples.classes != nullptr;
  require_equal(path, "the task", earlier.classifies() ? "classification" : "regression",
                classifies ? "classification" : "regression");
  if (classifies) require_equal(path, "target", frame.target, examples.classes->column);
  require_equal(path, classifies ? "classes" : "targets", list(frame.classes), list(answers));
  require_equal(path, "rows:", grouped(frame.rows), grouped(plan.rows));
  require_equal(path, "seed", fmt::format("{}", frame.seed), fmt::format("{}", training.seed));
  require_equal(path, "resampling", std::string(name(frame.resampling)),
                std::string(name(training.resampling)));
  require_equal(path, "share", fmt::format("{}", frame.share), fmt::format("{}", training.share));
  const ensemble::Loss loss = training.loss.value_or(classifies ? ensemble::Loss::cross_entropy
                                                                : ensemble::Loss::squared_error);
  require_equal(path, "loss", std::string(name(frame.loss)), std::string(name(loss)));
  std::vector<ensemble::Settings> settings;
  for (const auto& networks : plan.settings) settings.push_back(networks.settings);
  const auto stored = properties(frame.settings, true);
  const auto now = properties(settings, true);
  for (std::size_t i = 0; i < now.size(); ++i)
    require_equal(path, stored[i].first, list(stored[i].second), list(now[i].second));
  if (frame.settings != settings)
    throw InvalidArgument(
        fmt::format("{} has other settings than this training; {}", one_line(path), kRule));
  const std::size_t each = earlier.size() / settings.size();
  for (std::size_t m = 0; m < earlier.size(); ++m)
    if (earlier.member(m).settings != m / each || earlier.member(m).number != m % each)
      throw InvalidArgument(fmt::format(
          "{} has not the first members with each of the settings; give a file that was made "
          "without --keep-best and --select",
          one_line(path)));
  if (each > training.members)
    throw InvalidArgument(fmt::format("--members is {} but {} has {} with each of the settings",
                                      training.members, one_line(path), each));
  return earlier;
}

void check_first_members(const std::string& path, const Ensemble& earlier,
                         const ensemble::Examples& examples, ensemble::Training training) {
  const std::size_t first = std::max<std::size_t>(1, training.share);  // a group is trained whole
  training.members = first;
  training.first_member = 0;
  training.finished = {};
  training.execution.progress = {};
  const Ensemble again = ensemble::train(examples, training);
  const std::size_t each = earlier.size() / training.settings.size();
  for (std::size_t s = 0; s < training.settings.size(); ++s)
    if (!same_member(earlier, s * each, again, s * first))
      throw InvalidArgument(fmt::format(
          "the first member of {} is another than that of this training, so the rows (inputs, "
          "targets, weights, --validation) or the options (--bins, --winsorize, --epochs, --steps, "
          "--patience, "
          "--stopping-share, which --keep-best and --select change, --standardize and others) "
          "differ, or another version of bootfold wrote it; {}",
          one_line(path), kRule));
}

}  // namespace bootfold::cli
