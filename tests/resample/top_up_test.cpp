// The rows of a top-up: uniform, in an order that no chunk or SIMD level changes, with the draws
// that would be unfair made again.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "bootfold/execution.h"
#include "random/lane_states.h"
#include "random/theory.h"
#include "resample/counts.h"
#include "resample/rows.h"

namespace bootfold::resample {
namespace top_up_test {

using theory::kAlarm;

constexpr Attempt kAttempt{20, 41, 2};
constexpr std::uint64_t kThreeQuarters = std::uint64_t{3} << 62;  // of all 64-bit words

std::vector<std::uint64_t> drawn(std::uint64_t rows, std::size_t size, std::size_t at_once,
                                 execution::Level level) {
  TopUp top_up(level, kAttempt, rows,
               random::simd::lane_state(kAttempt.stream(random::Purpose::counts), 0));
  std::vector<std::uint64_t> found(size);
  for (std::size_t first = 0; first < size; first += at_once)
    top_up.draw(std::span(found).subspan(first, std::min(at_once, size - first)));
  return found;
}

/// The definition for one block: 32 bits a draw, the low half of a lane before its high half.
std::vector<std::uint64_t> expected_short(std::uint64_t rows, std::size_t size,
                                          std::size_t& rejected) {
  random::Lanes lanes(kAttempt.stream(random::Purpose::counts), 0);
  const auto draw = row_draw(static_cast<std::uint32_t>(rows));
  const auto retry = kAttempt.stream(random::Purpose::top_up_retry);
  std::vector<std::uint64_t> found;
  rejected = 0;
  while (found.size() < size)
    for (const std::uint64_t word : lanes())
      for (const std::uint64_t bits : {word & 0xFFFFFFFFU, word >> 32}) {
        const std::uint64_t product = bits * rows;
        const bool fair = (product & 0xFFFFFFFFU) >= (std::uint64_t{1} << 32) % rows;
        rejected += static_cast<std::size_t>(!fair);
        found.push_back(fair ? product >> 32
                             : redraw(retry, static_cast<std::uint32_t>(found.size()), draw));
      }
  found.resize(size);
  return found;
}

// 65175 rows reject more draws than any other number in one block: 15 of a million.
TEST(TopUp, OfOneBlockKeepsToItsDefinitionHoweverItIsCut) {
  constexpr std::size_t kSize = 1'000'003;
  std::size_t rejected = 0;
  for (const std::uint64_t rows : {1, 3, 255, 1000, 65'175, 65'536}) {
    const auto expected = expected_short(rows, kSize, rejected);
    if (rows == 65'175) {
      EXPECT_GT(rejected, 3U);
    }
    for (const auto level : execution::available_levels())
      for (const std::size_t at_once : {16, 48, 2048, 4096, 4112, 2'000'000})
        ASSERT_EQ(drawn(rows, kSize, at_once, level), expected)
            << execution::name(level) << ", " << rows << " rows, " << at_once << " at once";
  }
}

TEST(TopUp, OfManyBlocksIsTheSameHoweverItIsCut) {
  constexpr std::size_t kSize = 20'003;
  for (const std::uint64_t rows : {std::uint64_t{65'537}, std::uint64_t{1} << 40, kThreeQuarters}) {
    const auto expected = drawn(rows, kSize, kSize, execution::Level::portable);
    for (const auto level : execution::available_levels())
      for (const std::size_t at_once : {16, 48, 2048, 4096, 20'000})
        ASSERT_EQ(drawn(rows, kSize, at_once, level), expected)
            << execution::name(level) << ", " << rows << " rows, " << at_once << " at once";
  }
}

// Of 3 * 2^62 rows a quarter of the draws is rejected; made again without bias, all residues and
// all ranges are equally likely. Two chi-squares share one alarm of 1e-6.
TEST(TopUp, OfManyBlocksIsUniformThoughDrawsAreRejected) {
  std::vector<std::uint64_t> residues(3);
  std::vector<std::uint64_t> ranges(96);
  for (const std::uint64_t row :
       drawn(kThreeQuarters, 300'000, 4096, execution::available_levels().back())) {
    ASSERT_LT(row, kThreeQuarters);
    ++residues[row % 3];
    ++ranges[row >> 57];
  }
  EXPECT_TRUE(theory::follows_uniform(residues, kAlarm / 2));
  EXPECT_TRUE(theory::follows_uniform(ranges, kAlarm / 2));
}

// Chi-square over all rows; four chi-squares share one alarm of 1e-6.
TEST(TopUp, DrawsEveryRowEquallyOften) {
  for (const std::uint64_t rows : {3, 1000, 6553, 70'000}) {
    std::vector<std::uint64_t> seen(rows);
    for (const std::uint64_t row :
         drawn(rows, 3'000'000, 4096, execution::available_levels().back()))
      ++seen.at(row);
    EXPECT_TRUE(theory::follows_uniform(seen, kAlarm / 4)) << rows << " rows";
  }
}

}  // namespace top_up_test
}  // namespace bootfold::resample
