#include "bootfold/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "bootfold/error.h"
#include "interval/normal.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

namespace {

constexpr double kLeastProbability = 1e-38;

void check_rows(const Prediction& prediction, std::size_t rows) {
  if (prediction.rows != rows)
    throw InvalidArgument(concat("there are ", prediction.rows, " rows of predictions but ", rows,
                                 " of the truth; there must be as many"));
}

double normal_width(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument(
        concat("confidence is ", confidence, " but must lie between 0 and 1, such as 0.95"));
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

TargetScores scores_of(const Prediction& said, std::size_t target, const ColumnView& truth,
                       double confidence) {
  const double width = normal_width(confidence);
  TargetScores scores;
  scores.confidence = confidence;
  double squares = 0;
  double likelihood = 0;
  double widths = 0;
  double sum = 0;
  std::uint64_t inside = 0;
  for (std::size_t row = 0; row < said.rows; ++row) {
    if (said.members[row] == 0) {
      ++scores.unknown;
      continue;
    }
    ++scores.rows;
    const std::size_t at = row * said.outputs + target;
    const double error = truth[row] - said.mean[at];
    const double deviation = said.total[at];
    squares += error * error;
    sum += truth[row];
    likelihood += deviation > 0 ? 0.5 * std::log(2 * std::numbers::pi) + std::log(deviation) +
                                      0.5 * (error / deviation) * (error / deviation)
                                : std::numeric_limits<double>::infinity();
    inside += std::abs(error) <= width * deviation ? 1U : 0U;
    widths += 2 * width * deviation;
  }
  if (scores.rows == 0) return scores;
  const auto rows = static_cast<double>(scores.rows);
  double variation = 0;
  for (std::size_t row = 0; row < said.rows; ++row)
    if (said.members[row] > 0) variation += std::pow(truth[row] - sum / rows, 2);
  scores.root_mean_squared_error = std::sqrt(squares / rows);
  if (variation > 0) scores.r_squared = 1 - squares / variation;
  scores.negative_log_likelihood = likelihood / rows;
  scores.coverage = static_cast<double>(inside) / rows;
  scores.mean_width = widths / rows;
  return scores;
}

}  // namespace

std::vector<Limits> normal_intervals(const Prediction& prediction, double confidence) {
  const double width = normal_width(confidence);
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("intervals are for targets that are numbers, but these are classes");
  std::vector<Limits> limits(prediction.mean.size());
  for (std::size_t i = 0; i < limits.size(); ++i)
    limits[i] = {prediction.mean[i] - width * prediction.total[i],
                 prediction.mean[i] + width * prediction.total[i]};
  return limits;
}

std::vector<std::uint32_t> codes_of(const Ensemble::Frame& frame, const data::Labels& classes) {
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
      throw DataError(concat("class ", text::quoted(name),
                             " is none that the ensemble learned: ", names,
                             frame.classes.size() > 20 ? ", ..." : "", "; leave its rows out"));
    }
    places.push_back(found->second);
  }
  std::vector<std::uint32_t> codes;
  codes.reserve(classes.rows());
  for (const std::uint32_t code : classes.codes) codes.push_back(places[code]);
  return codes;
}

ClassScores evaluate_classes(const Prediction& prediction, std::span<const std::uint32_t> truth) {
  check_rows(prediction, truth.size());
  ClassScores scores;
  scores.reliability = empty_bins();
  double right = 0;
  double likelihood = 0;
  double distance = 0;
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    if (truth[row] >= prediction.outputs)
      throw InvalidArgument(concat("the class of row ", row + 1, " is ", truth[row],
                                   " but there are ", prediction.outputs, ", from 0"));
    if (prediction.members[row] == 0) {
      ++scores.unknown;
      continue;
    }
    ++scores.rows;
    const std::size_t chosen = prediction.chosen(row);
    const double hit = chosen == truth[row] ? 1 : 0;
    const double confidence = prediction.probability(row, chosen);
    right += hit;
    likelihood -= std::log(std::max(prediction.probability(row, truth[row]), kLeastProbability));
    for (std::size_t c = 0; c < prediction.outputs; ++c)
      distance += std::pow(prediction.probability(row, c) - (c == truth[row] ? 1 : 0), 2);
    ReliabilityBin& bin = bin_of(scores.reliability, confidence);
    ++bin.rows;
    bin.confidence += confidence;
    bin.accuracy += hit;
  }
  const auto rows = static_cast<double>(scores.rows);
  double off = 0;
  for (ReliabilityBin& bin : scores.reliability) {
    off += std::abs(bin.confidence - bin.accuracy);
    bin.confidence /= static_cast<double>(bin.rows);  // without rows: 0 / 0, which is NaN
    bin.accuracy /= static_cast<double>(bin.rows);
  }
  if (scores.rows == 0) return scores;
  scores.accuracy = right / rows;
  scores.negative_log_likelihood = likelihood / rows;
  scores.brier_score = distance / rows;
  scores.calibration_error = off / rows;
  return scores;
}

std::vector<TargetScores> evaluate_targets(const Prediction& prediction, const DataView& truth,
                                           double confidence) {
  if (truth.columns() != prediction.outputs)
    throw InvalidArgument(concat("there are ", prediction.outputs, " targets but ", truth.columns(),
                                 " columns of the truth; there must be as many"));
  check_rows(prediction, truth.rows());
  if (prediction.total.size() != prediction.mean.size())
    throw InvalidArgument("the predictions are of classes; evaluate_classes() is for those");
  std::vector<TargetScores> scores;
  for (std::size_t t = 0; t < truth.columns(); ++t)
    scores.push_back(scores_of(prediction, t, truth.column(t), confidence));
  return scores;
}

}  // namespace bootfold::ensemble
