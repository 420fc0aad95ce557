// Path `stream` for many replicates, with super-blocks and margins of a test's own.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/resample.h"
#include "resample/counts.h"

namespace bootfold::resample {

/// resample::counts, but laws are made once, super-blocks and margin can be chosen, and it is told
/// what happened on the way.
class Replicates {
 public:
  struct Options {
    execution::Level level = execution::available_levels().back();
    std::uint64_t block_rows = kSuperBlockRows;
    double margin = 2;
  };

  explicit Replicates(std::uint64_t rows) : Replicates(rows, Options()) {}
  Replicates(std::uint64_t rows, const Options& options)
      : options_(options),
        blocks_(rows, options.block_rows),
        tile_(simd::kCountTile + 64),
        replaced_(std::make_unique<simd::Replaced>()),
        counts_(rows) {}

  const std::vector<std::uint32_t>& counts(std::uint64_t seed, std::uint64_t replicate) {
    voids_ = 0;
    for (std::uint64_t b = 0; b < blocks_.count(); ++b) draw(seed, replicate, b);
    return counts_;
  }

  /// The counts of one super-block alone; the others stay as they are.
  void draw(std::uint64_t seed, std::uint64_t replicate, std::uint64_t b) {
    std::uint32_t* const own = counts_.data() + blocks_.first_row(b);
    const std::uint64_t rows = blocks_.rows(b);
    const std::uint64_t draws = blocks_.draws(seed, replicate, counts_.size(), b);
    TileLaws laws;
    const double mean = draws > 0 ? count_mean(rows, draws, options_.margin) : 0;
    if (mean > 0) laws = laws_(mean, rows);
    BlockCounts block(options_.level, laws, {seed, replicate, b}, rows, draws);
    do {
      total_ = 0;
      for (std::uint64_t row = 0; row < rows;) {
        const std::size_t size = block.next(tile_.data(), *replaced_);
        std::copy_n(tile_.begin(), size, own + row);
        total_ += simd::kernels(options_.level).total(tile_.data(), size);
        row += size;
      }
    } while (block.is_void(total_));
    voids_ += block.attempt();
    std::vector<std::uint32_t> room;
    const std::span<const std::uint32_t> late = block.top_up(total_, room);
    late_.assign(late.begin(), late.end());
    for (const std::uint32_t row : late_) ++own[row];
  }

  [[nodiscard]] std::uint64_t voids() const { return voids_; }  ///< attempts of the last replicate
  [[nodiscard]] std::uint64_t total() const {
    return total_;
  }  ///< of the last block, not topped up
  [[nodiscard]] const SuperBlocks& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<std::uint32_t>& late() const { return late_; }

 private:
  Options options_;
  SuperBlocks blocks_;
  CountLaws laws_;
  std::vector<std::uint8_t> tile_;
  std::unique_ptr<simd::Replaced> replaced_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> late_;
  std::uint64_t voids_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bootfold::resample
