#include "ensemble/training/out_of_bag.h"

#include <algorithm>

#include "ensemble/ranges.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

using simd::kPoints;

OutOfBag::OutOfBag(const TrainingContext& context)
    : context_(context), blocks_((context.matrix.rows + kPoints - 1) / kPoints) {}

void OutOfBag::add(const Job& job, const std::vector<float>& parameters, const Part& part,
                   PredictionSums& sums, MeanLoss& loss, HeldOutRecorder* recorder) const {
  constexpr std::size_t kBlocksAtOnce = 16;
  const TrainingMatrix& matrix = context_.matrix;
  const Shape shape(matrix.columns, job.settings->architecture, context_.outputs);
  std::vector<float> held_out = MemberRows(job.id, context_.training.resampling, matrix.rows,
                                           job.settings->subsample, false, context_.level)
                                    .held_out();
  held_out.resize(blocks_ * kPoints);
  if (sums.empty()) sums.resize(part.last - part.first, BlockSums(context_.heads));
  for_each_range(
      part.last - part.first, kBlocksAtOnce, matrix.rows * shape.parameters,
      {.threads = context_.team}, [&](std::size_t first, std::size_t last) {
        predict({part.first + first, part.first + last}, shape, parameters, held_out, &sums[first]);
      });
  for (std::size_t b = part.first; b < part.last; ++b)
    for (std::size_t row = b * kPoints; row < (b + 1) * kPoints; ++row) {
      if (held_out[row] == 0) continue;
      loss.add(matrix, row, sums[b - part.first]);
      if (recorder != nullptr) recorder->add(job.member, row, sums[b - part.first]);
    }
}

void OutOfBag::predict(const Part& part, const Shape& shape, const std::vector<float>& parameters,
                       const std::vector<float>& held_out, BlockSums* sums) const {
  const simd::Kernels& kernels = simd::kernels(context_.level);
  std::vector<float> points(kPoints * shape.inputs());
  std::vector<float> outputs(kPoints * shape.outputs());
  std::vector<float> scratch(simd::points_scratch_size(shape));
  for (std::size_t b = part.first; b < part.last;
       ++b)  // rows that do not count have finite outputs
    std::fill_n(sums[b - part.first].network_outputs(), outputs.size(), 0.0F);
  std::uint32_t rows[kPoints] = {};
  std::size_t count = 0;
  const auto flush = [&] {
    kernels.gather_points(context_.matrix.inputs.data(), shape.inputs(), rows, points.data());
    kernels.predict_points(shape, context_.heads.kernel_loss(), parameters.data(), points.data(),
                           scratch.data(), outputs.data());
    for (std::size_t p = 0; p < count; ++p) {
      float* const to = sums[rows[p] / kPoints - part.first].network_outputs() + rows[p] % kPoints;
      for (std::size_t j = 0; j < shape.outputs(); ++j) to[j * kPoints] = outputs[j * kPoints + p];
    }
    count = 0;
  };
  // Members predict the rows that they leave out, as many at a time as the kernels take.
  for (std::size_t row = part.first * kPoints; row < part.last * kPoints; ++row) {
    if (held_out[row] == 0) continue;
    rows[count++] = static_cast<std::uint32_t>(row);
    if (count == kPoints) flush();
  }
  if (count > 0) flush();
  for (std::size_t b = part.first; b < part.last; ++b)
    sums[b - part.first].add_predicted(kernels, held_out.data() + b * kPoints);
}

}  // namespace bootfold::ensemble
