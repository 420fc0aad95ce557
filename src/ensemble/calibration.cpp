#include "bootfold/calibration.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/evaluation.h"
#include "bootfold/selection.h"
#include "ensemble/out_of_bag.h"
#include "ensemble/temperature.h"

namespace bootfold::ensemble {

namespace {

constexpr double kMost = 20;    // times as sure, or as modest
constexpr int kBits = 16;       // of the logarithm that is searched
constexpr double kWrong = 0.5;  // rows that count as wrong beside those there are: Jeffreys' prior
constexpr double kLeast = 1e-38;  // of a probability, as scores have it

void check_temperature(double temperature) {
  if (!(temperature > 0 && std::isfinite(temperature)))
    throw InvalidArgument(
        concat("the temperature is ", temperature, " but must be above 0 and finite"));
}

void check_classifies(const Ensemble& ensemble) {
  if (!ensemble.classifies())
    throw InvalidArgument(
        "the ensemble predicts numbers, and a temperature is for classes; intervals of numbers are "
        "calibrated by jackknife_plus");
}

/// Rows of which somebody spoke: how likely their classes are at any temperature.
class Judge {
 public:
  Judge(const Prediction& said, std::span<const std::uint32_t> truth,
        const std::optional<ColumnView>& weights)
      : classes_(said.outputs) {
    if (truth.size() != said.rows || (weights && weights->rows() != said.rows))
      throw InvalidArgument(concat("there are predictions of ", said.rows, " rows but ",
                                   truth.size(), " true classes",
                                   weights ? concat(" and ", weights->rows(), " weights") : ""));
    for (std::size_t row = 0; row < said.rows; ++row) {
      const double weight = weights ? (*weights)[row] : 1;
      if (said.members[row] == 0 || weight == 0) continue;
      if (truth[row] >= classes_)
        throw InvalidArgument(concat("row ", row + 1, " has class ", truth[row], " of ", classes_));
      for (std::size_t c = 0; c < classes_; ++c)
        logarithms_.push_back(std::log(std::max(said.probability(row, c), kLeast)));
      truth_.push_back(truth[row]);
      weights_.push_back(weight);
      sum_ += weight;
    }
    if (!(sum_ > 0))
      throw InvalidArgument(
          "every row was seen by all members or weighs nothing, so none is left to calibrate by; "
          "train more members, or give other rows");
  }

  /// Mean negative log-likelihood. Of every row a share, kWrong in all, is of the other classes. It
  /// is convex in 1 / temperature, so there is one valley.
  [[nodiscard]] double cost(double temperature) const {
    const auto rows = static_cast<double>(truth_.size());
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
};

}  // namespace

Prediction tempered(Prediction said, double temperature) {
  check_temperature(temperature);
  if (said.total.size() != said.rows || said.outputs < 2)
    throw InvalidArgument("a temperature is for probabilities of classes, not for numbers");
  for (std::size_t row = 0; row < said.rows; ++row) temper(said, row, temperature);
  return said;
}

double likeliest_temperature(const Prediction& said, std::span<const std::uint32_t> truth,
                             const std::optional<ColumnView>& weights) {
  if (said.outputs < 2)
    throw InvalidArgument("a temperature is for probabilities of classes, not for numbers");
  const Judge judge(said, truth, weights);
  const double most = std::log(kMost);
  return std::exp(
      boost::math::tools::brent_find_minima(
          [&](double logarithm) { return judge.cost(std::exp(logarithm)); }, -most, most, kBits)
          .first);
}

Ensemble with_temperature(const Ensemble& ensemble, double temperature) {
  check_classifies(ensemble);
  check_temperature(temperature);
  Ensemble::Frame frame = ensemble.frame();
  frame.temperature *= temperature;
  std::vector<Member> members;
  std::vector<std::vector<float>> parameters;
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    members.push_back(ensemble.member(m));
    parameters.emplace_back(ensemble.parameters(m).begin(), ensemble.parameters(m).end());
  }
  Ensemble found(std::move(frame), std::move(members), std::move(parameters));
  if (ensemble.out_of_bag().rows > 0)
    found.set_out_of_bag(tempered(ensemble.out_of_bag(), temperature));
  return found;
}

Ensemble calibrate(const Ensemble& ensemble, const Examples& examples, const Examples* held_out,
                   const Execution& execution) {
  check_classifies(ensemble);
  const Examples& judges = held_out != nullptr ? *held_out : examples;
  if (held_out == nullptr && !OutOfBag::exists(ensemble.frame().resampling))
    throw InvalidArgument(
        concat("under resampling ", name(ensemble.frame().resampling),
               " members see every row, so none is left to calibrate by; give other rows, or take "
               "bootstrap or subsample, which leave some out"));
  if (judges.classes == nullptr)
    throw InvalidArgument("the rows to calibrate by have no classes; give the true ones");
  const auto truth = codes_of(ensemble.frame(), *judges.classes);
  const auto temperature = [&](const Prediction& said) {
    return likeliest_temperature(said, truth, judges.weights);
  };
  if (held_out != nullptr)
    return with_temperature(ensemble, temperature(ensemble.predict(judges.inputs, execution)));
  if (ensemble.out_of_bag().rows > 0)
    return with_temperature(ensemble, temperature(ensemble.out_of_bag()));
  Ensemble asked = with_temperature(ensemble, 1);  // one that was loaded, or a subset
  asked.set_out_of_bag(out_of_bag(ensemble, examples, execution));
  return with_temperature(asked, temperature(asked.out_of_bag()));
}

}  // namespace bootfold::ensemble
