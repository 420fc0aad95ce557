// A shuffle that stores next to nothing: a keyed bijection of 0 .. size - 1.
#pragma once

#include <array>
#include <cstdint>

namespace bootfold::resample {

/// Up to 256 positions a plain shuffle (Fisher and Yates), whose table is kept: all orders are
/// equally likely. Beyond, a Feistel network of eight rounds over the next even number of bits; a
/// position that falls outside is shuffled again (cycle walking). That is pseudo-random: not all
/// size! orders can come up, but single positions and pairs of them are uniform
/// (tests/resample/permutation_test.cpp).
class Permutation {
 public:
  /// `size` from 1 to 2^62.
  Permutation(std::uint64_t size, std::uint64_t key) noexcept;

  [[nodiscard]] std::uint64_t operator()(std::uint64_t position) const noexcept {
    if (size_ <= kShortSize) return short_[position];
    do position = shuffle(position);
    while (position >= size_);
    return position;
  }

 private:
  static constexpr int kRounds = 8;
  static constexpr std::uint64_t kShortSize = 256;

  [[nodiscard]] std::uint64_t shuffle(std::uint64_t x) const noexcept {
    std::uint64_t left = x >> half_;
    std::uint64_t right = x & mask_;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t mixed = left ^ (mix(right ^ key) & mask_);
      left = right;
      right = mixed;
    }
    return left << half_ | right;
  }

  /// The finaliser of SplitMix64.
  [[nodiscard]] static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  std::uint64_t size_;
  int half_;
  std::uint64_t mask_;
  std::uint64_t keys_[kRounds] = {};
  std::array<std::uint8_t, kShortSize> short_ = {};
};

}  // namespace bootfold::resample
