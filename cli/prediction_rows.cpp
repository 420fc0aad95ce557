#include "prediction_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::IntervalMethod;
using ensemble::Limits;
using ensemble::Loss;

constexpr std::size_t kLeastRows = 64;  // that the kernels take at a time
constexpr const char* kSet = "set";

// Whether intervals come from conformal scores.
bool is_conformal(const IntervalRequest& intervals) {
  return intervals.method && *intervals.method != IntervalMethod::normal;
}

// The columns of one target.
std::vector<std::string> names_of_target(Loss loss, const std::vector<double>& quantiles,
                                         const IntervalRequest& intervals) {
  const bool jackknife = intervals.training_examples != nullptr;
  if (loss == Loss::binary) {
    std::vector<std::string> names = {"probability", "total", "aleatoric", "epistemic"};
    if (intervals.sets) names.emplace_back(kSet);
    return names;
  }
  if (loss != Loss::pinball)
    return {loss == Loss::poisson ? "rate" : "mean",
            "epistemic_std",
            "aleatoric_std",
            "total_std",
            jackknife ? "jackknife_low" : "low",
            jackknife ? "jackknife_high" : "high"};
  std::vector<std::string> names;
  for (const double quantile : quantiles) names.push_back(ensemble::quantile_name(quantile));
  for (const double quantile : quantiles)
    names.push_back(ensemble::quantile_name(quantile) + "_epistemic_std");
  if (is_conformal(intervals)) names.insert(names.end(), {"low", "high"});
  return names;
}

/// Names of the columns, and the targets whose sets are in some of them.
std::vector<std::string> names_of(const Ensemble& ensemble, const IntervalRequest& intervals,
                                  std::map<std::size_t, std::size_t>& set_columns) {
  std::vector<std::string> names;
  const std::vector<std::string>& answers = ensemble.frame().classes;
  if (ensemble.classifies()) {
    names = {"class", "probability"};
    for (const std::string& name : answers) names.push_back("p_" + name);
    names.insert(names.end(), {"total", "aleatoric", "epistemic"});
    if (intervals.sets) {
      set_columns.emplace(names.size(), 0);
      names.emplace_back(kSet);
    }
  } else {
    const std::vector<ensemble::TargetColumns> columns = target_columns(ensemble.frame());
    for (std::size_t t = 0; t < answers.size(); ++t)
      for (const std::string& each :
           names_of_target(columns[t].loss, ensemble.frame().quantiles, intervals)) {
        if (each == kSet) set_columns.emplace(names.size(), t);
        names.push_back(answers.size() == 1 ? each : answers[t] + "_" + each);
      }
  }
  names.emplace_back("outside");
  return names;
}

DataView slice(const DataView& data, std::size_t first, std::size_t rows) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < data.columns(); ++c)
    columns.push_back(data.column(c).slice(first, rows));
  return {std::move(columns)};
}

}  // namespace

PredictionRows::PredictionRows(const Ensemble& ensemble, const RowsToPredict& rows,
                               const IntervalRequest& intervals, std::size_t memory,
                               Execution execution)
    : ensemble_(ensemble),
      rows_(rows),
      intervals_(intervals),
      memory_(memory),
      execution_(std::move(execution)),
      names_(names_of(ensemble, intervals, set_columns_)),
      targets_(target_columns(ensemble.frame())),
      pass_(rows.tables().open()) {
  const std::size_t each = (names_.size() + 1) * sizeof(double);
  at_once_ = std::max(memory / each / kLeastRows, std::size_t{1}) * kLeastRows;
}

bool PredictionRows::next_table() {
  before_ += table_rows_;
  if (table_) predicted_ += table_->view().rows();
  table_.reset();  // gone before the next comes
  table_ = pass_->next();
  table_rows_ = table_ ? table_->view().rows() + table_->omitted() : 0;
  next_row_ = 0;
  next_omitted_ = 0;
  first_ = 0;
  next_at_ = 0;
  prediction_ = {};
  return table_.has_value();
}

bool PredictionRows::next() {
  while (next_row_ == table_rows_)
    if (!next_table()) return false;
  const std::vector<std::size_t>& omitted = table_->omitted_rows();
  empty_ = next_omitted_ < omitted.size() && omitted[next_omitted_] == next_row_;
  ++next_row_;
  if (empty_) {
    ++next_omitted_;
    return true;
  }
  if (next_at_ == prediction_.rows) {
    predict_batch();
    next_at_ = 0;
  }
  at_ = next_at_++;
  if (prediction_.outside[at_] > 0) ++outside_rows_;
  return true;
}

