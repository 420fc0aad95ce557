// Row numbers without bias, and uniforms inside (0, 1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "random/theory.h"

namespace bootfold::random {
namespace uniform_test {

using theory::kAlarm;

constexpr std::uint64_t kThreeQuarters = std::uint64_t{3} << 62;  // of all words
constexpr std::uint64_t kJustAboveHalf = (std::uint64_t{1} << 63) + 1;

/// How many words `stream` has given, found by looking its next word up.
std::size_t words_used(Stream stream, const StreamId& id) {
  Stream all(id);
  const std::uint64_t next = stream();
  std::size_t used = 0;
  while (all() != next) ++used;
  return used;
}

TEST(UniformIndex, OfOneRowIsThatRow) {
  Stream stream({.seed = 7});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(uniform_index(stream, 1), 0U);
}

TEST(UniformIndex, OfNoRowIsAnError) {
  Stream stream({.seed = 7});
  EXPECT_THAT([&] { static_cast<void>(uniform_index(stream, 0)); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("bound is 0 but must be at least 1: there is no row to draw")));
}

// Chi-square over all rows; ten bounds share one alarm of 1e-6.
TEST(UniformIndex, DrawsEveryRowEquallyOften) {
  for (const std::uint64_t bound : {2, 3, 5, 6, 7, 10, 100, 641, 1000, 4097}) {
    SCOPED_TRACE(testing::Message() << "bound " << bound);
    Stream stream({.seed = 7, .replicate = bound});
    std::vector<std::uint64_t> seen(bound);
    for (std::uint64_t i = 0; i < 300'000 * theory::effort(); ++i)
      ++seen.at(uniform_index(stream, bound));
    EXPECT_TRUE(theory::follows_uniform(seen, kAlarm / 10));
  }
}

// Without rejection, every third row of 3 * 2^62 would come twice as often as the others.
TEST(UniformIndex, RejectsWhatWouldMakeSomeRowsLikelier) {
  Stream stream({.seed = 7});
  std::vector<std::uint64_t> residues(3);
  std::vector<std::uint64_t> ranges(96);
  for (int i = 0; i < 300'000; ++i) {
    const std::uint64_t row = uniform_index(stream, kThreeQuarters);
    ASSERT_LT(row, kThreeQuarters);
    ++residues[row % 3];
    ++ranges[row >> 57];
  }
  EXPECT_TRUE(theory::follows_uniform(residues, kAlarm / 2));
  EXPECT_TRUE(theory::follows_uniform(ranges, kAlarm / 2));
}

// 2^63 + 1 is the bound that rejects most, just under half of all words. The words needed for
// 100000 draws are negative binomial, as good as normal: mean 200000, deviation sqrt(200000).
TEST(UniformIndex, NeedsTwoWordsADrawInTheWorstCase) {
  const StreamId id{.seed = 7};
  constexpr double kDraws = 100'000;
  Stream stream(id);
  std::vector<std::uint64_t> parities(2);
  std::vector<std::uint64_t> ranges(64);
  for (int i = 0; i < static_cast<int>(kDraws); ++i) {
    const std::uint64_t row = uniform_index(stream, kJustAboveHalf);
    ASSERT_LT(row, kJustAboveHalf);
    ++parities[row & 1];
    ++ranges[std::min<std::uint64_t>(row >> 57, 63)];
  }
  EXPECT_TRUE(theory::is_normal(static_cast<double>(words_used(stream, id)), 2 * kDraws,
                                std::sqrt(2 * kDraws), kAlarm / 3));
  EXPECT_TRUE(theory::follows_uniform(parities, kAlarm / 3));
  EXPECT_TRUE(theory::follows_uniform(ranges, kAlarm / 3));
}

// A power of two divides 2^64: no word is ever rejected.
TEST(UniformIndex, WastesNoWordOnPowersOfTwo) {
  const StreamId id{.seed = 7};
  Stream stream(id);
  for (int bit = 0; bit < 64; ++bit)
    for (int i = 0; i < 100; ++i)
      ASSERT_LT(uniform_index(stream, std::uint64_t{1} << bit), std::uint64_t{1} << bit);
  EXPECT_EQ(words_used(stream, id), 6400U);
}

TEST(Uniform, IsAnOddMultipleOfTwoToTheMinus53) {
  Stream stream({.seed = 7});
  for (int i = 0; i < 100'000; ++i) {
    const double u = uniform(stream);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_EQ(std::fmod(std::ldexp(u, 53), 2.0), 1.0);
  }
}

// Kolmogorov-Smirnov over the whole range and, to see the low bits, over the range below 2^-10 of
// u * 2^20; two comparisons share one alarm of 1e-6.
TEST(Uniform, IsUniform) {
  Stream stream({.seed = 7});
  std::vector<double> draws(300'000);
  std::vector<double> low_bits(draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i] = uniform(stream);
    low_bits[i] = std::fmod(std::ldexp(draws[i], 30), 1.0);
  }
  const auto itself = [](double u) { return u; };
  EXPECT_TRUE(theory::follows_cdf(draws, itself, kAlarm / 2));
  EXPECT_TRUE(theory::follows_cdf(low_bits, itself, kAlarm / 2));
}

}  // namespace uniform_test
}  // namespace bootfold::random
