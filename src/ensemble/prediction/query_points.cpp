#include "ensemble/prediction/query_points.h"

#include <algorithm>

#include "bootfold/error.h"
#include "ensemble/training/training_matrix.h"
#include "ensemble/validate_arguments.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

Points points_of(const Ensemble::Frame& frame, const DataView& points) {
  if (points.rows() == 0) throw InvalidArgument("there are no points to ask members about");
  check_columns(frame, points);
  std::vector<float> read(points.rows() * points.columns());
  read_rows(points, frame.input_scaling, 0, points.rows(), read.data());
  return {read.data(), points.rows(), points.columns()};
}

}  // namespace

Asked::Asked(const Ensemble::Frame& frame, const DataView& points, execution::Level level)
    : frame_(frame), kernels_(simd::kernels(level)), points_(points_of(frame, points)) {}

void Asked::add(const Settings& settings, const std::vector<float>& parameters, Folds& sums) const {
  static const std::vector<float> all(kPoints, 1.0F);
  const std::size_t outputs = outputs_of(frame_);
  const Shape shape(frame_.inputs.size(), settings.architecture, outputs);
  if (sums.empty()) sums.resize(points_.blocks(), Fold(frame_.loss, outputs));
  std::vector<float> scratch;
  for (std::size_t b = 0; b < points_.blocks(); ++b)
    sums[b].add(kernels_, shape, parameters.data(), points_.block(b), all.data(), scratch);
}

void Asked::tell(const Settings& settings, const std::vector<float>& parameters,
                 double* out) const {
  Folds said;
  add(settings, parameters, said);
  const Prediction prediction = finish(said, frame_, points_.rows());
  std::ranges::copy(prediction.mean, out);
}

}  // namespace bootfold::ensemble
