#include "ensemble/training/validation.h"

#include <algorithm>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

Table validation_table(const Examples& validation, const Ensemble::Frame& frame) {
  check_columns(frame, validation.inputs);
  check_rows(validation);
  const bool classes = frame.loss == Loss::cross_entropy;
  if (classes != (validation.classes != nullptr) ||
      (!classes && validation.targets.columns() != frame.classes.size()))
    throw InvalidArgument(text::concat(
        "the validation rows must have ",
        classes ? std::string("classes") : text::concat(frame.classes.size(), " targets"),
        ", as the rows to learn from have"));
  // Of classes that another set of rows numbers in another way.
  data::Labels known;
  Examples examples = validation;
  if (classes) {
    known.codes = codes_of(frame, *validation.classes);
    examples.classes = &known;
  }
  return {examples, frame.input_scaling, frame.target_scaling, 0};
}

Validation::Validation(const Run& run)
    : run_(run),
      points_(run.validation->inputs.data(), run.validation->rows, run.validation->columns) {}

double Validation::loss(const Job& job, const std::vector<float>& parameters) const {
  static const std::vector<float> all(kPoints, 1.0F);
  const Table& table = *run_.validation;
  const Shape shape(table.columns, job.settings->architecture, run_.outputs);
  Fold fold(run_.loss, run_.outputs);
  std::vector<float> scratch;
  MeanLoss loss;
  for (std::size_t b = 0; b < points_.blocks(); ++b) {
    fold.add(simd::kernels(run_.level), shape, parameters.data(), points_.block(b), all.data(),
             scratch);
    for (std::size_t row = b * kPoints; row < std::min((b + 1) * kPoints, table.rows); ++row)
      loss.add(run_.loss, table, row, fold);
  }
  return loss.mean();
}

}  // namespace bootfold::ensemble
