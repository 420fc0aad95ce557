#include "prediction_rows.h"

#include <algorithm>
#include <utility>

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::Limits;

constexpr std::size_t kLeastRows = 64;  // that the kernels take at a time

std::vector<std::string> names_of(const Ensemble& ensemble, bool jackknife) {
  std::vector<std::string> names;
  const std::vector<std::string>& answers = ensemble.frame().classes;
  if (ensemble.classifies()) {
    names = {"class", "probability"};
    for (const std::string& name : answers) names.push_back("p_" + name);
    names.insert(names.end(), {"total", "aleatoric", "epistemic"});
    return names;
  }
  for (const std::string& target : answers)
    for (const char* each :
         {"mean", "epistemic_std", "aleatoric_std", "total_std",
          jackknife ? "jackknife_low" : "low", jackknife ? "jackknife_high" : "high"})
      names.push_back(answers.size() == 1 ? each : target + "_" + each);
  return names;
}

DataView slice(const DataView& data, std::size_t first, std::size_t rows) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < data.columns(); ++c)
    columns.push_back(data.column(c).slice(first, rows));
  return {std::move(columns)};
}

}  // namespace

PredictionRows::PredictionRows(const Ensemble& ensemble, const DataView& inputs,
                               const IntervalRequest& intervals, std::size_t memory,
                               Execution execution)
    : ensemble_(ensemble),
      inputs_(inputs),
      intervals_(intervals),
      memory_(memory),
      execution_(std::move(execution)),
      names_(names_of(ensemble, intervals.training_examples != nullptr)) {
  const std::size_t each = (names_.size() + 1) * sizeof(double);
  at_once_ = std::max(memory / each / kLeastRows, std::size_t{1}) * kLeastRows;
}

bool PredictionRows::next() {
  if (first_ == rows()) return false;
  const std::size_t count = std::min(at_once_, rows() - first_);
  const DataView some = slice(inputs_, first_, count);
  Execution execution = execution_;
  if (execution_.progress)
    execution.progress = [this](execution::Progress progress) {
      execution_.progress(
          {static_cast<double>(first_) + progress.done, static_cast<double>(rows())});
    };
  prediction_ = {};  // gone before the next comes
  prediction_ = ensemble_.predict(some, execution);
  if (intervals_.training_examples != nullptr) {
    execution.progress = {};
    const ensemble::Band band = ensemble::jackknife_plus(
        ensemble_, *intervals_.training_examples, some,
        {.confidence = intervals_.confidence, .memory = memory_, .execution = execution});
    limits_.resize(band.low.size());
    for (std::size_t i = 0; i < limits_.size(); ++i) limits_[i] = {band.low[i], band.high[i]};
  } else if (!ensemble_.classifies()) {
    limits_ = normal_intervals(prediction_, intervals_.confidence);
  }
  first_ += count;
  return true;
}

const std::string* PredictionRows::class_name(std::size_t row) const {
  return ensemble_.classifies() ? &ensemble_.frame().classes[prediction_.predicted_class(row)]
                                : nullptr;
}

std::vector<double> PredictionRows::values(std::size_t row) const {
  std::vector<double> values;
  values.reserve(names_.size());
  if (ensemble_.classifies()) {
    const std::size_t chosen = prediction_.predicted_class(row);
    values = {static_cast<double>(chosen), prediction_.probability(row, chosen)};
    for (std::size_t c = 0; c < prediction_.outputs; ++c)
      values.push_back(prediction_.probability(row, c));
    values.insert(values.end(),
                  {prediction_.total[row], prediction_.aleatoric[row], prediction_.epistemic[row]});
    return values;
  }
  for (std::size_t t = 0; t < prediction_.outputs; ++t) {
    const std::size_t at = row * prediction_.outputs + t;
    values.insert(values.end(),
                  {prediction_.mean[at], prediction_.epistemic[at], prediction_.aleatoric[at],
                   prediction_.total[at], limits_[at].low, limits_[at].high});
  }
  return values;
}

}  // namespace bootfold::cli
