#include "ensemble_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ensemble_settings.h"
#include "json.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "training_arguments.h"

namespace bootfold::cli {
namespace {

using ensemble::ClassScores;
using ensemble::Ensemble;
using ensemble::Loss;
using ensemble::MemberAverage;
using ensemble::QuantileScore;
using ensemble::ReliabilityBin;
using ensemble::SettingsSummary;
using ensemble::TargetScores;

constexpr std::size_t kNamesShown = 6;
constexpr const char* kWeighted = "rows are weighted";
constexpr const char* kSelectedBy =
    "these rows selected the members, so these scores are too good; see Selection";

std::string number(double value) {
  return std::isnan(value) ? "unknown" : fmt::format("{:.4g}", value);
}

std::string percent(double share) {
  return std::isnan(share) ? "unknown" : fmt::format("{:.2f}%", 100 * share);
}

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    text += (i == 0 ? "" : ", ") + display_name(names[i]);
  if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
  return text;
}

// "species (setosa, versicolor, virginica)", or the targets.
std::string goal_of(const Ensemble::Frame& frame, bool classifies) {
  if (!classifies) return names_of(frame.classes);
  return fmt::format("{} ({})", frame.target.empty() ? "classes" : display_name(frame.target),
                     names_of(frame.classes));
}

// "4-32-3", where all members look alike.
std::string shape_of(const Ensemble::Frame& frame) {
  for (const ensemble::Settings& settings : frame.settings)
    if (settings.architecture.hidden != frame.settings[0].architecture.hidden) return "";
  std::vector<std::size_t> sizes = frame.settings[0].architecture.hidden;
  sizes.insert(sizes.begin(), frame.encoding.columns(frame.inputs.size()));
  sizes.push_back(ensemble::network_outputs(frame));
  return fmt::format(" {}", fmt::join(sizes, "-"));
}

std::string title_of(const Ensemble& ensemble) {
  return fmt::format("{} network{}{} for {}\n", grouped(ensemble.size()),
                     ensemble.size() == 1 ? "" : "s", shape_of(ensemble.frame()),
                     goal_of(ensemble.frame(), ensemble.classifies()));
}

std::string rows_of(std::uint64_t rows, std::uint64_t unknown, std::size_t omitted) {
  std::string text = fmt::format("{} rows", grouped(rows));
  if (unknown > 0) text += fmt::format("; {} more have no out-of-bag prediction", grouped(unknown));
  if (omitted > 0) text += fmt::format(" ({} with NaN left out)", grouped(omitted));
  return text;
}

std::string scores_as_text(const ClassScores& scores) {
  std::string text = item("accuracy", percent(scores.accuracy));
  text += item("NLL", number(scores.negative_log_likelihood));
  text += item("Brier score", number(scores.brier_score));
  text += item("ECE", fmt::format("{} ({} equal bins)", number(scores.calibration_error),
                                  ClassScores::kBins));
  return text;
}

// "95.12% for 95% intervals (scaled); mean width 2.3". Intervals that are `made_of` the rows that
// are scored cover them by construction, so that this share tells nothing about new rows.
std::string coverage_as_text(const TargetScores& scores, bool made_of) {
  const std::string method = scores.interval ? fmt::format(" ({})", name(*scores.interval)) : "";
  const std::string level = fmt::format("{:.6g}%", 100 * scores.confidence);
  if (made_of && scores.interval)
    return item("intervals", fmt::format("{}{} of mean width {}; made from these rows, so their "
                                         "coverage here is no test",
                                         level, method, number(scores.mean_width)));
  return item("coverage",
              fmt::format("{} for {} intervals{}; mean width {}", percent(scores.coverage), level,
                          method, number(scores.mean_width)));
}

std::string scores_as_text(const TargetScores& scores, bool made_of) {
  if (scores.loss == Loss::binary)
    return item("log loss", number(scores.log_loss)) +
           item("Brier score", number(scores.brier_score)) +
           item("accuracy", percent(scores.accuracy));
  if (scores.loss == Loss::pinball) {
    std::string text = item("pinball loss", number(scores.pinball_loss));
    for (const QuantileScore& each : scores.quantiles)
      text += item(ensemble::quantile_name(each.quantile),
                   fmt::format("loss {}; {} of the targets are at most the prediction",
                               number(each.pinball_loss), percent(each.below)));
    return std::isnan(scores.coverage) ? text : text + coverage_as_text(scores, made_of);
  }
  std::string text;
  if (scores.loss == Loss::poisson) text += item("deviance", number(scores.poisson_deviance));
  text += item("RMSE", number(scores.root_mean_squared_error));
  text += item("R2", number(scores.r_squared));
  text += item("NLL", number(scores.negative_log_likelihood));
  return text + coverage_as_text(scores, made_of);
}

/// `rows`: that are scored, in the words of the conformal scores.
std::string scores_as_text(const Scores& scores, const Ensemble::Frame& frame,
                           ensemble::ScoreRows rows) {
  const bool made_of = rows != ensemble::ScoreRows::none && frame.conformal.rows == rows;
  if (scores.classes) return scores_as_text(*scores.classes);
  std::string text;
  for (std::size_t t = 0; t < scores.targets.size(); ++t) {
    if (scores.targets.size() > 1) text += item("target", display_name(frame.classes[t]));
    text += scores_as_text(scores.targets[t], made_of);
  }
  return text;
}

std::string reliability_as_text(const ClassScores& scores) {
  std::vector<std::vector<std::string>> rows = {{"confidence", "rows", "mean", "accuracy"}};
  for (const ReliabilityBin& bin : scores.reliability)
    if (bin.rows > 0)
      rows.push_back({fmt::format("{:.3f} to {:.3f}", bin.low, bin.high), grouped(bin.rows),
                      fmt::format("{:.3f}", bin.confidence), fmt::format("{:.3f}", bin.accuracy)});
  return table(rows);
}

std::string failures_as_text(const TrainRun& run) {
  std::map<std::size_t, std::pair<std::size_t, std::string>> by_settings;
  for (const auto& [settings, reason] : run.failures) {
    auto& [count, first] = by_settings[settings];
    if (count++ == 0) first = reason;
  }
  std::string text;
  for (const auto& [settings, failure] : by_settings)
    text += item("failed", fmt::format("{} member{}: {}", failure.first,
                                       failure.first == 1 ? "" : "s", failure.second));
  return text;
}

std::string members_as_text(const TrainRun& run) {
  std::string text = fmt::format("{} trained", grouped(run.trained));
  if (run.trained < run.requested)
    text += fmt::format(" of {} before the interruption", grouped(run.requested));
  if (run.resumed > 0) text += fmt::format(", {} of them resumed", grouped(run.resumed));
  if (!run.failures.empty()) text += fmt::format(", {} failed", grouped(run.failures.size()));
  if (run.ensemble.size() < run.trained)
    text += fmt::format("; {}{} kept", run.rule == ensemble::SelectionRule::best ? "the best " : "",
                        grouped(run.ensemble.size()));
  return text;
}

// "patience 10; kept with the lowest held-out loss, after 78 of at most 10,000 steps on average".
std::string stopping_as_text(const TrainRun& run) {
  double steps = 0;
  double members = 0;
  for (const SettingsSummary& summary : run.summaries) {
    const auto good = static_cast<double>(summary.members - summary.failed);
    if (good == 0) continue;
    steps += summary.steps.mean * good;
    members += good;
  }
  const auto& most =
      std::ranges::max(run.plan.settings, {}, &ensemble::TrainingPlan::Networks::steps);
  return fmt::format(
      "patience {}; kept with the lowest {} loss, after {} of at most {} steps on average",
      run.plan.patience, run.validation ? "validation" : "held-out",
      grouped(static_cast<std::uint64_t>(std::llround(steps / members))), grouped(most.steps));
}

// "at temperature 0.793: the probabilities were underconfident"; of several targets temperatures.
std::string calibration_as_text(const Ensemble::Frame& frame) {
  if (!ensemble::has_classes(frame.loss)) {
    std::string text;
    for (const double each : frame.temperatures)
      text += fmt::format("{}{:.3f}", text.empty() ? "at temperatures " : ", ", each);
    return text.empty() ? "at temperature 1: the probabilities were calibrated" : text;
  }
  const double temperature = frame.temperature;
  const std::string number = fmt::format("{:.3f}", temperature);
  const char* verdict = number == "1.000" ? "calibrated"
                        : temperature < 1 ? "underconfident"
                                          : "overconfident";
  return fmt::format("at temperature {}: the probabilities were {}", number, verdict);
}

Json json_of(const MemberAverage& average) {
  return {{"mean", average.mean}, {"deviation", average.deviation}};
}

Json json_of(const ClassScores& scores) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : scores.reliability)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"rows", bin.rows},
                    {"confidence", bin.confidence},
                    {"accuracy", bin.accuracy}});
  return {{"rows", scores.rows},
          {"unknown_rows", scores.unknown},
          {"accuracy", scores.accuracy},
          {"negative_log_likelihood", scores.negative_log_likelihood},
          {"brier_score", scores.brier_score},
          {"calibration_error", scores.calibration_error},
          {"reliability", std::move(bins)}};
}

