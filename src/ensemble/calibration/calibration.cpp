#include "bootfold/ensemble/calibration.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/calibration/temperature.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/fingerprint.h"
#include "ensemble/heads.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kMost = 20;      // temperatures from 1 / kMost to kMost are searched
constexpr int kBits = 16;         // precision of the logarithm of the temperature
constexpr double kWrong = 0.5;    // misclassified pseudo-rows: Jeffreys' prior
constexpr double kLeast = 1e-38;  // smallest probability, as in the scores

void check_classes(const Prediction& prediction) {
  if (prediction.total.size() != prediction.rows || prediction.outputs < 2)
    throw InvalidArgument(
        "a temperature is for class probabilities, but these are predictions of numbers");
}

/// The likelihood of the true classes as a function of the temperature.
class TemperatureLikelihood {
 public:
  TemperatureLikelihood(const Prediction& prediction, std::span<const std::uint32_t> truth,
                        const std::optional<ColumnView>& weights)
      : classes_(prediction.outputs) {
    if (truth.size() != prediction.rows)
      throw InvalidArgument(text::concat("there are ", prediction.rows, " rows of predictions but ",
                                         truth.size(), " true classes; the numbers must be equal"));
    check_weights(prediction, weights);
    for (std::size_t row = 0; row < prediction.rows; ++row) {
      const double weight = weights ? (*weights)[row] : 1;
      if (prediction.members[row] == 0 || weight == 0) continue;
      if (truth[row] >= classes_)
        throw InvalidArgument(text::concat("the class of row ", row + 1, " is ", truth[row],
                                           " but there are ", classes_,
                                           " classes, numbered from 0"));
      for (std::size_t c = 0; c < classes_; ++c)
        logarithms_.push_back(std::log(std::max(prediction.probability(row, c), kLeast)));
      truth_.push_back(truth[row]);
      weights_.push_back(weight);
      sum_ += weight;
      squares_ += weight * weight;
    }
    if (!(sum_ > 0))
      throw InvalidArgument(
          "every row with a positive weight was used to train all members, so none are left for "
          "calibration; use a smaller subsample, train more members, or give held-out rows");
  }

  /// Mean negative log-likelihood. A share of every row, kWrong rows in all, counts as
  /// misclassified. Convex in 1 / temperature, so there is one minimum.
  [[nodiscard]] double cost(double temperature) const {
    const double rows = sum_ * sum_ / squares_;  // effective number of rows
    const double wrong = kWrong / (rows + 2 * kWrong);
    double sum = 0;
    for (std::size_t row = 0; row < truth_.size(); ++row) {
      const std::span<const double> own(logarithms_.data() + row * classes_, classes_);
      const double most = *std::ranges::max_element(own);
      double powers = 0;
      double all = 0;
      for (const double logarithm : own) {
        powers += std::exp((logarithm - most) / temperature);
        all += (logarithm - most) / temperature;
      }
      const double right = (own[truth_[row]] - most) / temperature;
      const double others = (all - right) / static_cast<double>(classes_ - 1);
      sum += weights_[row] * (std::log(powers) - (1 - wrong) * right - wrong * others);
    }
    return sum / sum_;
  }

 private:
  std::size_t classes_;
  std::vector<double> logarithms_;  // of probabilities, [row][class]
  std::vector<std::uint32_t> truth_;
  std::vector<double> weights_;
  double sum_ = 0;
  double squares_ = 0;
};

/// Throws unless there is a probability to calibrate.
void check_binary_targets(const Ensemble::Frame& frame) {
  if (has_classes(frame.loss)) return;
  for (std::size_t t = 0; t < frame.classes.size(); ++t)
    if (loss_of_target(frame, t) == Loss::binary) return;
  throw InvalidArgument(
      "calibration is for classes and targets of 0 and 1, but the ensemble predicts numbers; "
      "default_intervals() have stated coverage without it");
}

/// The probabilities of 0 and 1 of a target, as those of two classes.
Prediction two_classes(const Prediction& prediction, std::size_t column) {
  Prediction found{.rows = prediction.rows, .outputs = 2};
  found.members = prediction.members;
  found.total.resize(found.rows);
  for (std::size_t row = 0; row < found.rows; ++row) {
    const double one = prediction.probability(row, column);
    found.mean.insert(found.mean.end(), {1 - one, one});
  }
  return found;
}

