#include "ensemble/calibration/score_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bootfold/error.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/input_rows.h"
#include "ensemble/transform.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();

std::vector<ScoreOrder> orders_of(std::vector<std::vector<double>>& scores) {
  std::vector<ScoreOrder> orders;
  for (std::vector<double>& each : scores) orders.push_back(ScoreOrder::of(std::move(each)));
  return orders;
}

}  // namespace

IntervalScale::IntervalScale(const Head& head)
    : head_(head),
      transformed_(head.transform != nullptr &&
                   (head.transform->kind == TargetTransform::log ||
                    head.transform->kind == TargetTransform::yeo_johnson)),
      positive_(head.loss == Loss::poisson ||
                (head.transform != nullptr && head.transform->kind == TargetTransform::log)) {}

double IntervalScale::center(const Prediction& prediction, std::size_t at) const {
  return transformed_ ? prediction.transformed_mean[at] : prediction.mean[at];
}

double IntervalScale::deviation(const Prediction& prediction, std::size_t at) const {
  return transformed_ ? prediction.transformed_total[at] : prediction.total[at];
}

double IntervalScale::residual(double target, double center) const {
  if (!transformed_) return std::abs(target - center);
  const FittedTransform& transform = *head_.transform;
  const double range = transform.most - transform.least;  // as far as the inverse reaches
  if (transform.kind == TargetTransform::yeo_johnson &&
      !(transform.least - range <= target && target <= transform.most + range))
    return kBeyond;
  return std::abs(transform(target) - center);
}

Limits IntervalScale::limits(double center, double half) const {
  if (std::isnan(center)) return {};
  Limits limits{center - half, center + half};
  if (half == kBeyond)
    limits = {-kBeyond, kBeyond};
  else if (transformed_)
    limits = {head_.inverse(limits.low), head_.inverse(limits.high)};
  if (positive_) limits.low = std::max(limits.low, 0.0);
  return limits;
}

std::vector<double> cumulated(const double* probabilities, std::size_t classes) {
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  std::vector<double> found(classes);
  double sum = 0;
  for (const std::size_t c : order) {
    sum += probabilities[c];
    found[c] = sum;
  }
  return found;
}

ScoreCollector::ScoreCollector(const Ensemble::Frame& frame, const Examples& examples)
    : examples_(examples), heads_(frame) {
  const bool classes = heads_.classifies() || frame.loss == Loss::cross_entropy;
  if (classes && examples.classes == nullptr)
    throw InvalidArgument("the rows have no classes; give the true classes");
  if (!classes && examples.targets.columns() != heads_.targets().size())
    throw InvalidArgument(text::concat("the rows have ", examples.targets.columns(),
                                       " targets but the ensemble has ", heads_.targets().size()));
  check_rows(examples);
  if (classes) codes_ = class_codes(frame, *examples.classes);
  if (!classes) check_inputs({}, examples.targets, 0, {.threads = 1});
  for (std::size_t t = 0; t < examples.targets.columns() && !classes; ++t) {
    const Head& head = heads_.targets()[t];
    check_target_values(examples.targets, t, head.loss,
                        head.transform == nullptr ? TargetTransform::none : head.transform->kind);
  }
  residuals_.resize(classes ? 1 : heads_.targets().size());
  scaled_.resize(residuals_.size());
}

void ScoreCollector::add_class(const Prediction& prediction, std::size_t row, std::uint32_t truth) {
  residuals_[0].push_back(1 - prediction.probability(row, truth));
  scaled_[0].push_back(
      cumulated(&prediction.mean[row * prediction.outputs], prediction.outputs)[truth]);
}