Json json_of_means(const TargetScores& scores) {
  return {{"root_mean_squared_error", scores.root_mean_squared_error},
          {"r_squared", scores.r_squared},
          {"negative_log_likelihood", scores.negative_log_likelihood},
          {"confidence", scores.confidence},
          {"interval", scores.interval ? Json(name(*scores.interval)) : Json(nullptr)},
          {"coverage", scores.coverage},
          {"mean_width", scores.mean_width}};
}

Json json_of(const TargetScores& scores) {
  Json object{{"loss", name(scores.loss)}, {"rows", scores.rows}, {"unknown_rows", scores.unknown}};
  if (scores.loss == Loss::binary) {
    object["log_loss"] = scores.log_loss;
    object["brier_score"] = scores.brier_score;
    object["accuracy"] = scores.accuracy;
    return object;
  }
  if (scores.loss == Loss::pinball) {
    object["pinball_loss"] = scores.pinball_loss;
    object["quantiles"] = Json::array();
    for (const QuantileScore& each : scores.quantiles)
      object["quantiles"].push_back({{"quantile", each.quantile},
                                     {"pinball_loss", each.pinball_loss},
                                     {"below", each.below}});
    object["confidence"] = scores.confidence;
    object["interval"] = scores.interval ? Json(name(*scores.interval)) : Json(nullptr);
    object["coverage"] = scores.coverage;
    object["mean_width"] = scores.mean_width;
    return object;
  }
  if (scores.loss == Loss::poisson) object["poisson_deviance"] = scores.poisson_deviance;
  object.update(json_of_means(scores));
  return object;
}

