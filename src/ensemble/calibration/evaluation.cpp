#include "bootfold/ensemble/evaluation.h"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/error.h"
#include "ensemble/heads.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/transform.h"
#include "ensemble/validate_arguments.h"
#include "numeric/normal.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

namespace {

constexpr double kLeastProbability = 1e-38;

void check_rows(const Prediction& prediction, std::size_t rows) {
  if (prediction.rows != rows)
    throw InvalidArgument(text::concat("there are ", prediction.rows, " rows of predictions but ",
                                       rows, " of the truth; the numbers must be equal"));
}

/// The weight of a row, 1 where there are none.
double weight_of(const std::optional<ColumnView>& weights, std::size_t row) {
  return weights ? (*weights)[row] : 1;
}

double normal_width(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument(
        text::concat("confidence is ", confidence, " but must lie between 0 and 1, such as 0.95"));
  return normal::quantile((1 + confidence) / 2);
}

std::vector<ReliabilityBin> empty_bins() {
  std::vector<ReliabilityBin> bins(ClassScores::kBins);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    bins[b].low = static_cast<double>(b) / ClassScores::kBins;
    bins[b].high = static_cast<double>(b + 1) / ClassScores::kBins;
    bins[b].confidence = 0;
    bins[b].accuracy = 0;
  }
  return bins;
}

/// The bin (low, high] of a confidence; rounding must not move one that lies on a limit.
ReliabilityBin& bin_of(std::vector<ReliabilityBin>& bins, double confidence) {
  const auto found = std::find_if(
      bins.begin(), bins.end(), [&](const ReliabilityBin& bin) { return confidence <= bin.high; });
  return found == bins.end() ? bins.back() : *found;
}

/// What is predicted of a target, and the truth.
struct Normal {
  bool inside;   // whether the interval contains the truth
  double width;  // of the interval
  double error;  // on the scale of the deviation
  double deviation;
  double log_slope;  // of that scale
};

bool contains(const Limits& limits, double truth) {
  return limits.low <= truth && truth <= limits.high;
}

/// Goes through the rows that members predict and that have a weight: see(row, weight). Counts
/// rows. Returns the sum of weights.
template <class See>
double for_each_row(const Prediction& prediction, const std::optional<ColumnView>& weights,
                    TargetScores& scores, See&& see) {
  double rows = 0;  // weighed
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    if (prediction.members[row] == 0) {
      ++scores.unknown;
      continue;
    }
    ++scores.rows;
    const double weight = weight_of(weights, row);
    if (weight == 0) continue;
    rows += weight;
    see(row, weight);
  }
  return rows;
}

/// Scores of means and their intervals: normal_of(row) is a Normal.
template <class NormalOf>
TargetScores mean_scores(const Prediction& prediction, std::size_t column, const ColumnView& truth,
                         double confidence, const std::optional<ColumnView>& weights,
                         NormalOf&& normal_of) {
  TargetScores scores;
  scores.confidence = confidence;
  double squares = 0;
  double likelihood = 0;
  double widths = 0;
  double sum = 0;
  double inside = 0;
  const double rows =
      for_each_row(prediction, weights, scores, [&](std::size_t row, double weight) {
        const double error = truth[row] - prediction.mean[row * prediction.outputs + column];
        const Normal normal = normal_of(row);
        const double off = normal.error;
        squares += weight * error * error;
        sum += weight * truth[row];
        likelihood +=
            weight * (normal.deviation > 0
                          ? 0.5 * std::log(2 * std::numbers::pi) + std::log(normal.deviation) +
                                0.5 * (off / normal.deviation) * (off / normal.deviation)
                          : std::numeric_limits<double>::infinity());
        if (normal.log_slope != 0) likelihood -= weight * normal.log_slope;
        inside += normal.inside ? weight : 0;
        widths += weight * normal.width;
      });
  if (rows == 0) return scores;
  double variation = 0;
  for (std::size_t row = 0; row < prediction.rows; ++row)
    if (prediction.members[row] > 0)
      variation += weight_of(weights, row) * std::pow(truth[row] - sum / rows, 2);
  scores.root_mean_squared_error = std::sqrt(squares / rows);
  if (variation > 0) scores.r_squared = 1 - squares / variation;
  scores.negative_log_likelihood = likelihood / rows;
  scores.mean_width = widths / rows;
  if (!std::isnan(widths)) scores.coverage = inside / rows;  // there are intervals
  return scores;
}

