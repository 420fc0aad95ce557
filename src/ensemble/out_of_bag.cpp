#include "ensemble/out_of_bag.h"

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

Prediction finish(const Folds& folds, const Ensemble::Frame& frame, std::size_t rows) {
  if (folds.empty() && rows > 0)
    return finish(Folds((rows + kPoints - 1) / kPoints, Fold(frame.loss, outputs_of(frame))), frame,
                  rows);
  Prediction said = empty_prediction(frame.loss, rows, frame.classes.size());
  for (std::size_t b = 0; b < folds.size(); ++b)
    folds[b].finish(frame, b * kPoints, std::min(kPoints, rows - b * kPoints), said);
  return said;
}

bool OutOfBag::exists(Resampling resampling) noexcept {
  return resampling == Resampling::bootstrap || resampling == Resampling::subsample;
}

OutOfBag::OutOfBag(const Run& run)
    : run_(run), points_(run.table.inputs.data(), run.table.rows, run.table.columns) {}

double OutOfBag::add(const Job& job, const std::vector<float>& parameters, Folds& folds) const {
  const Table& table = run_.table;
  const Shape shape(table.columns, job.settings->architecture, run_.outputs);
  const simd::Kernels& kernels = simd::kernels(run_.level);
  std::vector<float> held_out =
      MemberRows(job.id, run_.training.resampling, table.rows, job.settings->subsample, false,
                 execution::simd::kernels(run_.level))
          .held_out();
  held_out.resize(points_.blocks() * kPoints);
  if (folds.empty()) folds.resize(points_.blocks(), Fold(run_.loss, run_.outputs));
  std::vector<float> scratch;
  double loss = 0;
  double weight = 0;
  for (std::size_t b = 0; b < points_.blocks(); ++b) {
    const float* weights = held_out.data() + b * kPoints;
    folds[b].add(kernels, shape, parameters.data(), points_.block(b), weights, scratch);
    for (std::size_t p = 0; p < kPoints; ++p) {
      const std::size_t row = b * kPoints + p;
      if (weights[p] == 0) continue;
      const double own = table.weights.empty() ? 1 : table.weights[row];
      weight += own;
      loss += own * loss_at(folds[b], p, row);
    }
  }
  return loss / weight;
}

double OutOfBag::loss_at(const Fold& fold, std::size_t point, std::size_t row) const {
  const Table& table = run_.table;
  if (run_.loss == Loss::cross_entropy) {
    const auto label = static_cast<std::size_t>(table.targets[row]);
    return -std::log(std::max(static_cast<double>(fold.last()[label * kPoints + point]), 1e-38));
  }
  double loss = 0;
  for (std::size_t t = 0; t < table.targets_each; ++t) {
    const double error = fold.last_outputs()[t * kPoints + point] -
                         static_cast<double>(table.targets[row * table.targets_each + t]);
    if (run_.loss == Loss::squared_error) {
      loss += error * error;
    } else {
      const double spread = fold.last_outputs()[(table.targets_each + t) * kPoints + point];
      loss += 0.5 * (spread + error * error * std::exp(-spread));
    }
  }
  return loss / static_cast<double>(table.targets_each);
}

Prediction OutOfBag::finish(const Folds& folds, const DataView& targets,
                            Ensemble::Frame& frame) const {
  Prediction said = ensemble::finish(folds, frame, points_.rows());
  if (frame.loss != Loss::squared_error) return said;
  frame.noise = noise_of(said, targets);
  return ensemble::finish(folds, frame, points_.rows());
}

}  // namespace bootfold::ensemble