// Of classes or of one target an object, of several targets a list.
Json json_of(const Scores& scores) {
  if (scores.classes) return json_of(*scores.classes);
  if (scores.targets.size() == 1) return json_of(scores.targets[0]);
  Json list = Json::array();
  for (const TargetScores& each : scores.targets) list.push_back(json_of(each));
  return list;
}

Json json_of(const ensemble::Settings& settings) {
  return {{"hidden", settings.architecture.hidden},
          {"activation", name(settings.architecture.activation)},
          {"initializer", name(settings.architecture.initializer)},
          {"optimizer", name(settings.optimizer)},
          {"learning_rate", settings.learning_rate},
          {"schedule", name(settings.schedule)},
          {"weight_decay", settings.weight_decay},
          {"momentum", settings.momentum},
          {"clip", settings.clip},
          {"warmup", settings.warmup},
          {"dropout", settings.dropout},
          {"average", settings.average},
          {"layer_norm", settings.architecture.layer_norm},
          {"residual", settings.architecture.residual},
          {"batch_size", settings.batch_size},
          {"subsample", settings.subsample}};
}

// Losses and transforms of numbers.
void add_targets(const Ensemble::Frame& frame, Json& object) {
  if (!frame.losses.empty()) {
    object["losses"] = Json::array();
    for (const Loss loss : frame.losses) object["losses"].push_back(name(loss));
  }
  if (!frame.quantiles.empty()) object["quantiles"] = frame.quantiles;
  if (!frame.pos_weight.empty()) object["pos_weight"] = frame.pos_weight;
  if (frame.transforms.empty()) return;
  object["target_transforms"] = Json::array();
  for (const ensemble::FittedTransform& each : frame.transforms) {
    Json own{{"transform", name(each.kind)}};
    if (each.kind == ensemble::TargetTransform::yeo_johnson) own["lambda"] = each.lambda;
    object["target_transforms"].push_back(std::move(own));
  }
}

