// Rows of many small strata, drawn from one stream: the draw at a place, rows being ordered stratum
// by stratum, is a row of the stratum that the place lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "random/simd/kernels.h"
#include "resample/groups.h"

namespace bootfold::resample {

class SmallStrata {
 public:
  SmallStrata(std::shared_ptr<const Groups> groups, std::uint64_t seed);

  /// The row at each place.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return groups_->all(); }

  /// Places drawn at a time.
  static constexpr std::size_t kTile = 2048;

  /// The draws of a replicate, from the first place on.
  class Draws {
   public:
    Draws() = default;
    Draws(const SmallStrata& strata, execution::Level level, std::uint64_t replicate);

    /// Draws the next kTile places, or those that are left, into `drawn`. Returns how
    /// many.
    std::size_t next(std::uint32_t* drawn);

   private:
    const SmallStrata* strata_ = nullptr;
    execution::Level level_ = execution::Level::portable;
    std::uint64_t replicate_ = 0;
    std::size_t place_ = 0;
    random::simd::LaneState lanes_{};
  };

 private:
  std::shared_ptr<const Groups> groups_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> first_;  // [place]: the first place of its stratum
  std::vector<std::uint32_t> rows_;   // [place]: the rows of its stratum
};

}  // namespace bootfold::resample
