#include "ensemble/training/validation.h"

#include <algorithm>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/training/mean_loss.h"
#include "ensemble/transform.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

TrainingMatrix validation_matrix(const Examples& validation, const Ensemble::Frame& frame) {
  check_columns(frame, validation.columns());
  check_rows(validation);
  const bool classes = has_classes(frame.loss);
  if (classes != (validation.classes != nullptr) ||
      (!classes && validation.targets.columns() != frame.classes.size()))
    throw InvalidArgument(text::concat(
        "the validation rows must have ",
        classes ? std::string("classes") : text::concat(frame.classes.size(), " targets"),
        ", as the training rows have"));
  // Classes may be numbered differently in the validation rows.
  data::Labels known;
  Examples examples = validation;
  if (classes) {
    known.codes = class_codes(frame, *validation.classes);
    examples.classes = &known;
  }
  for (std::size_t t = 0; t < examples.targets.columns(); ++t)
    check_target_values(
        examples.targets, t, loss_of_target(frame, t),
        frame.transforms.empty() ? TargetTransform::none : frame.transforms[t].kind);
  return {examples, frame, 0};
}

double Validation::loss(const Job& job, const std::vector<float>& parameters,
                        HeldOutRecorder* recorder) const {
  static const std::vector<float> all(kPoints, 1.0F);
  const TrainingMatrix& matrix = *context_.validation;
  const Shape shape(matrix.columns, job.settings->architecture, context_.outputs);
  BlockSums sums(context_.heads);
  std::vector<float> points(kPoints * matrix.columns);
  std::vector<float> scratch;
  MeanLoss loss;
  for (std::size_t b = 0; b * kPoints < matrix.rows; ++b) {
    transpose_block(matrix.inputs.data(), matrix.rows, matrix.columns, b, points.data());
    sums.add(simd::kernels(context_.level), shape, parameters.data(), points.data(), all.data(),
             scratch);
    for (std::size_t row = b * kPoints; row < std::min((b + 1) * kPoints, matrix.rows); ++row) {
      loss.add(matrix, row, sums);
      if (recorder != nullptr) recorder->add(job.member, row, sums);
    }
  }
  return loss.mean();
}

}  // namespace bootfold::ensemble
