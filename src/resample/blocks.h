// Blocks of neighbouring rows: where they start and how long they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/random.h"
#include "bootfold/scheme.h"
#include "random/counter.h"
#include "resample/simd/kernels.h"

namespace bootfold::resample {

/// P(length = k) = p (1 - p)^(k - 1) for k = 1, 2, ..., with p = 1 / mean.
class GeometricLengths {
 public:
  explicit GeometricLengths(double mean);

  /// What the first 32 bits decide, as simd::BlockDraw takes it.
  [[nodiscard]] const std::uint32_t* table() const noexcept { return table_.data(); }

  /// The length that 64 bits give, or 0 if it is beyond reach().
  [[nodiscard]] std::uint64_t length(std::uint64_t bits) const;

  /// As the law has no memory, it may start anew behind this length.
  [[nodiscard]] std::uint64_t reach() const noexcept { return thresholds_.size(); }

 private:
  static constexpr int kTableBits = 12;
  static constexpr std::size_t kMostThresholds = 4096;

  std::vector<std::uint64_t> thresholds_;  // [k]: P(length <= k + 1) * 2^64
  std::array<std::uint32_t, std::size_t{1} << kTableBits> table_;
};

/// Many blocks, as two lists.
struct BlockList {
  std::span<const std::uint32_t> starts;
  std::span<const std::uint32_t> lengths;
};

enum class BlockKind {
  moving,      ///< blocks of a fixed length that lie within the data
  circular,    ///< blocks of a fixed length; the first row follows the last
  stationary,  ///< blocks of geometrically distributed length; the first row follows the last
};

/// What all replicates of a run share.
class BlockLaw {
 public:
  /// `length`: of the blocks, on average, from 1 to `rows`; a whole number unless stationary.
  BlockLaw(BlockKind kind, double length, std::uint64_t rows, execution::Level level);

  BlockLaw(const BlockLaw&) = delete;  // the draw points into the lengths
  BlockLaw& operator=(const BlockLaw&) = delete;

  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] double mean_length() const noexcept { return mean_length_; }

  /// Calls see(blocks) with the blocks of a replicate, list by list; all lengths add up to rows().
  template <class See>
  void for_each(std::uint64_t seed, std::uint64_t replicate, See&& see) const {
    Batch batch(*this, seed, replicate);
    for (std::uint64_t left = rows_; left > 0;) {
      const BlockList blocks = batch.next(left);
      for (const std::uint32_t length : blocks.lengths) left -= length;
      see(blocks);
    }
  }

 private:
  /// The blocks of a replicate, so many at a time.
  class Batch {
   public:
    Batch(const BlockLaw& law, std::uint64_t seed, std::uint64_t replicate);
    /// The next blocks, of which the last is cut so that all of them have at most `left` rows.
    BlockList next(std::uint64_t left);

   private:
    static constexpr std::size_t kMost = 512;
    const BlockLaw& law_;
    random::StreamId id_;
    random::simd::LaneState lanes_;
    std::uint64_t drawn_ = 0;
    std::array<std::uint32_t, kMost> starts_;
    std::array<std::uint32_t, kMost> lengths_;
    std::array<simd::OpenBlock, kMost> open_;
  };

  [[nodiscard]] std::uint32_t start(std::uint64_t word, const random::StreamId& id,
                                    std::uint64_t position) const;
  [[nodiscard]] std::uint32_t length(std::uint64_t word, const random::StreamId& id,
                                     std::uint64_t position) const;

  execution::Level level_;
  std::uint32_t rows_;
  double mean_length_;
  GeometricLengths lengths_;
  simd::BlockDraw draw_;
};

}  // namespace bootfold::resample