/// Scores of means; limits_of(row) are those of its interval.
template <class LimitsOf>
TargetScores scores_of(const Prediction& prediction, std::size_t column, const ColumnView& truth,
                       double confidence, const std::optional<ColumnView>& weights,
                       LimitsOf&& limits_of) {
  return mean_scores(prediction, column, truth, confidence, weights, [&](std::size_t row) {
    const std::size_t at = row * prediction.outputs + column;
    const Limits limits = limits_of(row);
    return Normal{contains(limits, truth[row]), limits.high - limits.low,
                  truth[row] - prediction.mean[at], prediction.total[at], 0};
  });
}

/// Scores of rates; `limits` are [row][target].
TargetScores poisson_scores(const Prediction& prediction, const Head& head, std::size_t target,
                            std::size_t targets, const ColumnView& truth,
                            const std::vector<Limits>& limits, double confidence,
                            const std::optional<ColumnView>& weights) {
  TargetScores scores =
      mean_scores(prediction, head.answer, truth, confidence, weights, [&](std::size_t row) {
        const Limits& own = limits[row * targets + target];
        return Normal{contains(own, truth[row]), own.high - own.low, 0, 1, 0};
      });
  double deviance = 0;
  double likelihood = 0;
  TargetScores counted;
  const double rows =
      for_each_row(prediction, weights, counted, [&](std::size_t row, double weight) {
        const double count = truth[row];
        const double rate = std::max(prediction.mean[row * prediction.outputs + head.answer],
                                     std::numeric_limits<double>::min());
        const double share = count > 0 ? count * std::log(count / rate) : 0;
        deviance += weight * 2 * (share - count + rate);
        likelihood += weight * (rate - count * std::log(rate) + std::lgamma(count + 1));
      });
  if (rows == 0) return scores;
  scores.poisson_deviance = deviance / rows;
  scores.negative_log_likelihood = likelihood / rows;
  return scores;
}

/// Scores of quantiles; limits_of(row) are those of its interval, NaN if that has to be of the
/// quantiles themselves.
template <class LimitsOf>
TargetScores quantile_scores(const Prediction& prediction, const Head& head,
                             const std::vector<double>& quantiles, const ColumnView& truth,
                             const std::optional<ColumnView>& weights, LimitsOf&& limits_of) {
  TargetScores scores;
  for (const double quantile : quantiles) scores.quantiles.push_back({quantile, 0, 0});
  double inside = 0;
  double widths = 0;
  const double rows =
      for_each_row(prediction, weights, scores, [&](std::size_t row, double weight) {
        const double* const predicted = &prediction.mean[row * prediction.outputs + head.answer];
        for (std::size_t i = 0; i < quantiles.size(); ++i) {
          const double error = truth[row] - predicted[i];
          scores.quantiles[i].pinball_loss +=
              weight * std::max(quantiles[i] * error, (quantiles[i] - 1) * error);
          scores.quantiles[i].below += error <= 0 ? weight : 0;
        }
        Limits limits = limits_of(row);
        if (std::isnan(limits.low)) limits = {predicted[0], predicted[quantiles.size() - 1]};
        inside += contains(limits, truth[row]) ? weight : 0;
        widths += weight * (limits.high - limits.low);
      });
  scores.confidence = quantiles.back() - quantiles.front();
  double sum = 0;
  for (QuantileScore& each : scores.quantiles) {
    each.pinball_loss /= rows;  // without rows: 0 / 0, which is NaN
    each.below /= rows;
    sum += each.pinball_loss;
  }
  scores.pinball_loss = sum / static_cast<double>(quantiles.size());
  scores.coverage = inside / rows;
  scores.mean_width = widths / rows;
  return scores;
}

