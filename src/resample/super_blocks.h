// Rows in super-blocks, each of which makes its own counts.
//
// How many of the draws fall into each super-block is multinomial. It is drawn by a binary tree of
// binomials, whose nodes have streams of their own: the holder of one super-block needs the nodes
// above it and nothing else.
#pragma once

#include <cstdint>

#include "bootfold/random.h"

namespace bootfold::resample {

/// Rows of a super-block; part of the definition of a count.
inline constexpr std::uint64_t kSuperBlockRows = std::uint64_t{1} << 20;

class SuperBlocks {
 public:
  /// `block_rows` is another number in tests only.
  explicit SuperBlocks(std::uint64_t rows, std::uint64_t block_rows = kSuperBlockRows)
      : rows_(rows), block_rows_(block_rows) {}

  [[nodiscard]] std::uint64_t count() const noexcept {
    return rows_ / block_rows_ + static_cast<std::uint64_t>(rows_ % block_rows_ != 0);
  }
  [[nodiscard]] std::uint64_t first_row(std::uint64_t block) const noexcept {
    return block * block_rows_ < rows_ ? block * block_rows_ : rows_;
  }
  [[nodiscard]] std::uint64_t rows(std::uint64_t block) const noexcept {
    return first_row(block + 1) - first_row(block);
  }

  /// Positions of a stream that a node of the tree has to itself, as a power of two.
  static constexpr unsigned kNodeBits = 16;

  /// How many of the `draws` draws of a replicate fall into a super-block.
  [[nodiscard]] std::uint64_t draws(std::uint64_t seed, std::uint64_t replicate,
                                    std::uint64_t draws, std::uint64_t block) const {
    return this->draws(seed, replicate, draws, block,
                       [this](std::uint64_t first, std::uint64_t middle, std::uint64_t last) {
                         return static_cast<double>(first_row(middle) - first_row(first)) /
                                static_cast<double>(first_row(last) - first_row(first));
                       });
  }

  /// The same where share(first, middle, last) of the draws of the super-blocks first .. last - 1
  /// are expected in first .. middle - 1.
  template <class Share>
  [[nodiscard]] std::uint64_t draws(std::uint64_t seed, std::uint64_t replicate,
                                    std::uint64_t draws, std::uint64_t block, Share&& share) const {
    std::uint64_t first = 0;
    std::uint64_t last = count();
    while (last - first > 1) {
      const std::uint64_t middle = first + (last - first) / 2;
      random::Stream stream({seed, replicate, random::Purpose::split}, middle << kNodeBits);
      const std::uint64_t below = random::binomial(stream, draws, share(first, middle, last));
      if (block < middle) {
        draws = below;
        last = middle;
      } else {
        draws -= below;
        first = middle;
      }
    }
    return draws;
  }

 private:
  std::uint64_t rows_;
  std::uint64_t block_rows_;
};

}  // namespace bootfold::resample
