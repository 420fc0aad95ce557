#include "paths/lane_counts.h"

#include <algorithm>

#include "resample/super_blocks.h"

namespace bootfold::paths {

namespace {

using simd::kLanes;

/// Kernels interleave eight rows at a time.
constexpr std::uint64_t whole_eights(std::uint64_t rows) { return (rows + 7) / 8 * 8; }

}  // namespace

LaneCounts::LaneCounts(const resample::Counting& counting, const simd::Kernels& kernels)
    : counting_(counting),
      kernels_(kernels),
      maker_(counting),
      stride_(whole_eights(counting.pieces() == 1
                               ? counting.rows()
                               : std::min(counting.rows(), resample::kSuperBlockRows))),
      drawn_(kLanes * stride_),
      counts_(whole_eights(counting.rows()) * kLanes) {}

void LaneCounts::draw(std::uint64_t first, std::size_t lanes, const execution::Worker& worker) {
  draws_ = {};
  for (std::uint64_t piece = 0; piece < counting_.pieces(); ++piece) {
    const std::uint64_t rows = counting_.piece_rows(piece);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      draws_[lane] +=
          maker_.make(first + lane, piece, std::span(drawn_).subspan(lane * stride_, rows), worker);
    kernels_.interleave(drawn_.data(), stride_, whole_eights(rows),
                        counts_.data() + counting_.first_row(piece) * kLanes);
  }
}

bool LaneCounts::suits(const Question& question) {
  return question.traits.lists_rows && !question.traits.deletes &&
         resample::count_bytes(question.design, question.rows) == 1;
}

std::size_t LaneCounts::thread_bytes(const Question& question) {
  const bool streams = question.design.streams(question.rows);
  const bool pieces =
      streams && question.design.stratum_labels().empty() && question.design.weights().empty();
  const std::uint64_t buffer =
      pieces ? whole_eights(std::min(question.rows, resample::kSuperBlockRows)) : question.rows + 8;
  return kLanes * (question.rows + 8) + kLanes * buffer + sizeof(resample::simd::Replaced) +
         (pieces ? 8192 : 4 * question.rows) + (streams ? 0 : 4 * question.draws);
}

std::size_t LaneCounts::shared_bytes(const Question& question) {
  return question.design.sampling_bytes(question.rows) + (std::size_t{1} << 19);
}

}  // namespace bootfold::paths