TargetScores binary_scores(const Prediction& prediction, const Head& head, const ColumnView& truth,
                           const std::optional<ColumnView>& weights) {
  TargetScores scores;
  double likelihood = 0;
  double squares = 0;
  double right = 0;
  const double rows =
      for_each_row(prediction, weights, scores, [&](std::size_t row, double weight) {
        const double one = prediction.mean[row * prediction.outputs + head.answer];
        likelihood -=
            weight * std::log(std::max(truth[row] == 1 ? one : 1 - one, kLeastProbability));
        squares += weight * (truth[row] - one) * (truth[row] - one);
        right += (one > 0.5) == (truth[row] == 1) ? weight : 0;
      });
  if (rows == 0) return scores;
  scores.log_loss = likelihood / rows;
  scores.brier_score = squares / rows;
  scores.accuracy = right / rows;
  return scores;
}

/// Smallest counts whose cumulative probabilities reach `low` and `high`, of a negative binomial
/// distribution with this mean and size; an infinite size is a Poisson distribution. Adds up
/// probabilities, so that it takes about as many steps as the upper limit.
Limits summed_limits(double mean, double size, double low, double high) {
  const bool poisson = std::isinf(size);
  const double start = poisson ? -mean : -size * std::log1p(mean / size);
  const double share = poisson ? 0 : mean / (size + mean);
  double probability = std::exp(start);
  double sum = probability;
  double count = 0;
  const auto reach = [&](double wanted) {
    // What is left is lost in rounding once it does not change the sum.
    while (sum < wanted && !(count > mean && probability < 1e-18)) {
      probability *= poisson ? mean / (count + 1) : share * (count + size) / (count + 1);
      ++count;
      sum += probability;
    }
    return count;
  };
  const double first = reach(low);
  return {first, reach(high)};
}

/// Limits of a count with this mean and variance, which is at least that of a Poisson distribution:
/// quantiles of a negative binomial distribution.
Limits count_limits(double mean, double variance, double confidence) {
  constexpr double kMostSummed = 500;  // the probability of 0 is not yet lost to underflow
  constexpr double kNearlyNormal = 100;
  if (!(mean >= 0) || !std::isfinite(mean) || !std::isfinite(variance)) return {};
  const double low = (1 - confidence) / 2;
  const double more = variance - mean;
  const double size =
      more > 1e-9 * mean ? mean * mean / more : std::numeric_limits<double>::infinity();
  if (mean <= kMostSummed) return summed_limits(mean, size, low, 1 - low);
  if (size < kNearlyNormal) {  // counts are negligible beside the variation of their rate
    const boost::math::gamma_distribution<> rates(size, mean / size);
    return {std::floor(quantile(rates, low)), std::ceil(quantile(rates, 1 - low))};
  }
  // Cornish and Fisher's expansion with the skewness.
  const double deviation = std::sqrt(std::max(variance, mean));
  const double skewness = (1 + 2 * mean / size) / deviation;
  const double z = normal::quantile(1 - low);
  const double shift = skewness * (z * z - 1) / 6;
  return {std::max(0.0, std::floor(mean + deviation * (shift - z))),
          std::ceil(mean + deviation * (shift + z))};
}

void check_truth(const Prediction& prediction, std::size_t targets, const DataView& truth,
                 const std::optional<ColumnView>& weights) {
  if (truth.columns() != targets)
    throw InvalidArgument(text::concat("there are ", targets, " targets but ", truth.columns(),
                                       " columns of the truth; the numbers must be equal"));
  check_rows(prediction, truth.rows());
  check_weights(prediction, weights);
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("these are class probabilities; use evaluate_classes()");
}

}  // namespace

bool has_normal_intervals(const Ensemble::Frame& frame) noexcept {
  return !has_classes(frame.loss) && leaves_rows_out(frame);
}