void PredictionRows::predict_batch() {
  const std::size_t complete = rows_.rows() - rows_.omitted();
  const std::size_t count = std::min(at_once_, table_->view().rows() - first_);
  const DataView some = slice(table_->view(), first_, count);
  Execution execution = execution_;
  if (execution_.progress)
    execution.progress = [this, complete](execution::Progress progress) {
      execution_.progress({static_cast<double>(predicted_ + first_) + progress.done,
                           static_cast<double>(complete)});
    };
  prediction_ = {};  // gone before the next comes
  prediction_ = ensemble_.predict(some, execution);
  execution.progress = {};
  find_intervals(some, execution);
  first_ += count;
}

void PredictionRows::find_intervals(const DataView& inputs, const Execution& execution) {
  const Ensemble::Frame& frame = ensemble_.frame();
  const double confidence = intervals_.confidence;
  if (intervals_.sets) sets_ = prediction_sets(frame, prediction_, confidence, *intervals_.sets);
  if (intervals_.training_examples != nullptr) {
    const ensemble::Band band = ensemble::jackknife_plus(
        ensemble_, *intervals_.training_examples, inputs,
        {.confidence = confidence, .memory = memory_, .execution = execution});
    limits_.resize(band.low.size());
    for (std::size_t i = 0; i < limits_.size(); ++i) limits_[i] = {band.low[i], band.high[i]};
  } else if (is_conformal(intervals_)) {
    limits_ = conformal_intervals(frame, prediction_, confidence, *intervals_.method);
  } else if (intervals_.method && has_normal_intervals(frame)) {
    limits_ = prediction_intervals(frame, prediction_, confidence);
  } else {  // deviations that contain no noise are no intervals of new targets
    limits_.assign(prediction_.rows * targets_.size(), {});
  }
}

std::span<const std::uint8_t> PredictionRows::set_of(std::size_t target) const {
  const std::size_t each = ensemble_.classifies() ? prediction_.outputs : 2;
  const std::size_t targets = ensemble_.classifies() ? 1 : targets_.size();
  return {&sets_[(at_ * targets + target) * each], each};
}

double PredictionRows::set_size(std::size_t target) const {
  double size = 0;
  for (const std::uint8_t belongs : set_of(target)) size += belongs;
  return size;
}

std::vector<std::string> PredictionRows::set(std::size_t column) const {
  const std::span<const std::uint8_t> belongs = set_of(set_columns_.at(column));
  std::vector<std::string> names;
  for (std::size_t c = 0; c < belongs.size(); ++c)
    if (belongs[c] != 0)
      names.push_back(ensemble_.classifies() ? ensemble_.frame().classes[c] : std::to_string(c));
  return names;
}

const std::string* PredictionRows::class_name() const {
  return ensemble_.classifies() ? &ensemble_.frame().classes[prediction_.predicted_class(at_)]
                                : nullptr;
}

void PredictionRows::add_target(std::size_t target, std::vector<double>& values) const {
  const ensemble::TargetColumns& columns = targets_[target];
  const std::size_t at = at_ * prediction_.outputs + columns.first;
  const auto add_all = [&](const std::vector<double>& from) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(at);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(columns.count));
  };
  if (columns.loss == Loss::pinball) {
    add_all(prediction_.mean);
    add_all(prediction_.epistemic);
    if (is_conformal(intervals_))
      values.insert(values.end(), {own_limits(target).low, own_limits(target).high});
    return;
  }
  if (columns.loss == Loss::binary) {
    values.insert(values.end(), {prediction_.mean[at], prediction_.total[at],
                                 prediction_.aleatoric[at], prediction_.epistemic[at]});
    if (intervals_.sets) values.push_back(set_size(target));
    return;
  }
  const Limits& limits = own_limits(target);
  values.insert(values.end(),
                {prediction_.mean[at], prediction_.epistemic[at], prediction_.aleatoric[at],
                 prediction_.total[at], limits.low, limits.high});
}

std::vector<double> PredictionRows::values() const {
  if (empty_) return std::vector<double>(names_.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> values;
  values.reserve(names_.size());
  if (ensemble_.classifies()) {
    const std::size_t chosen = prediction_.predicted_class(at_);
    values = {static_cast<double>(chosen), prediction_.probability(at_, chosen)};
    for (std::size_t c = 0; c < prediction_.outputs; ++c)
      values.push_back(prediction_.probability(at_, c));
    values.insert(values.end(),
                  {prediction_.total[at_], prediction_.aleatoric[at_], prediction_.epistemic[at_]});
    if (intervals_.sets) values.push_back(set_size(0));
  } else {
    for (std::size_t t = 0; t < targets_.size(); ++t) add_target(t, values);
  }
  values.push_back(prediction_.outside[at_]);
  return values;
}

}  // namespace bootfold::cli