Json json_of(const Ensemble& ensemble) {
  const Ensemble::Frame& frame = ensemble.frame();
  Json object{{"task", ensemble.classifies()             ? "classification"
                       : frame.loss == Loss::multi_label ? "multi_label"
                                                         : "regression"},
              {"loss", name(frame.loss)},
              {"inputs", frame.inputs},
              {"network_inputs", frame.encoding.names(frame.inputs)}};
  if (ensemble.classifies()) {
    object["target"] = frame.target;
    object["classes"] = frame.classes;
    object["temperature"] = frame.temperature;
    if (!frame.pos_weight.empty()) object["pos_weight"] = frame.pos_weight[0];
  } else {
    object["targets"] = frame.classes;
    if (!frame.temperatures.empty()) object["temperatures"] = frame.temperatures;
    add_targets(frame, object);
  }
  object["conformal_scores"] = Json(nullptr);
  if (frame.conformal.rows != ensemble::ScoreRows::none)
    object["conformal_scores"] = {{"of", name(frame.conformal.rows)},
                                  {"rows", frame.conformal.residuals[0].rows}};
  return object;
}

Json json_of(const SettingsSummary& summary, const ensemble::Settings& settings) {
  Json object = json_of(settings);
  object["members"] = summary.members;
  object["failed"] = summary.failed;
  object["steps"] = json_of(summary.steps);
  object["loss"] = json_of(summary.loss);
  object["held_out_loss"] = json_of(summary.held_out_loss);
  return object;
}

std::uint64_t unknown_of(const Scores& scores) {
  return scores.classes ? scores.classes->unknown : scores.targets[0].unknown;
}

std::uint64_t scored_rows(const Scores& scores) {
  return scores.classes ? scores.classes->rows : scores.targets[0].rows;
}

}  // namespace

std::string as_text(const TrainRun& run, bool quiet) {
  const Ensemble::Frame& frame = run.ensemble.frame();
  std::string text = title_of(run.ensemble) + item("members", members_as_text(run));
  text += failures_as_text(run);
  if (run.plan.patience > 0) text += item("early stopping", stopping_as_text(run));
  if (run.calibrated) text += item("calibrated", calibration_as_text(frame));
  text += "\n" + settings_as_text(run);
  if (run.selection) text += selection_as_text(run);
  if (run.out_of_bag) {
    text += "\nOut of bag: each row is predicted by the members that were not trained on it\n";
    text +=
        item("evaluated", rows_of(scored_rows(*run.out_of_bag), unknown_of(*run.out_of_bag), 0));
    text += scores_as_text(*run.out_of_bag, frame, ensemble::ScoreRows::out_of_bag);
    if (run.weighted) text += item("", kWeighted);
    if (run.selection && !run.selection->validation) text += item("", kSelectedBy);
  }
  if (run.validation) {
    text +=
        fmt::format("\nValidation: {}, predicted by all members\n", one_line(run.validation_file));
    text += item("evaluated", rows_of(scored_rows(*run.validation), 0, run.validation_omitted));
    text += scores_as_text(*run.validation, frame, ensemble::ScoreRows::held_out);
    if (run.weighted) text += item("", kWeighted);
    if (run.selection) text += item("", kSelectedBy);
  }
  if (quiet) return text;
  text += "\n";
  const std::string levels(execution::name(execution::default_level()));
  const std::size_t encoded = frame.encoding.columns(frame.inputs.size());
  text += item(
      "work",
      fmt::format(
          "{} of {} input{}{}, {} of rows{}, seed {}", rows_of(frame.rows, 0, run.omitted),
          frame.inputs.size(), frame.inputs.size() == 1 ? "" : "s",
          encoded == frame.inputs.size() ? "" : fmt::format(" ({} columns when encoded)", encoded),
          frame.resampling == ensemble::Resampling::none
              ? "no resampling"
              : fmt::format("{} resampling", name(frame.resampling)),
          frame.share == 0 ? "" : fmt::format(", groups of {} that share weights", frame.share),
          frame.seed));
  text += item("time",
               fmt::format("{} ({} thread{}, {}): {} members/s", duration(run.seconds), run.threads,
                           run.threads == 1 ? "" : "s", levels,
                           scaled(static_cast<double>(run.trained - run.resumed) / run.seconds)));
  if (run.peak_memory > 0) text += item("peak memory", bytes(static_cast<double>(run.peak_memory)));
  text += item("saved to", run.output.empty() ? "no file; --output model.safetensors saves it"
                                              : one_line(run.output));
  return text;
}

