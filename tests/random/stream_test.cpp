// Streams are values, differ wherever their names differ, and their bits are fair and unrelated.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "bootfold/random.h"
#include "random/counter.h"
#include "random/lane_access.h"
#include "random/theory.h"

namespace bootfold::random {
namespace stream_test {

using theory::kAlarm;

std::vector<std::uint64_t> words_of(const StreamId& id, std::size_t size) {
  Stream stream(id);
  std::vector<std::uint64_t> words(size);
  for (auto& word : words) word = stream();
  return words;
}

TEST(Stream, GivesTheWordsOfItsBlocksInOrder) {
  const StreamId id{.seed = 7, .replicate = 41, .purpose = Purpose::order, .attempt = 3};
  Stream stream(id);
  for (std::uint64_t position = 0; position < 100; ++position) {
    const auto words = block(id, position);
    EXPECT_EQ(stream(), std::uint64_t{words[1]} << 32 | words[0]);
    EXPECT_EQ(stream(), std::uint64_t{words[3]} << 32 | words[2]);
  }
}

TEST(Stream, IsAValueACopyGoesOnWhereItStood) {
  Stream stream({.seed = 7});
  for (int i = 0; i < 5; ++i) static_cast<void>(stream());
  Stream copy = stream;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(copy(), stream());
}

// Two equal 64-bit words among 131072 unrelated ones: once in two thousand million.
TEST(Stream, SharesNoWordWithAnyStreamOfAnotherName) {
  std::set<std::uint64_t> seen;
  std::size_t words = 0;
  const std::uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   16,
                                   std::uint64_t{1} << 31,
                                   std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 48,
                                   ~std::uint64_t{0}};
  for (const std::uint64_t seed : numbers)
    for (const std::uint64_t replicate : numbers)
      for (const auto purpose : {Purpose::counts, Purpose::tie, Purpose::index, Purpose::user})
        for (const std::uint8_t attempt : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{255}})
          for (const std::uint64_t word : words_of({seed, replicate, purpose, attempt}, 128)) {
            seen.insert(word);
            ++words;
          }
  EXPECT_EQ(seen.size(), words);
}

// All 48 bits of a position and all fields count: no two lead to the same Philox counter.
TEST(Stream, HasACounterOfItsOwnForEveryBitOfItsName) {
  std::set<std::vector<std::uint32_t>> seen;
  std::size_t names = 0;
  const auto add = [&](const StreamId& id, std::uint64_t position) {
    const auto found = counter(id, position);
    seen.insert(
        {found.key[0], found.key[1], found.word[0], found.word[1], found.word[2], found.word[3]});
    ++names;
  };
  const auto none = static_cast<Purpose>(0);
  add({0, 0, none, 0}, 0);
  for (int bit = 0; bit < 64; ++bit) {
    add({std::uint64_t{1} << bit, 0, none, 0}, 0);
    add({0, std::uint64_t{1} << bit, none, 0}, 0);
    if (bit < 48) add({0, 0, none, 0}, std::uint64_t{1} << bit);
    if (bit < 8) add({0, 0, static_cast<Purpose>(1 << bit), 0}, 0);
    if (bit < 8) add({0, 0, none, static_cast<std::uint8_t>(1 << bit)}, 0);
  }
  EXPECT_EQ(seen.size(), names);
}

// The number of equal bits of two unrelated streams is binomial. Seven pairs share one alarm of
// 1e-6.
TEST(Stream, IsUnrelatedToItsNeighbours) {
  constexpr std::size_t kWords = 20'000;
  const StreamId id{.seed = 7, .replicate = 41, .purpose = Purpose::counts, .attempt = 0};
  const auto words = words_of(id, kWords + 1);
  const auto equal_bits = [&](const std::vector<std::uint64_t>& other, std::size_t shift) {
    std::uint64_t equal = 0;
    for (std::size_t i = 0; i < kWords; ++i)
      equal += static_cast<std::uint64_t>(std::popcount(~(words[i + shift] ^ other[i])));
    return equal;
  };
  const auto expect_unrelated = [&](const StreamId& other) {
    EXPECT_TRUE(
        theory::is_binomial(equal_bits(words_of(other, kWords), 0), 64 * kWords, 0.5, kAlarm / 7));
  };
  expect_unrelated({8, 41, Purpose::counts, 0});
  expect_unrelated({7, 42, Purpose::counts, 0});
  expect_unrelated({7, 41, Purpose::tie, 0});
  expect_unrelated({7, 41, Purpose::counts, 1});
  expect_unrelated({41, 7, Purpose::counts, 0});
  expect_unrelated({7 + (std::uint64_t{1} << 32), 41, Purpose::counts, 0});
  EXPECT_TRUE(theory::is_binomial(equal_bits(words, 1), 64 * kWords, 0.5, kAlarm / 7))
      << "successive words";
}

// Ones of each bit of each lane: 512 binomial counts, together a chi-square. Three comparisons
// share one alarm of 1e-6.
TEST(Lanes, HaveFairBitsThatDoNotDependOnEachOther) {
  constexpr std::size_t kDraws = 40'000;
  Lanes lanes({.seed = 7, .replicate = 41, .purpose = Purpose::counts}, 3);
  std::vector<std::uint64_t> ones(512);
  std::vector<std::uint64_t> lane_pairs(64);
  std::vector<std::uint64_t> in_time(8);
  auto before = lanes();
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const auto words = lanes();
    for (std::size_t lane = 0; lane < 8; ++lane) {
      for (std::size_t bit = 0; bit < 64; ++bit) ones[lane * 64 + bit] += words[lane] >> bit & 1;
      in_time[lane] += static_cast<std::uint64_t>(std::popcount(words[lane] ^ before[lane]));
      for (std::size_t other = 0; other < lane; ++other)
        lane_pairs[lane * 8 + other] +=
            static_cast<std::uint64_t>(std::popcount(words[lane] ^ words[other]));
    }
    before = words;
  }
  const auto square = [](std::uint64_t found, double trials) {
    return std::pow(static_cast<double>(found) - trials / 2, 2) / (trials / 4);
  };
  double of_bits = 0;
  for (const std::uint64_t found : ones) of_bits += square(found, kDraws);
  double of_pairs = 0;
  for (std::size_t lane = 0; lane < 8; ++lane)
    for (std::size_t other = 0; other < lane; ++other)
      of_pairs += square(lane_pairs[lane * 8 + other], 64.0 * kDraws);
  double of_time = 0;
  for (const std::uint64_t found : in_time) of_time += square(found, 64.0 * kDraws);
  EXPECT_TRUE(theory::is_chi_square(of_bits, 512, kAlarm / 3));
  EXPECT_TRUE(theory::is_chi_square(of_pairs, 28, kAlarm / 3));
  EXPECT_TRUE(theory::is_chi_square(of_time, 8, kAlarm / 3));
}

TEST(Lanes, OfNeighbouringNumbersOverlapNowhere) {
  const StreamId id{.seed = 7, .replicate = 41, .purpose = Purpose::counts};
  std::set<std::uint64_t> seen;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const Lanes lanes(id, number);
    for (const auto& row : LaneAccess::state(lanes)) seen.insert(std::begin(row), std::end(row));
  }
  EXPECT_EQ(seen.size(), 32'000U);
}

}  // namespace stream_test
}  // namespace bootfold::random