std::vector<Limits> prediction_intervals(const Ensemble::Frame& frame, const Prediction& prediction,
                                         double confidence) {
  const double width = normal_width(confidence);
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("intervals are for numbers, but these are class probabilities");
  const Heads heads(frame);
  const std::size_t targets = heads.targets().size();
  std::vector<Limits> limits(prediction.rows * targets);
  for (std::size_t row = 0; row < prediction.rows; ++row)
    for (std::size_t t = 0; t < targets; ++t) {
      const Head& head = heads.targets()[t];
      const std::size_t at = row * prediction.outputs + head.answer;
      Limits& own = limits[row * targets + t];
      if (head.loss == Loss::pinball || head.loss == Loss::binary) continue;
      if (head.loss == Loss::poisson) {
        const double total = prediction.total[at];
        own = count_limits(prediction.mean[at], total * total, confidence);
      } else if (head.transform != nullptr) {
        const double mean = prediction.transformed_mean[at];
        const double half = width * prediction.transformed_total[at];
        own = {head.inverse(mean - half), head.inverse(mean + half)};
      } else {
        own = {prediction.mean[at] - width * prediction.total[at],
               prediction.mean[at] + width * prediction.total[at]};
      }
    }
  return limits;
}

std::vector<Limits> normal_intervals(const Prediction& prediction, double confidence) {
  const double width = normal_width(confidence);
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("intervals are for numbers, but these are class probabilities");
  std::vector<Limits> limits(prediction.mean.size());
  for (std::size_t i = 0; i < limits.size(); ++i)
    limits[i] = {prediction.mean[i] - width * prediction.total[i],
                 prediction.mean[i] + width * prediction.total[i]};
  return limits;
}

std::vector<std::uint32_t> class_codes(const Ensemble::Frame& frame, const data::Labels& classes) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (const std::string& name : frame.classes)
    known.emplace(name, static_cast<std::uint32_t>(known.size()));
  std::vector<std::uint32_t> places;
  for (const std::string& name : classes.names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (std::size_t c = 0; c < std::min<std::size_t>(frame.classes.size(), 20); ++c)
        names += (c == 0 ? "" : ", ") + text::quoted(frame.classes[c]);
      throw DataError(text::concat("class ", text::quoted(name),
                                   " is not among the classes of the ensemble: ", names,
                                   frame.classes.size() > 20 ? ", ..." : "", "; remove its rows"));
    }
    places.push_back(found->second);
  }
  std::vector<std::uint32_t> codes;
  codes.reserve(classes.rows());
  for (const std::uint32_t code : classes.codes) codes.push_back(places[code]);
  return codes;
}

ClassScores evaluate_classes(const Prediction& prediction, std::span<const std::uint32_t> truth,
                             const std::optional<ColumnView>& weights) {
  check_rows(prediction, truth.size());
  check_weights(prediction, weights);
  ClassScores scores;
  scores.reliability = empty_bins();
  double right = 0;
  double likelihood = 0;
  double distance = 0;
  double rows = 0;  // weighed
  std::vector<double> bin_weights(ClassScores::kBins);
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    if (truth[row] >= prediction.outputs)
      throw InvalidArgument(text::concat("the class of row ", row + 1, " is ", truth[row],
                                         " but there are ", prediction.outputs,
                                         " classes, numbered from 0"));
    if (prediction.members[row] == 0) {
      ++scores.unknown;
      continue;
    }
    ++scores.rows;
    const std::size_t chosen = prediction.predicted_class(row);
    const double hit = chosen == truth[row] ? 1 : 0;
    const double confidence = prediction.probability(row, chosen);
    const double weight = weight_of(weights, row);
    rows += weight;
    right += weight * hit;
    likelihood -=
        weight * std::log(std::max(prediction.probability(row, truth[row]), kLeastProbability));
    for (std::size_t c = 0; c < prediction.outputs; ++c)
      distance += weight * std::pow(prediction.probability(row, c) - (c == truth[row] ? 1 : 0), 2);
    ReliabilityBin& bin = bin_of(scores.reliability, confidence);
    ++bin.rows;
    bin.confidence += weight * confidence;
    bin.accuracy += weight * hit;
    bin_weights[static_cast<std::size_t>(&bin - scores.reliability.data())] += weight;
  }
  double off = 0;
  for (std::size_t b = 0; b < scores.reliability.size(); ++b) {
    ReliabilityBin& bin = scores.reliability[b];
    off += std::abs(bin.confidence - bin.accuracy);
    bin.confidence /= bin_weights[b];  // without rows: 0 / 0, which is NaN
    bin.accuracy /= bin_weights[b];
  }
  if (rows == 0) return scores;
  scores.accuracy = right / rows;
  scores.negative_log_likelihood = likelihood / rows;
  scores.brier_score = distance / rows;
  scores.calibration_error = off / rows;
  return scores;
}

