// The inputs of a batch for a pack of networks.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"
#include "ensemble/simd/transpose.h"

namespace bootfold::ensemble::simd {
namespace {

/// out[i][lane] = data[rows[lane]][i] for all inputs i, kBlock vectors apart.
inline void fetch_row(const float* data, std::size_t inputs, const std::uint32_t* rows,
                      float* out) {
  const float* from[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) from[lane] = data + rows[lane] * inputs;
  if constexpr (kLanes % kTransposed == 0) {
    for (std::size_t lane = 0; lane < kLanes; lane += kTransposed)
      transpose_rows(from + lane, inputs, kBlock * kLanes, out + lane);
  } else {
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        out[i * kBlock * kLanes + lane] = from[lane][i];
  }
}

/// The inputs of rows first .. first + 7 as [input][row][lane]; behind the last row it is repeated.
inline void fetch(const PackBatch& batch, std::size_t inputs, std::size_t first, float* out) {
  for (std::size_t e = 0; e < kBlock; ++e) {
    const std::size_t row = first + e < batch.rows ? first + e : batch.rows - 1;
    float* to = out + e * kLanes;
    if (batch.laned != nullptr) {
      const float* from = batch.laned + row * inputs * kLanes;
      for (std::size_t i = 0; i < inputs; ++i)
        Vector::load(from + i * kLanes).store(to + i * kBlock * kLanes);
    } else if (batch.shared != nullptr) {
      const float* from = batch.shared + row * inputs;
      for (std::size_t i = 0; i < inputs; ++i) Vector::all(from[i]).store(to + i * kBlock * kLanes);
    } else {
      fetch_row(batch.data, inputs, batch.index + row * kLanes, to);
    }
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
