#include "ensemble/prediction/query_points.h"

#include <algorithm>

#include "bootfold/error.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/validate_arguments.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

PointBlocks points_of(const Ensemble::Frame& frame, const DataView& points) {
  if (points.rows() == 0) throw InvalidArgument("there are no points to predict");
  check_columns(frame, points.columns());
  const InputEncoder encoder(frame);
  std::vector<float> read(points.rows() * encoder.columns());
  encoder.encode(points, 0, points.rows(), read.data());
  if (InputEncoder::has_far(read)) encoder.check_reach(points, 0, points.rows(), 0);
  return {read.data(), points.rows(), encoder.columns()};
}

}  // namespace

QueryPoints::QueryPoints(const Ensemble::Frame& frame, const DataView& points,
                         execution::Level level)
    : frame_(frame),
      heads_(frame),
      kernels_(simd::kernels(level)),
      points_(points_of(frame, points)) {}

void QueryPoints::add(const Settings& settings, const std::vector<float>& parameters,
                      PredictionSums& sums) const {
  static const std::vector<float> all(kPoints, 1.0F);
  const Shape shape(network_inputs(frame_), settings.architecture, heads_.outputs());
  if (sums.empty()) sums.resize(points_.blocks(), BlockSums(heads_));
  std::vector<float> scratch;
  for (std::size_t b = 0; b < points_.blocks(); ++b)
    sums[b].add(kernels_, shape, parameters.data(), points_.block(b), all.data(), scratch);
}

void QueryPoints::predict_into(const Settings& settings, const std::vector<float>& parameters,
                               double* out) const {
  PredictionSums sums;
  add(settings, parameters, sums);
  const Prediction prediction = finish(sums, frame_, points_.rows());
  std::ranges::copy(prediction.mean, out);
}

}  // namespace bootfold::ensemble
