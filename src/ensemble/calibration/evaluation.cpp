#include "bootfold/ensemble/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "bootfold/error.h"
#include "ensemble/training/member_rows.h"
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

TargetScores scores_of(const Prediction& prediction, std::size_t target, const ColumnView& truth,
                       double confidence, const std::optional<ColumnView>& weights) {
  const double width = normal_width(confidence);
  TargetScores scores;
  scores.confidence = confidence;
  double squares = 0;
  double likelihood = 0;
  double widths = 0;
  double sum = 0;
  double inside = 0;
  double rows = 0;  // weighed
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    if (prediction.members[row] == 0) {
      ++scores.unknown;
      continue;
    }
    ++scores.rows;
    const std::size_t at = row * prediction.outputs + target;
    const double error = truth[row] - prediction.mean[at];
    const double deviation = prediction.total[at];
    const double weight = weight_of(weights, row);
    if (weight == 0) continue;
    rows += weight;
    squares += weight * error * error;
    sum += weight * truth[row];
    likelihood +=
        weight * (deviation > 0 ? 0.5 * std::log(2 * std::numbers::pi) + std::log(deviation) +
                                      0.5 * (error / deviation) * (error / deviation)
                                : std::numeric_limits<double>::infinity());
    inside += std::abs(error) <= width * deviation ? weight : 0;
    widths += weight * 2 * width * deviation;
  }
  if (rows == 0) return scores;
  double variation = 0;
  for (std::size_t row = 0; row < prediction.rows; ++row)
    if (prediction.members[row] > 0)
      variation += weight_of(weights, row) * std::pow(truth[row] - sum / rows, 2);
  scores.root_mean_squared_error = std::sqrt(squares / rows);
  if (variation > 0) scores.r_squared = 1 - squares / variation;
  scores.negative_log_likelihood = likelihood / rows;
  scores.coverage = inside / rows;
  scores.mean_width = widths / rows;
  return scores;
}

}  // namespace

bool has_normal_intervals(const Ensemble::Frame& frame) noexcept {
  return frame.loss != Loss::cross_entropy && leaves_rows_out(frame.resampling);
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
  if (truth.columns() != prediction.outputs)
    throw InvalidArgument(text::concat("there are ", prediction.outputs, " targets but ",
                                       truth.columns(),
                                       " columns of the truth; the numbers must be equal"));
  check_rows(prediction, truth.rows());
  check_weights(prediction, weights);
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("these are class probabilities; use evaluate_classes()");
  std::vector<TargetScores> scores;
  for (std::size_t t = 0; t < truth.columns(); ++t)
    scores.push_back(scores_of(prediction, t, truth.column(t), confidence, weights));
  return scores;
}

}  // namespace bootfold::ensemble
