// Rounding to integers (half to even) and splitting those into signed digits loses nothing, at
// every SIMD level and length.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "bootfold/random.h"
#include "study/simd/kernels.h"

namespace bootfold::study::simd {
namespace fixed_point_test {

constexpr std::size_t kLengths[] = {0,  1,  2,  3,   7,   8,   9,    15,   16,  17,
                                    63, 64, 65, 127, 128, 129, 4095, 4096, 4097};
constexpr std::size_t kMostDigits = 7;

/// 0x7F7F...: the largest number of so many digits; the smallest is -0x8080...
std::int64_t largest(std::size_t digits) {
  std::int64_t value = 0;
  for (std::size_t d = 0; d < digits; ++d) value = value * 256 + 127;
  return value;
}
std::int64_t smallest(std::size_t digits) {
  std::int64_t value = 0;
  for (std::size_t d = 0; d < digits; ++d) value = value * 256 - 128;
  return value;
}

std::int64_t rounded(double value, const FixedPoint& point) {
  return std::llrint((value - point.centre) * point.scale * point.rescale);
}

class FixedPoints : public testing::TestWithParam<execution::Level> {
 protected:
  static void expect_rounded(const std::vector<double>& values, const FixedPoint& point = {}) {
    std::vector<std::int64_t> found(values.size() + 1, 77);
    kernels(GetParam()).quantize(values.data(), values.size(), point, found.data());
    ASSERT_EQ(std::fegetround(), FE_TONEAREST);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(found[i], rounded(values[i], point)) << "value " << values[i];
    ASSERT_EQ(found.back(), 77) << "wrote behind the integers";
  }
};

TEST_P(FixedPoints, RoundHalfToEven) {
  std::vector<double> values = {0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994};
  // Around the seam of the two steps of 28 bits, and wherever a double still has a half.
  for (const double base : {0x1p26, 0x1p27, 0x1p28, 3 * 0x1p27, 5 * 0x1p27, 0x1p40, 0x1p50, 0x1p51})
    for (const double more : {-2.5, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.5, 2.5})
      for (const double sign : {-1, 1}) values.push_back(sign * (base + more));
  expect_rounded(values);
}

TEST_P(FixedPoints, HoldTheLargestIntegersOfEveryNumberOfDigits) {
  std::vector<double> values;
  for (std::size_t digits = 1; digits <= kMostDigits; ++digits)
    for (const double off : {-1.0, 0.0, 1.0}) {
      values.push_back(static_cast<double>(largest(digits)) + off);
      values.push_back(-static_cast<double>(largest(digits)) + off);
    }
  values.push_back(0x1p55);
  values.push_back(-0x1p55);
  values.push_back(std::nextafter(0x1p55, 0));
  expect_rounded(values);
}

TEST_P(FixedPoints, AreTheRoundedProductsAtEveryLengthAndSize) {
  random::Stream stream({.seed = 20});
  for (const std::size_t rows : kLengths)
    for (const int bits : {1, 20, 27, 28, 29, 40, 52, 54}) {
      std::vector<double> values(rows);
      for (double& value : values) value = std::ldexp(2 * random::uniform(stream) - 1, bits) + 1e6;
      expect_rounded(values, {1e6, 1, 1});
      expect_rounded(values, {1e6, 0.25, 0.5});
    }
}

TEST_P(FixedPoints, ReachDenormalsAndHugeNumbersByTwoFactors) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  expect_rounded({tiny, -tiny, 3 * tiny, 1000 * tiny, std::numeric_limits<double>::min()},
                 {0, 0x1p537, 0x1p537});
  expect_rounded({1e300, -1e300, 1.5e300, 1}, {0, 0x1p-474, 0x1p-474});
}

TEST_P(FixedPoints, AreRecombinedFromTheirDigits) {
  random::Stream stream({.seed = 20});
  for (std::size_t digits = 1; digits <= kMostDigits; ++digits) {
    const std::int64_t high = largest(digits);
    const std::int64_t low = smallest(digits);
    const auto values = static_cast<std::uint64_t>(high - low) + 1;
    for (const std::size_t rows : kLengths) {
      std::vector<std::int64_t> integers(rows);
      for (auto& integer : integers)
        integer = low + static_cast<std::int64_t>(random::uniform_index(stream, values));
      const std::int64_t extremes[] = {high, low, 0, -1, 1, -high, high - 1, low + 1, 127, -128};
      for (std::size_t i = 0; i < std::min(rows, std::size(extremes)); ++i)
        integers[i] = extremes[i];
      const std::size_t stride = rows + 5;
      std::vector<std::int8_t> planes(digits * stride + 1, 77);
      kernels(GetParam()).split(integers.data(), rows, digits, planes.data(), stride);
      for (std::size_t i = 0; i < rows; ++i) {
        std::int64_t joined = 0;
        for (std::size_t d = digits; d-- > 0;) joined = joined * 256 + planes[d * stride + i];
        ASSERT_EQ(joined, integers[i]) << digits << " digits, " << rows << " rows";
      }
      for (std::size_t d = 0; d < digits; ++d)
        for (std::size_t i = rows; i < stride; ++i)
          ASSERT_EQ(planes[d * stride + i], 77) << "wrote behind the rows";
      ASSERT_EQ(planes.back(), 77);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, FixedPoints, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace fixed_point_test
}  // namespace bootfold::study::simd
