#include "ensemble/training/out_of_bag.h"

#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

using simd::kPoints;

OutOfBag::OutOfBag(const TrainingContext& context)
    : context_(context),
      points_(context.matrix.inputs.data(), context.matrix.rows, context.matrix.columns) {}

void OutOfBag::add(const Job& job, const std::vector<float>& parameters, const Part& part,
                   PredictionSums& sums, MeanLoss& loss) const {
  const TrainingMatrix& matrix = context_.matrix;
  const Shape shape(matrix.columns, job.settings->architecture, context_.outputs);
  std::vector<float> held_out = MemberRows(job.id, context_.training.resampling, matrix.rows,
                                           job.settings->subsample, false, context_.level)
                                    .held_out();
  held_out.resize(points_.blocks() * kPoints);
  if (sums.empty()) sums.resize(part.last - part.first, BlockSums(context_.loss, context_.outputs));
  std::vector<float> scratch;
  for (std::size_t b = part.first; b < part.last; ++b) {
    const float* weights = held_out.data() + b * kPoints;
    BlockSums& block = sums[b - part.first];
    block.add(simd::kernels(context_.level), shape, parameters.data(), points_.block(b), weights,
              scratch);
    for (std::size_t p = 0; p < kPoints; ++p)
      if (weights[p] != 0) loss.add(context_.loss, matrix, b * kPoints + p, block);
  }
}

}  // namespace bootfold::ensemble
