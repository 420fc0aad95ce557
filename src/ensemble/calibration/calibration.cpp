#include "bootfold/ensemble/calibration.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "ensemble/calibration/temperature.h"
#include "ensemble/fingerprint.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kMost = 20;    // times as sure, or as modest
constexpr int kBits = 16;       // of the logarithm that is searched
constexpr double kWrong = 0.5;  // rows that count as wrong beside those there are: Jeffreys' prior
constexpr double kLeast = 1e-38;  // of a probability, as scores have it

void check_classes(const Prediction& said) {
  if (said.total.size() != said.rows || said.outputs < 2)
    throw InvalidArgument("a temperature is for probabilities of classes, not for numbers");
}

/// Rows of which somebody spoke: how likely their classes are at any temperature.
class Judge {
 public:
  Judge(const Prediction& said, std::span<const std::uint32_t> truth,
        const std::optional<ColumnView>& weights)
      : classes_(said.outputs) {
    if (truth.size() != said.rows)
      throw InvalidArgument(text::concat("there are ", said.rows, " rows of predictions but ",
                                         truth.size(), " true classes; there must be as many"));
    check_weights(said, weights);
    for (std::size_t row = 0; row < said.rows; ++row) {
      const double weight = weights ? (*weights)[row] : 1;
      if (said.members[row] == 0 || weight == 0) continue;
      if (truth[row] >= classes_)
        throw InvalidArgument(
            text::concat("row ", row + 1, " has class ", truth[row], " of ", classes_));
      for (std::size_t c = 0; c < classes_; ++c)
        logarithms_.push_back(std::log(std::max(said.probability(row, c), kLeast)));
      truth_.push_back(truth[row]);
      weights_.push_back(weight);
      sum_ += weight;
      squares_ += weight * weight;
    }
    if (!(sum_ > 0))
      throw InvalidArgument(
          "every row was seen by all members or weighs nothing, so none is left to calibrate by; "
          "leave more rows out, train more members, or give other rows");
  }

  /// Mean negative log-likelihood. Of every row a share, kWrong in all, is of the other classes. It
  /// is convex in 1 / temperature, so there is one valley.
  [[nodiscard]] double cost(double temperature) const {
    const double rows = sum_ * sum_ / squares_;  // as many of equal weight say as much
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

}  // namespace

Prediction tempered(Prediction said, double temperature) {
  check_temperature(temperature);
  check_classes(said);
  for (std::size_t row = 0; row < said.rows; ++row) temper(said, row, temperature);
  return said;
}

double likeliest_temperature(const Prediction& said, std::span<const std::uint32_t> truth,
                             const std::optional<ColumnView>& weights) {
  check_classes(said);
  const Judge judge(said, truth, weights);
  const auto cost = [&](double logarithm) { return judge.cost(std::exp(logarithm)); };
  const double most = std::log(kMost);
  return std::exp(boost::math::tools::brent_find_minima(cost, -most, most, kBits).first);
}

Ensemble calibrate(Ensemble ensemble, const Examples& examples, const Examples* held_out,
                   const Execution& execution) {
  const Ensemble::Frame& frame = ensemble.frame();
  if (frame.temperature != 1 || !ensemble.classifies())
    ensemble.set_temperature(1);  // which a regression refuses
  const bool leaves_out = OutOfBag::exists(frame.resampling);
  if (held_out == nullptr) {
    if (!leaves_out)
      throw InvalidArgument(text::concat(
          "under resampling ", name(frame.resampling),
          " members see every row, so none is left to calibrate by; give other rows, or "
          "take bootstrap or subsample, which leave some out"));
    check_learned_from(frame, examples.inputs);
    if (ensemble.out_of_bag().rows == 0)  // as of one that was loaded
      ensemble.set_out_of_bag(out_of_bag(ensemble, examples, execution));
  }
  const Examples& judges = held_out != nullptr ? *held_out : examples;
  if (judges.classes == nullptr)
    throw InvalidArgument("the rows to calibrate by have no classes; give the true ones");
  const double temperature = likeliest_temperature(
      held_out != nullptr ? ensemble.predict(judges.inputs, execution) : ensemble.out_of_bag(),
      codes_of(frame, *judges.classes), judges.weights);
  Prediction said = ensemble.out_of_bag();
  ensemble.set_temperature(temperature);
  if (said.rows > 0) ensemble.set_out_of_bag(tempered(std::move(said), temperature));
  return ensemble;
}

}  // namespace bootfold::ensemble