std::string as_json(const TrainRun& run) {
  const Ensemble::Frame& frame = run.ensemble.frame();
  Json object = json_of(run.ensemble);
  object["members"] = run.ensemble.size();
  object["trained"] = run.trained;
  object["asked"] = run.requested;
  object["resumed"] = run.resumed;
  object["failed"] = run.failures.size();
  object["failures"] = Json::array();
  for (const auto& [settings, reason] : run.failures)
    object["failures"].push_back({{"settings", settings}, {"reason", reason}});
  const std::vector<std::size_t> kept = kept_of_settings(run);
  object["settings"] = Json::array();
  for (const SettingsSummary& summary : run.summaries) {
    object["settings"].push_back(json_of(summary, frame.settings[summary.settings]));
    object["settings"].back()["most_steps"] = run.plan.settings[summary.settings].steps;
    object["settings"].back()["kept"] = kept[summary.settings];
  }
  object["patience"] = run.plan.patience;
  object["sampled"] = run.sampled;
  object["selection"] = selection_as_json(run);
  object["out_of_bag"] = run.out_of_bag ? json_of(*run.out_of_bag) : Json(nullptr);
  object["validation"] = run.validation ? json_of(*run.validation) : Json(nullptr);
  object["weighted_scores"] = run.weighted;
  object["resampling"] = name(frame.resampling);
  object["share"] = frame.share;
  object["seed"] = frame.seed;
  object["rows"] = frame.rows;
  object["omitted_rows"] = run.omitted;
  object["output"] = run.output.empty() ? Json(nullptr) : Json(run.output);
  object["simd"] = execution::name(execution::default_level());
  object["threads"] = run.threads;
  object["seconds"] = run.seconds;
  object["read_seconds"] = run.read_seconds;
  object["peak_memory_bytes"] = run.peak_memory;
  return dump(object);
}

std::string as_text(const EvaluateRun& run, bool quiet) {
  std::string text = title_of(run.ensemble);
  text += item("evaluated", rows_of(scored_rows(run.scores), unknown_of(run.scores), run.omitted));
  if (run.out_of_bag) text += item("", "each predicted by the members that were not trained on it");
  if (const double t = run.ensemble.frame().temperature; t != 1)
    text += item("temperature", fmt::format("{:.3f}", t));
  using ensemble::ScoreRows;
  text += scores_as_text(run.scores, run.ensemble.frame(),
                         run.out_of_bag ? ScoreRows::out_of_bag : ScoreRows::none);
  if (run.weighted) text += item("", kWeighted);
  if (run.scores.classes && !quiet)
    text += "\nReliability: accuracy of the predicted class by its probability\n" +
            reliability_as_text(*run.scores.classes);
  return text;
}

std::string as_json(const EvaluateRun& run) {
  Json object = json_of(run.ensemble);
  object["members"] = run.ensemble.size();
  object["out_of_bag"] = run.out_of_bag;
  object["weighted_scores"] = run.weighted;
  object["scores"] = json_of(run.scores);
  object["omitted_rows"] = run.omitted;
  object["seconds"] = run.seconds;
  return dump(object);
}

}  // namespace bootfold::cli