std::vector<TargetScores> evaluate_targets(const Prediction& prediction, const DataView& truth,
                                           double confidence,
                                           const std::optional<ColumnView>& weights) {
  check_truth(prediction, prediction.outputs, truth, weights);
  std::vector<TargetScores> scores;
  const std::vector<Limits> limits = normal_intervals(prediction, confidence);
  for (std::size_t t = 0; t < truth.columns(); ++t) {
    scores.push_back(
        scores_of(prediction, t, truth.column(t), confidence, weights,
                  [&](std::size_t row) { return limits[row * prediction.outputs + t]; }));
    scores.back().interval = IntervalMethod::normal;
  }
  return scores;
}

std::vector<TargetScores> evaluate_targets(const Ensemble::Frame& frame,
                                           const Prediction& prediction, const DataView& truth,
                                           double confidence,
                                           const std::optional<ColumnView>& weights) {
  const Heads heads(frame);
  const std::size_t targets = heads.targets().size();
  check_truth(prediction, targets, truth, weights);
  const std::optional<IntervalMethod> method = default_interval_method(frame);
  const std::vector<Limits> limits = default_intervals(frame, prediction, confidence);
  std::vector<TargetScores> scores;
  for (std::size_t t = 0; t < targets; ++t) {
    const Head& head = heads.targets()[t];
    const auto limits_of = [&](std::size_t row) { return limits[row * targets + t]; };
    const ColumnView& own = truth.column(t);
    check_target_values(truth, t, head.loss,
                        head.transform == nullptr ? TargetTransform::none : head.transform->kind);
    if (head.loss == Loss::pinball) {
      scores.push_back(
          quantile_scores(prediction, head, heads.quantiles(), own, weights, limits_of));
      if (frame.conformal.rows != ScoreRows::none) {
        scores.back().confidence = confidence;
        scores.back().interval = IntervalMethod::conformal;
      } else if (heads.quantiles().size() < 2) {
        scores.back().coverage = scores.back().mean_width = Member::kUnknown;
      }
    } else if (head.loss == Loss::binary) {
      scores.push_back(binary_scores(prediction, head, own, weights));
    } else if (head.loss == Loss::poisson) {
      scores.push_back(
          poisson_scores(prediction, head, t, targets, own, limits, confidence, weights));
    } else if (head.transform != nullptr) {
      scores.push_back(
          mean_scores(prediction, head.answer, own, confidence, weights, [&](std::size_t row) {
            const std::size_t at = row * prediction.outputs + head.answer;
            const Limits& interval = limits[row * targets + t];
            return Normal{contains(interval, own[row]), interval.high - interval.low,
                          (*head.transform)(own[row]) - prediction.transformed_mean[at],
                          prediction.transformed_total[at], head.transform->log_slope(own[row])};
          }));
    } else {
      scores.push_back(scores_of(prediction, head.answer, own, confidence, weights, limits_of));
    }
    if (head.loss != Loss::pinball && head.loss != Loss::binary) scores.back().interval = method;
    scores.back().loss = head.loss;
  }
  return scores;
}

}  // namespace bootfold::ensemble
