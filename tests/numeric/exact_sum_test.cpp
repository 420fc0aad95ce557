// Sums without rounding: against integers, against every order, and at the ends of the range.
#include "numeric/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace bootfold {
namespace exact_sum_test {

using numeric::ExactSum;

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Doubles of all sizes: random signs, mantissas and exponents.
std::vector<double> of_all_sizes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::vector<double> values;
  while (values.size() < count) {
    const auto value = std::bit_cast<double>(words());
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

/// The same within a few binades, as data are.
std::vector<double> of_like_size(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = std::pow(normal(words), 3);
  return values;
}

TEST(ExactSum, OfIntegersIsTheirSum) {
  std::mt19937_64 words(3);
  __int128 sum = 0;
  ExactSum exact;
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<std::int64_t>(words()) >> 12;
    sum += value;
    exact.add(static_cast<double>(value));
    ASSERT_EQ(exact.value(), static_cast<double>(sum)) << i;
  }
}

TEST(ExactSum, KeepsWhatCancelsAndWhatIsTiny) {
  ExactSum sum;
  for (const double value : {1e308, 1e308, 1e308, 1.0, 0x1p-1074, -1e308, -1e308, -1e308})
    sum.add(value);
  EXPECT_EQ(sum.value(), 1.0);
  sum.add(-1.0);
  EXPECT_EQ(sum.value(), 0x1p-1074);
  sum.add(-0x1p-1074);
  EXPECT_EQ(sum.value(), 0.0);
  EXPECT_EQ(sum, ExactSum());
}

TEST(ExactSum, RoundsOnceAndToEven) {
  const double ulp = 0x1p-52;
  const auto rounded = [](std::initializer_list<double> values) {
    ExactSum sum;
    for (const double value : values) sum.add(value);
    return sum.value();
  };
  EXPECT_EQ(rounded({1, ulp / 2}), 1);
  EXPECT_EQ(rounded({1, ulp / 2, 0x1p-1074}), 1 + ulp);
  EXPECT_EQ(rounded({1 + ulp, ulp / 2}), 1 + 2 * ulp);
  EXPECT_EQ(rounded({-1, -ulp / 2, -0x1p-1000}), -1 - ulp);
  EXPECT_EQ(rounded({0x1p-1074, 0x1p-1074, 0x1p-1074}), 3 * 0x1p-1074);
  EXPECT_EQ(rounded({std::numeric_limits<double>::max(), std::numeric_limits<double>::max()}),
            std::numeric_limits<double>::infinity());
}

// Any order and any cut into pieces give the same integer, however the pieces were added.
TEST(ExactSum, IsTheSameInAnyOrderAndAnyPieces) {
  std::mt19937_64 words(11);
  for (const bool like : {false, true})
    for (const std::size_t count : {1U, 15U, 16U, 17U, 4095U, 4096U, 4097U, 20000U}) {
      SCOPED_TRACE(testing::Message() << count << (like ? " of like size" : " of all sizes"));
      std::vector<double> values = like ? of_like_size(count, count) : of_all_sizes(count, count);
      ExactSum one_by_one;
      for (const double value : values) one_by_one.add(value);
      ExactSum at_once;
      at_once.add(values, largest(values));
      EXPECT_EQ(at_once, one_by_one);
      EXPECT_EQ(at_once.value(), one_by_one.value());
      std::shuffle(values.begin(), values.end(), words);
      ExactSum merged;
      for (std::size_t first = 0; first < count;) {
        const std::size_t size = std::min<std::size_t>(count - first, words() % 3000);
        const std::vector<double> piece(values.begin() + static_cast<std::ptrdiff_t>(first),
                                        values.begin() + static_cast<std::ptrdiff_t>(first + size));
        ExactSum part;
        part.add(piece, largest(piece));
        merged.merge(part);
        first += size;
      }
      EXPECT_EQ(merged, one_by_one);
    }
}

TEST(ExactSum, CountsWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = of_like_size(5000, 5);
  ExactSum without;
  without.add(values, largest(values));
  values.insert(values.begin() + 17, {kInfinity, std::nan(""), -kInfinity});
  ExactSum sum;
  sum.add(values, 1000);
  EXPECT_EQ(sum.not_finite(), 3U);
  EXPECT_EQ(sum.value(), without.value());
  EXPECT_FALSE(sum == without);
}

}  // namespace exact_sum_test
}  // namespace bootfold
