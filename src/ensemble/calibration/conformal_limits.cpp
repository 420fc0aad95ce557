// Intervals and sets from conformal scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/error.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/training/member_rows.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Independent trainings from which on intervals are scaled by default.
constexpr std::size_t kFewestToScale = 20;

/// The scores to use: those that are given, else those of the ensemble.
const ConformalScores& scores_to_use(const Ensemble::Frame& frame, const ConformalScores* given) {
  if (given == nullptr && frame.conformal.rows == ScoreRows::none)
    throw InvalidArgument(
        leaves_rows_out(frame)
            ? std::string("the ensemble has no conformal scores: it comes from a file of an "
                          "earlier version, or was changed after its training; give held-out rows "
                          "or train again")
            : text::concat("with resampling ", name_of_all_rows(frame.resampling),
                           " members are trained on all rows, so nothing tells how far they are "
                           "off; train with validation rows, or with resampling bootstrap or "
                           "subsample"));
  const ConformalScores& used = given == nullptr ? frame.conformal : *given;
  check_scores(frame, used);
  return used;
}

/// [target], or one of classes.
std::vector<double> limits_of(const std::vector<ScoreOrder>& orders, double confidence) {
  std::vector<double> limits;
  for (const ScoreOrder& order : orders) limits.push_back(order.limit(confidence));
  return limits;
}

/// The lowest and the highest quantile, moved outwards; a negative limit may make them cross.
Limits quantile_limits(double low, double high, double limit) {
  low -= limit;
  high += limit;
  if (low > high) low = high = (low + high) / 2;
  return {low, high};
}

void check_prediction(const Prediction& prediction, std::size_t outputs) {
  if (prediction.outputs != outputs)
    throw InvalidArgument(text::concat("the prediction has ", prediction.outputs,
                                       " columns but the ensemble predicts ", outputs));
}

}  // namespace

std::optional<IntervalMethod> default_interval_method(const Ensemble::Frame& frame) {
  if (has_classes(frame.loss)) return std::nullopt;
  if (frame.conformal.rows == ScoreRows::none)
    return has_normal_intervals(frame) ? std::optional(IntervalMethod::normal) : std::nullopt;
  const Heads heads(frame);
  const bool means = std::ranges::any_of(heads.targets(), [](const Head& head) {
    return head.loss != Loss::pinball && head.loss != Loss::binary;
  });
  // Deviations between few members are too random to scale by.
  const bool few = frame.trainings > 0 && frame.trainings < kFewestToScale;
  return means && leaves_rows_out(frame) && !few ? IntervalMethod::scaled
                                                 : IntervalMethod::conformal;
}

std::vector<Limits> conformal_intervals(const Ensemble::Frame& frame, const Prediction& prediction,
                                        double confidence, IntervalMethod method,
                                        const ConformalScores* scores) {
  if (has_classes(frame.loss))
    throw InvalidArgument("intervals are for numbers, but the ensemble predicts classes");
  if (method == IntervalMethod::normal)
    throw InvalidArgument(
        "method normal has no conformal scores; prediction_intervals() makes these intervals");
  const ConformalScores& used = scores_to_use(frame, scores);
  const Heads heads(frame);
  check_prediction(prediction, heads.answers());
  const std::vector<double> plain = limits_of(used.residuals, confidence);
  const std::vector<double> relative = limits_of(used.scaled, confidence);
  const std::size_t targets = heads.targets().size();
  std::vector<Limits> limits(prediction.rows * targets);
  for (std::size_t t = 0; t < targets; ++t) {
    const Head& head = heads.targets()[t];
    if (head.loss == Loss::binary) continue;
    const bool scaled = method == IntervalMethod::scaled && head.loss != Loss::pinball;
    const IntervalScale scale(head);
    for (std::size_t row = 0; row < prediction.rows; ++row) {
      const std::size_t at = row * prediction.outputs + head.answer;
      Limits& own = limits[row * targets + t];
      if (head.loss == Loss::pinball && head.answers > 1) {
        own =
            quantile_limits(prediction.mean[at], prediction.mean[at + head.answers - 1], plain[t]);
        continue;
      }
      double half = scaled ? relative[t] : plain[t];
      if (scaled && std::isfinite(half)) half *= scale.deviation(prediction, at);
      own = scale.limits(scale.center(prediction, at), half);
    }
  }
  return limits;
}

std::vector<Limits> default_intervals(const Ensemble::Frame& frame, const Prediction& prediction,
                                      double confidence) {
  const std::optional<IntervalMethod> method = default_interval_method(frame);
  if (method && *method != IntervalMethod::normal)
    return conformal_intervals(frame, prediction, confidence, *method);
  std::vector<Limits> limits = prediction_intervals(frame, prediction, confidence);
  if (!method) limits.assign(limits.size(), {});  // deviations that contain no noise
  return limits;
}

std::vector<std::uint8_t> prediction_sets(const Ensemble::Frame& frame,
                                          const Prediction& prediction, double confidence,
                                          SetMethod method, const ConformalScores* scores) {
  const bool adaptive = method == SetMethod::adaptive;
  const ConformalScores& used = scores_to_use(frame, scores);
  const std::vector<double> limits = limits_of(adaptive ? used.scaled : used.residuals, confidence);
  std::vector<std::uint8_t> sets;
  if (has_classes(frame.loss)) {
    check_prediction(prediction, frame.classes.size());
    const std::size_t classes = prediction.outputs;
    sets.resize(prediction.rows * classes);
    for (std::size_t row = 0; row < prediction.rows; ++row) {
      const double* const own = &prediction.mean[row * classes];
      const std::vector<double> sums = adaptive ? cumulated(own, classes) : std::vector<double>();
      for (std::size_t c = 0; c < classes; ++c)
        sets[row * classes + c] =
            (adaptive ? sums[c] : 1 - own[c]) > limits[0] ? 0 : 1;  // NaN belongs
      sets[row * classes + prediction.predicted_class(row)] = 1;
    }
    return sets;
  }
  const Heads heads(frame);
  check_prediction(prediction, heads.answers());
  const auto is_binary = [](const Head& head) { return head.loss == Loss::binary; };
  if (std::ranges::none_of(heads.targets(), is_binary))
    throw InvalidArgument(
        "prediction sets are for classes and targets of 0 and 1, but the ensemble predicts "
        "numbers; conformal_intervals() has their intervals");
  if (adaptive)
    throw InvalidArgument(
        "method adaptive is for classes; sets of targets of 0 and 1 have method threshold");
  const std::size_t targets = heads.targets().size();
  sets.resize(prediction.rows * targets * 2);
  for (std::size_t t = 0; t < targets; ++t) {
    const Head& head = heads.targets()[t];
    if (!is_binary(head)) continue;
    for (std::size_t row = 0; row < prediction.rows; ++row) {
      const double one = prediction.mean[row * prediction.outputs + head.answer];
      std::uint8_t* const set = &sets[(row * targets + t) * 2];
      set[0] = one <= limits[t] || one <= 0.5 ? 1 : 0;
      set[1] = 1 - one <= limits[t] || one > 0.5 ? 1 : 0;
    }
  }
  return sets;
}

}  // namespace bootfold::ensemble
