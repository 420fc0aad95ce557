// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011) and the lanes of sfc64 (Doty-Humphrey 2010)
// that it seeds.
#include <bit>
#include <cstring>

#include "bootfold/random.h"
#include "random/counter.h"

namespace bootfold::random {

std::array<std::uint32_t, 4> block(const StreamId& stream, std::uint64_t position) noexcept {
  const simd::Counter start = counter(stream, position);
  std::array<std::uint32_t, 4> c = {start.word[0], start.word[1], start.word[2], start.word[3]};
  std::uint32_t key0 = start.key[0];
  std::uint32_t key1 = start.key[1];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return c;
}

Stream::result_type Stream::next_block() noexcept {
  const auto words = block(id_, position_++);
  spare_ = std::uint64_t{words[3]} << 32 | words[2];
  has_spare_ = true;
  return std::uint64_t{words[1]} << 32 | words[0];
}

Lanes::Lanes(const StreamId& id, std::uint64_t number) noexcept {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const auto even = block(id, number * 16 + 2 * lane);
    const auto odd = block(id, number * 16 + 2 * lane + 1);
    for (std::size_t word = 0; word < 4; ++word)
      state_[word][lane] = std::uint64_t{odd[word]} << 32 | even[word];
  }
}

std::array<std::uint64_t, Lanes::kLanes> Lanes::operator()() noexcept {
  std::array<std::uint64_t, kLanes> words;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t a = state_[0][lane];
    const std::uint64_t b = state_[1][lane];
    const std::uint64_t c = state_[2][lane];
    words[lane] = a + b + state_[3][lane]++;
    state_[0][lane] = b ^ (b >> 11);
    state_[1][lane] = c + (c << 3);
    state_[2][lane] = std::rotl(c, 24) + words[lane];
  }
  return words;
}

}  // namespace bootfold::random
