#include "resample/permutation.h"

#include <bit>
#include <utility>

#include "bootfold/random.h"

namespace bootfold::resample {

Permutation::Permutation(std::uint64_t size, std::uint64_t key) noexcept
    : size_(size),
      half_(static_cast<int>((std::bit_width(size - 1) + 1) / 2)),
      mask_((std::uint64_t{1} << half_) - 1) {
  if (size <= kShortSize) {
    random::Stream stream({.seed = key, .purpose = random::Purpose::permutation, .attempt = 1});
    for (std::uint64_t i = 0; i < size; ++i) short_[i] = static_cast<std::uint8_t>(i);
    for (std::uint64_t i = size; i > 1; --i)
      std::swap(short_[i - 1], short_[random::uniform_index(stream, i)]);
    return;
  }
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto words = random::block({.seed = key, .purpose = random::Purpose::permutation}, round);
    keys_[round] = std::uint64_t{words[1]} << 32 | words[0];
  }
}

}  // namespace bootfold::resample
