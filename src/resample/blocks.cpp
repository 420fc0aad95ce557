#include "resample/blocks.h"

#include <cmath>

#include "resample/rows.h"
#include "resample/scheme.h"

namespace bootfold::resample {

GeometricLengths::GeometricLengths(double mean) {
  const double stay = 1 - 1 / mean;
  double beyond = 1;  // P(length > k)
  while (thresholds_.size() < kMostThresholds) {
    beyond *= stay;
    const double threshold = std::ldexp(1 - beyond, 64);
    if (threshold >= 0x1p64) break;
    thresholds_.push_back(static_cast<std::uint64_t>(threshold));
  }
  // The last one would leave nothing beyond: then a word is always below it.
  if (thresholds_.size() < kMostThresholds) thresholds_.push_back(~std::uint64_t{0});
  std::size_t k = 0;
  for (std::size_t cell = 0; cell < guide_.size(); ++cell) {
    while (k < thresholds_.size() && thresholds_[k] <= std::uint64_t{cell} << (64 - kGuideBits))
      ++k;
    guide_[cell] = static_cast<std::uint16_t>(k);
  }
}

BlockLaw::BlockLaw(const Scheme& scheme, std::uint64_t rows)
    : rows_(rows),
      starts_(rows),
      mean_length_(*block_length_of(scheme)),
      length_(static_cast<std::uint64_t>(mean_length_)),
      stationary_(std::holds_alternative<scheme::StationaryBlocks>(scheme)),
      lengths_(stationary_ ? mean_length_ : 1) {
  if (std::holds_alternative<scheme::MovingBlocks>(scheme)) starts_ = rows - length_ + 1;
  reject_ = (0 - starts_) % starts_;
}

std::uint64_t BlockLaw::start_again(const random::StreamId& id, std::uint64_t position) const {
  return redraw_long({id.seed, id.replicate, random::Purpose::block_retry}, position, starts_);
}

}  // namespace bootfold::resample
