// Counts under unequal probabilities for many replicates, with sizes of a test's own.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "resample/counts.h"
#include "resample/weighted_places.h"

namespace bootfold::resample {

class WeightedReplicates {
 public:
  WeightedReplicates(std::span<const double> weights, std::uint64_t draws,
                     const WeightedPlaces::Sizes& sizes = {},
                     execution::Level level = execution::available_levels().back())
      : level_(level),
        places_(weights, draws, sizes),
        tile_(simd::kCountTile + 64),
        replaced_(std::make_unique<simd::Replaced>()),
        counts_(weights.size()) {}

  /// The count of each row.
  const std::vector<std::uint32_t>& counts(std::uint64_t seed, std::uint64_t replicate) {
    std::fill(counts_.begin(), counts_.end(), 0);
    voids_ = late_ = 0;
    for (std::uint64_t b = 0; b < places_.blocks().count(); ++b) draw(seed, replicate, b);
    return counts_;
  }

  [[nodiscard]] std::uint64_t voids() const { return voids_; }  ///< attempts of the last replicate
  [[nodiscard]] std::uint64_t late() const { return late_; }    ///< places drawn one by one
  [[nodiscard]] const WeightedPlaces& places() const { return places_; }

 private:
  void draw(std::uint64_t seed, std::uint64_t replicate, std::uint64_t b) {
    const auto rows = places_.rows().subspan(places_.blocks().first_row(b));
    BlockCounts block(level_, places_, {seed, replicate, b});
    std::vector<std::uint8_t> counts(places_.counted(b));
    std::uint64_t total = 0;
    do {
      total = 0;
      for (std::size_t place = 0; place < counts.size();) {
        const std::size_t size = block.next(tile_.data(), *replaced_);
        std::copy_n(tile_.begin(), size, counts.begin() + static_cast<std::ptrdiff_t>(place));
        total += simd::kernels(level_).total(tile_.data(), size);
        place += size;
      }
    } while (block.is_void(total));
    voids_ += block.attempt();
    for (std::size_t place = 0; place < counts.size(); ++place)
      counts_[rows[place]] += counts[place];
    std::vector<std::uint32_t> room;
    const std::span<const std::uint32_t> late = block.top_up(total, room);
    for (const std::uint32_t place : late) ++counts_[rows[place]];
    late_ += late.size();
  }

  execution::Level level_;
  WeightedPlaces places_;
  std::vector<std::uint8_t> tile_;
  std::unique_ptr<simd::Replaced> replaced_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t voids_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace bootfold::resample