void ScoreCollector::add_target(const Prediction& prediction, std::size_t row, std::size_t target,
                                double truth) {
  const Head& head = heads_.targets()[target];
  const std::size_t at = row * prediction.outputs + head.answer;
  const double* const mean = &prediction.mean[at];
  std::vector<double>& residuals = residuals_[target];
  if (head.loss == Loss::binary) {
    residuals.push_back(truth == 1 ? 1 - *mean : *mean);
  } else if (head.loss == Loss::pinball && head.answers > 1) {
    residuals.push_back(std::max(mean[0] - truth, truth - mean[head.answers - 1]));
  } else {
    const IntervalScale scale(head);
    const double residual = scale.residual(truth, scale.center(prediction, at));
    residuals.push_back(residual);
    if (head.loss != Loss::pinball)  // 0 / 0 is NaN, which counts as infinite
      scaled_[target].push_back(residual / scale.deviation(prediction, at));
  }
}

void ScoreCollector::add(const Prediction& prediction, std::size_t first) {
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    const std::size_t own = first + row;
    if (prediction.members[row] == 0) continue;
    if (examples_.weights && (*examples_.weights)[own] == 0) continue;
    if (!codes_.empty()) add_class(prediction, row, codes_[own]);
    for (std::size_t t = 0; t < heads_.targets().size(); ++t)
      add_target(prediction, row, t, examples_.targets.column(t)[own]);
  }
}

ConformalScores ScoreCollector::finish(ScoreRows rows) {
  if (residuals_[0].empty()) return {};
  return {rows, orders_of(residuals_), orders_of(scaled_)};
}

namespace {

void check_order(const ScoreOrder& order, std::uint64_t rows) {
  constexpr std::uint64_t kMostScored = std::uint64_t{1} << 53;
  if (order.rows != rows || rows > kMostScored)
    throw InvalidArgument(text::concat("there are scores of ", order.rows, " and of ", rows,
                                       " rows but all must be of the same number of rows"));
  const std::size_t kept = kept_ranks(rows).size();
  if (order.values.size() != kept)
    throw InvalidArgument(text::concat("of ", rows, " rows there are ", order.values.size(),
                                       " scores but must be ", kept,
                                       ", those at the ranks of kept_ranks()"));
  const bool sorted = std::ranges::is_sorted(order.values);
  if (!sorted || std::ranges::any_of(order.values, [](double score) { return std::isnan(score); }))
    throw InvalidArgument("scores are not a number or do not ascend");
}

}  // namespace

void check_scores(const Ensemble::Frame& frame, const ConformalScores& scores) {
  const bool classes = has_classes(frame.loss);
  const std::size_t expected = classes ? 1 : frame.classes.size();
  for (const auto* orders : {&scores.residuals, &scores.scaled})
    if (orders->size() != expected)
      throw InvalidArgument(text::concat("there are scores of ", orders->size(),
                                         " targets but the ensemble needs those of ", expected));
  const std::uint64_t rows = scores.residuals[0].rows;
  if (rows == 0) throw InvalidArgument("there are scores of 0 rows but at least 1 is needed");
  for (std::size_t t = 0; t < expected; ++t) {
    const Loss loss = classes ? frame.loss : loss_of_target(frame, t);
    const bool scaled = classes || (loss != Loss::pinball && loss != Loss::binary);
    check_order(scores.residuals[t], rows);
    check_order(scores.scaled[t], scaled ? rows : 0);
  }
}

ConformalScores out_of_bag_scores(const Ensemble::Frame& frame, const Prediction& out_of_bag,
                                  const Examples& examples) {
  if (out_of_bag.rows == 0) return {};
  ScoreCollector collector(frame, examples);
  collector.add(out_of_bag, 0);
  return collector.finish(ScoreRows::out_of_bag);
}

ConformalScores conformal_scores(const Ensemble& ensemble, const Examples& held_out,
                                 const Execution& execution) {
  check_columns(ensemble.frame(), held_out.columns());
  ScoreCollector collector(ensemble.frame(), held_out);
  for_each_chunk(held_out, [&](std::size_t first, const DataView& inputs) {
    collector.add(ensemble.predict(inputs, execution), first);
  });
  return collector.finish(ScoreRows::held_out);
}

}  // namespace bootfold::ensemble