/// Fits temperatures to predictions of the rows, and sets them.
void fit_temperatures(Ensemble& ensemble, const Prediction& prediction, const Examples& rows) {
  const Ensemble::Frame& frame = ensemble.frame();
  if (ensemble.classifies())
    return ensemble.set_temperature(
        fit_temperature(prediction, class_codes(frame, *rows.classes), rows.weights));
  std::vector<double> temperatures(frame.classes.size(), 1.0);
  const std::vector<TargetColumns> columns = target_columns(frame);
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    if (columns[t].loss != Loss::binary) continue;
    std::vector<std::uint32_t> truth;
    for (std::size_t row = 0; row < prediction.rows; ++row)
      truth.push_back(rows.targets.column(t)[row] == 1 ? 1 : 0);
    temperatures[t] =
        fit_temperature(two_classes(prediction, columns[t].first), truth, rows.weights);
  }
  ensemble.set_temperatures(std::move(temperatures));
}

/// Makes predictions at temperature 1 those of the ensemble.
void apply_temperatures(const Ensemble::Frame& frame, Prediction& prediction) {
  const std::vector<TargetColumns> columns = target_columns(frame);
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    if (has_classes(frame.loss)) apply_temperature(prediction, row, frame.temperature);
    for (std::size_t t = 0; t < frame.temperatures.size(); ++t)
      if (columns[t].loss == Loss::binary)
        apply_binary_temperature(prediction, row, columns[t].first, frame.temperatures[t]);
  }
}

}  // namespace

Prediction apply_temperature(Prediction prediction, double temperature) {
  check_temperature(temperature);
  check_classes(prediction);
  for (std::size_t row = 0; row < prediction.rows; ++row)
    apply_temperature(prediction, row, temperature);
  return prediction;
}

double fit_temperature(const Prediction& prediction, std::span<const std::uint32_t> truth,
                       const std::optional<ColumnView>& weights) {
  check_classes(prediction);
  const TemperatureLikelihood likelihood(prediction, truth, weights);
  const auto cost = [&](double logarithm) { return likelihood.cost(std::exp(logarithm)); };
  const double most = std::log(kMost);
  return std::exp(boost::math::tools::brent_find_minima(cost, -most, most, kBits).first);
}

Ensemble calibrate(Ensemble ensemble, const Examples& examples, const Examples* held_out,
                   const Execution& execution) {
  const Ensemble::Frame& frame = ensemble.frame();
  check_binary_targets(frame);
  if (frame.temperature != 1) ensemble.set_temperature(1);
  if (!frame.temperatures.empty()) ensemble.set_temperatures({});
  const bool leaves_out = leaves_rows_out(frame);
  if (held_out == nullptr) {
    if (!leaves_out)
      throw InvalidArgument(
          text::concat("with resampling ", name_of_all_rows(frame.resampling),
                       " members are trained on all rows, so none are left for calibration; give "
                       "held-out rows, or use resampling bootstrap or subsample"));
    check_training_rows(ensemble, examples);
    if (ensemble.out_of_bag().rows == 0)  // it was loaded from a file
      EnsembleAccess::set_out_of_bag(ensemble, out_of_bag(ensemble, examples, execution));
  }
  const Examples& rows = held_out != nullptr ? *held_out : examples;
  if (held_out != nullptr) check_in_memory(rows, "calibration on held-out rows");
  ScoreCollector scores(frame, rows);  // of the calibrated probabilities
  // Of rows that selected the members, each is predicted by a selection that did not see it.
  const std::shared_ptr<const JudgedRows> selected = EnsembleAccess::judged(ensemble);
  const bool crossed =
      selected != nullptr && selected->validation == (held_out != nullptr) &&
      (held_out == nullptr || selected->fingerprint == fingerprint_of_answers(*held_out, false));
  Prediction judged = crossed               ? selected->prediction
                      : held_out != nullptr ? ensemble.predict(rows.inputs, execution)
                                            : ensemble.out_of_bag();
  Prediction prediction = ensemble.out_of_bag();
  fit_temperatures(ensemble, judged, rows);
  apply_temperatures(frame, prediction);
  apply_temperatures(frame, judged);
  scores.add(judged, 0);
  EnsembleAccess::set_out_of_bag(ensemble, std::move(prediction));
  ensemble.set_conformal(
      scores.finish(held_out == nullptr ? ScoreRows::out_of_bag : ScoreRows::held_out));
  return ensemble;
}

}  // namespace bootfold::ensemble
