// Sums of doubles in 128 bits: against exact sums, in every order, and at the ends of the range.
#include "numeric/wide_fixed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "numeric/exact_sum.h"

namespace bootfold {
namespace wide_fixed_test {

using numeric::WideFixed;

// Values within 2^-33 of the largest are multiples of the unit, so the sum is the exact one.
TEST(WideFixed, SumIsExactUnlessValuesDifferByManyBits) {
  std::mt19937_64 words(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(10'000);
  for (double& value : values) value = std::ldexp(normal(words), static_cast<int>(words() % 24));
  double largest = 0;
  numeric::ExactSum exact;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
    exact.add(value);
  }
  const WideFixed fixed(largest, values.size());
  __int128 sum = 0;
  for (const double value : values) sum += fixed(value);
  EXPECT_EQ(fixed.value(sum), exact.value());
}

TEST(WideFixed, SmallValuesAreRoundedToTheNearestUnit) {
  const WideFixed fixed(1, 1);  // the unit is 2^-124
  const double unit = fixed.value(1);
  for (const double multiple : {0.0, 0.49, 0.5, 0.51, 1.0, 1.49, 1.5, 1e15, 1e15 + 0.5}) {
    const auto wanted = static_cast<__int128>(std::floor(multiple + 0.5));
    EXPECT_EQ(fixed(multiple * unit), wanted) << multiple;
    EXPECT_EQ(fixed(-multiple * unit), -wanted) << multiple;
  }
  EXPECT_EQ(fixed(std::numeric_limits<double>::denorm_min()), 0);
}

TEST(WideFixed, HoldsTheLargestAndTheSmallestDoubles) {
  for (const double largest : {std::numeric_limits<double>::max(), 1e300, 1.0, 1e-300,
                               std::numeric_limits<double>::denorm_min()}) {
    const WideFixed fixed(largest, std::uint64_t{1} << 40);
    for (const double value : {largest, -largest, largest / 2, largest / 4096})
      EXPECT_EQ(fixed.value(fixed(value)), value) << largest << ' ' << value;
  }
}

// As many values as were announced, all of them the largest: the sum does not overflow.
TEST(WideFixed, SumOfTheLargestFits) {
  const double largest = std::nextafter(2.0, 0.0);
  const std::uint64_t count = (std::uint64_t{1} << 40) - 1;
  const WideFixed fixed(largest, count);
  const __int128 sum = fixed(largest) * static_cast<__int128>(count);
  EXPECT_GT(sum, 0);
  EXPECT_NEAR(fixed.value(sum) / (largest * static_cast<double>(count)), 1, 1e-15);
}

}  // namespace wide_fixed_test
}  // namespace bootfold
