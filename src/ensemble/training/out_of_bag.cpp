#include "ensemble/training/out_of_bag.h"

#include "ensemble/prediction/point_blocks.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

using simd::kPoints;

OutOfBag::OutOfBag(const TrainingContext& context)
    : context_(context), blocks_((context.matrix.rows + kPoints - 1) / kPoints) {}

void OutOfBag::add(const Job& job, const std::vector<float>& parameters, const Part& part,
                   PredictionSums& sums, MeanLoss& loss) const {
  const TrainingMatrix& matrix = context_.matrix;
  const Shape shape(matrix.columns, job.settings->architecture, context_.outputs);
  std::vector<float> held_out = MemberRows(job.id, context_.training.resampling, matrix.rows,
                                           job.settings->subsample, false, context_.level)
                                    .held_out();
  held_out.resize(blocks_ * kPoints);
  if (sums.empty()) sums.resize(part.last - part.first, BlockSums(context_.heads));
  std::vector<float> points(kPoints * matrix.columns);
  std::vector<float> scratch;
  for (std::size_t b = part.first; b < part.last; ++b) {
    const float* weights = held_out.data() + b * kPoints;
    BlockSums& block = sums[b - part.first];
    transpose_block(matrix.inputs.data(), matrix.rows, matrix.columns, b, points.data());
    block.add(simd::kernels(context_.level), shape, parameters.data(), points.data(), weights,
              scratch);
    for (std::size_t p = 0; p < kPoints; ++p)
      if (weights[p] != 0) loss.add(matrix, b * kPoints + p, block);
  }
}

}  // namespace bootfold::ensemble
