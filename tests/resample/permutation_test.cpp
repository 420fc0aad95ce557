// The shuffle without storage is a bijection. Over its keys single positions are uniform, and from
// 17 positions on so are pairs. Each law test raises a false alarm once in a million seeds; the
// seeds are fixed.
#include "resample/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "random/theory.h"

namespace bootfold::resample {
namespace permutation_test {

std::vector<std::uint64_t> order_of(std::uint64_t size, std::uint64_t key) {
  const Permutation permutation(size, key);
  std::vector<std::uint64_t> order(size);
  for (std::uint64_t position = 0; position < size; ++position)
    order[position] = permutation(position);
  return order;
}

TEST(Permutation, TakesEveryPositionOnce) {
  std::vector<std::uint64_t> sizes(130);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {255, 256, 257, 1000, 4095, 4096, 4097, 65'537});
  for (const std::uint64_t size : sizes)
    for (const std::uint64_t key : {0U, 1U, 7U, 4'000'000'000U}) {
      SCOPED_TRACE(testing::Message() << "size " << size << ", key " << key);
      std::vector<std::uint64_t> order = order_of(size, key);
      std::sort(order.begin(), order.end());
      for (std::uint64_t position = 0; position < size; ++position)
        ASSERT_EQ(order[position], position);
    }
}

TEST(Permutation, StaysInRangeAtLargeSizes) {
  for (const int bits : {40, 53, 61, 62}) {
    const std::uint64_t size = (std::uint64_t{1} << bits) - (bits == 62 ? 0 : 3);
    const Permutation permutation(size, 5);
    std::map<std::uint64_t, std::uint64_t> position_of;
    for (std::uint64_t step = 0; step < 1000; ++step) {
      const std::uint64_t position = step % 2 == 0 ? step : size - 1 - step;
      const std::uint64_t image = permutation(position);
      ASSERT_LT(image, size);
      ASSERT_TRUE(position_of.emplace(image, position).second) << "two positions have one image";
    }
  }
}

// Where one position goes, for sizes that fill their bits and sizes that do not. Ten chi-squares
// share one alarm.
TEST(Permutation, TakesOnePositionAnywhereWithTheSameProbability) {
  const std::uint64_t keys = 20'000 * theory::effort();
  for (const std::uint64_t size : {2U, 3U, 16U, 100U, 300U})
    for (const std::uint64_t position : {std::uint64_t{0}, size - 1}) {
      SCOPED_TRACE(testing::Message() << "size " << size << ", position " << position);
      std::vector<std::uint64_t> seen(size);
      for (std::uint64_t key = 0; key < keys; ++key) ++seen[Permutation(size, key)(position)];
      const std::vector<double> law(size, 1.0 / static_cast<double>(size));
      EXPECT_TRUE(theory::follows(seen, law, theory::kAlarm / 10));
    }
}

/// Chi-square of the images of the neighbours 1 and 2 over all ordered pairs, for `keys` keys.
double pair_chi_square(std::uint64_t size, std::uint64_t keys) {
  std::vector<double> seen(size * size);
  for (std::uint64_t key = 0; key < keys; ++key) {
    const Permutation permutation(size, key);
    ++seen[permutation(1) * size + permutation(2)];
  }
  const double expected = static_cast<double>(keys) / static_cast<double>(size * (size - 1));
  double chi_square = 0;
  for (std::uint64_t first = 0; first < size; ++first)
    for (std::uint64_t second = 0; second < size; ++second) {
      const double excess = seen[first * size + second] - expected;
      if (first != second) chi_square += excess * excess / expected;
    }
  return chi_square;
}

// Of stored tables and of networks. Four chi-squares share one alarm.
TEST(Permutation, TakesTwoPositionsAnywhereWithTheSameProbability) {
  for (const std::uint64_t size : {5U, 17U, 40U, 257U}) {
    SCOPED_TRACE(testing::Message() << "size " << size);
    const double freedom = static_cast<double>(size * (size - 1) - 1);
    EXPECT_TRUE(theory::is_chi_square(pair_chi_square(size, 40'000 * theory::effort()), freedom,
                                      theory::kAlarm / 4));
  }
}

// Every order of four positions.
TEST(Permutation, TakesFourPositionsToEveryOrderEquallyOften) {
  std::vector<std::uint64_t> seen(256);
  for (std::uint64_t key = 0; key < 60'000 * theory::effort(); ++key) {
    const Permutation permutation(4, key);
    std::size_t order = 0;
    for (std::uint64_t position = 0; position < 4; ++position)
      order = order * 4 + permutation(position);
    ++seen[order];
  }
  std::erase(seen, 0U);  // not an order
  ASSERT_EQ(seen.size(), 24U);
  EXPECT_TRUE(theory::follows_uniform(seen));
}

// Within one key: where a position goes says nothing of where the next one goes. The margins of
// the table are fixed, which leaves (16 - 1)^2 degrees of freedom.
TEST(Permutation, TakesNeighboursToPlacesThatAreUnrelated) {
  constexpr std::uint64_t kCells = 16;
  constexpr std::uint64_t kSize = 160'000;
  const std::vector<std::uint64_t> order = order_of(kSize, 3);
  std::array<double, kCells * kCells> seen{};
  for (std::uint64_t position = 0; position < kSize; ++position) {
    const std::uint64_t next = order[(position + 1) % kSize];
    ++seen[order[position] * kCells / kSize * kCells + next * kCells / kSize];
  }
  constexpr double kExpected = static_cast<double>(kSize) / (kCells * kCells);
  double chi_square = 0;
  for (const double count : seen)
    chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_TRUE(theory::is_chi_square(chi_square, (kCells - 1) * (kCells - 1)));
}

}  // namespace permutation_test
}  // namespace bootfold::resample
