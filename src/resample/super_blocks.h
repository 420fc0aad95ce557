// Rows in super-blocks, each of which makes its own counts.
//
// How many of the draws fall into each super-block is multinomial. It is drawn by a binary tree of
// binomials, whose nodes have streams of their own: the holder of one super-block needs the nodes
// above it and nothing else.
#pragma once

#include <cstdint>

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

  /// How many of the `draws` draws of a replicate fall into a super-block.
  [[nodiscard]] std::uint64_t draws(std::uint64_t seed, std::uint64_t replicate,
                                    std::uint64_t draws, std::uint64_t block) const;

 private:
  std::uint64_t rows_;
  std::uint64_t block_rows_;
};

}  // namespace bootfold::resample
