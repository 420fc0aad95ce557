// How a stream and a position become a Philox counter (docs/random-streams.md).
#pragma once

#include <cstdint>

#include "bootfold/random.h"
#include "random/simd/kernels.h"

namespace bootfold::random {

[[nodiscard]] inline simd::Counter counter(const StreamId& id, std::uint64_t position) {
  return {
      {static_cast<std::uint32_t>(id.seed), static_cast<std::uint32_t>(id.seed >> 32)},
      {static_cast<std::uint32_t>(position),
       static_cast<std::uint32_t>(id.purpose) << 24 | static_cast<std::uint32_t>(id.attempt) << 16 |
           static_cast<std::uint32_t>(position >> 32 & 0xFFFFU),
       static_cast<std::uint32_t>(id.replicate), static_cast<std::uint32_t>(id.replicate >> 32)}};
}

/// First Philox position of lane stream `number`.
[[nodiscard]] inline simd::Counter lane_counter(const StreamId& id, std::uint64_t number) {
  return counter(id, number * 16);
}

}  // namespace bootfold::random
