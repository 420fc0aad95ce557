#include "ensemble/training/out_of_bag.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

using simd::kPoints;

Points::Points(const float* rows, std::size_t count, std::size_t columns)
    : rows_(count), columns_(columns), blocks_((count + kPoints - 1) / kPoints) {
  values_.resize(blocks_ * kPoints * columns);
  transpose_points(rows, count, columns, values_.data());
}

void merge(Folds& sums, Folds&& later) {
  if (sums.empty()) {
    sums = std::move(later);
    return;
  }
  for (std::size_t b = 0; b < later.size(); ++b) sums[b].merge(later[b]);
}

void finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t first, Prediction& said) {
  for (std::size_t b = 0; b < folds.size(); ++b) {
    const std::size_t row = first + b * kPoints;
    folds[b].finish(frame, row, std::min(kPoints, said.rows - row), said);
  }
}

Prediction finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t rows) {
  Prediction said = empty_prediction(frame.loss, rows, frame.classes.size());
  const Folds nobody(folds.empty() ? (rows + kPoints - 1) / kPoints : 0,
                     Fold(frame.loss, outputs_of(frame)));
  finish(folds.empty() ? nobody : folds, frame, 0, said);
  return said;
}

bool OutOfBag::exists(Resampling resampling) noexcept {
  return resampling == Resampling::bootstrap || resampling == Resampling::subsample;
}

OutOfBag::OutOfBag(const Run& run)
    : run_(run), points_(run.table.inputs.data(), run.table.rows, run.table.columns) {}

void OutOfBag::add(const Job& job, const std::vector<float>& parameters, const Part& part,
                   Folds& folds, MeanLoss& loss) const {
  const Table& table = run_.table;
  const Shape shape(table.columns, job.settings->architecture, run_.outputs);
  std::vector<float> held_out =
      MemberRows(job.id, run_.training.resampling, table.rows, job.settings->subsample, false,
                 execution::simd::kernels(run_.level))
          .held_out();
  held_out.resize(points_.blocks() * kPoints);
  if (folds.empty()) folds.resize(part.last - part.first, Fold(run_.loss, run_.outputs));
  std::vector<float> scratch;
  for (std::size_t b = part.first; b < part.last; ++b) {
    const float* weights = held_out.data() + b * kPoints;
    Fold& fold = folds[b - part.first];
    fold.add(simd::kernels(run_.level), shape, parameters.data(), points_.block(b), weights,
             scratch);
    for (std::size_t p = 0; p < kPoints; ++p)
      if (weights[p] != 0) loss.add(run_.loss, table, b * kPoints + p, fold);
  }
}

void MeanLoss::add(Loss loss, const Table& table, std::size_t row, const Fold& fold) {
  const std::size_t point = row % kPoints;
  const double weight = table.weights.empty() ? 1 : table.weights[row];
  weight_ += weight;
  if (loss == Loss::cross_entropy) {
    const auto label = static_cast<std::size_t>(table.targets[row]);
    sum_ -= weight *
            std::log(std::max(static_cast<double>(fold.last()[label * kPoints + point]), 1e-38));
    return;
  }
  double own = 0;
  for (std::size_t t = 0; t < table.targets_each; ++t) {
    const double error = fold.last_outputs()[t * kPoints + point] -
                         static_cast<double>(table.targets[row * table.targets_each + t]);
    if (loss == Loss::squared_error) {
      own += error * error;
    } else {
      const double spread = fold.last_outputs()[(table.targets_each + t) * kPoints + point];
      own += 0.5 * (spread + error * error * std::exp(-spread));
    }
  }
  sum_ += weight * (own / static_cast<double>(table.targets_each));
}

}  // namespace bootfold::ensemble
