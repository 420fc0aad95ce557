// Integers of more than seven digits are written in limbs: nothing is lost by rounding into them,
// splitting them, or joining their sums.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <vector>

#include "bootfold/random.h"
#include "study/fixed_point.h"

namespace bootfold::study {
namespace wide_test {

using Whole = boost::multiprecision::cpp_int;

FixedFeature feature_of(std::size_t digits, double farthest) {
  FixedFeature fixed;
  fixed.digits = digits;
  fixed.unit = unit_of(farthest, digits);
  const int half = -fixed.unit / 2;
  fixed.point = {0, std::ldexp(1.0, half), std::ldexp(1.0, -fixed.unit - half)};
  fixed.factor = std::ldexp(1.0, fixed.unit / 2);
  fixed.refactor = std::ldexp(1.0, fixed.unit - fixed.unit / 2);
  return fixed;
}

/// Values of all sizes up to 1, with both signs.
std::vector<double> values_of_all_sizes() {
  random::Stream stream({.seed = 5});
  std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0x1p-100, -0x1p-100};
  for (int exponent = 0; exponent > -240; --exponent)
    for (int i = 0; i < 20; ++i) {
      const double size = std::ldexp(0.5 + random::uniform(stream) / 2, exponent);
      values.push_back(i % 2 == 0 ? size : -size);
    }
  return values;
}

/// Half to even.
Whole rounded(double value, int unit) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const Whole bits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const int shift = exponent - 53 - unit;
  if (shift >= 0) return bits << static_cast<unsigned>(shift);
  if (shift < -60) return 0;
  return Whole(std::llrint(std::ldexp(mantissa, 53 + shift)));
}

Whole joined_exactly(std::span<const std::int64_t> limbs) {
  Whole whole = 0;
  for (std::size_t k = limbs.size(); k-- > 0;) whole = whole * (Whole(1) << 56U) + limbs[k];
  return whole;
}

TEST(WideIntegers, AreTheRoundedValuesInEveryNumberOfDigits) {
  const std::vector<double> values = values_of_all_sizes();
  for (std::size_t digits = 4; digits <= kMostDigits; ++digits) {
    const FixedFeature fixed = feature_of(digits, 1);
    ASSERT_EQ(fixed.limbs(), (digits + 6) / 7);
    std::vector<std::int64_t> integers(fixed.limbs() * values.size());
    for (const execution::Level level : execution::available_levels()) {
      quantize(fixed, values, simd::kernels(level), integers.data(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<std::int64_t> limbs;
        for (std::size_t k = 0; k < fixed.limbs(); ++k) {
          limbs.push_back(integers[k * values.size() + i]);
          // What signed digits can write.
          const std::size_t own = fixed.limb_digits(k);
          ASSERT_LE(limbs.back(), 0x7F7F7F7F7F7F7F >> (8 * (7 - own)));
          ASSERT_GE(limbs.back(), -(0x80808080808080 >> (8 * (7 - own))));
        }
        ASSERT_EQ(joined_exactly(limbs), rounded(values[i], fixed.unit))
            << values[i] << " in " << digits << " digits, " << execution::name(level);
      }
    }
  }
}

// Off by at most four units in the last place, also where huge limbs nearly cancel.
TEST(WideIntegers, SumsAreJoinedToTheNearestDoubles) {
  random::Stream stream({.seed = 6});
  for (std::size_t limbs = 2; limbs <= kMostLimbs; ++limbs)
    for (int i = 0; i < 20'000; ++i) {
      std::vector<__int128> sums(limbs);
      Whole whole = 0;
      for (std::size_t k = limbs; k-- > 0;) {
        const auto bits = static_cast<unsigned>(random::uniform_index(stream, 100));
        __int128 sum = static_cast<__int128>(stream() | 1U) << 32U | (stream() >> 32U);
        sum >>= 100 - bits;
        if ((stream() & 1U) != 0) sum = -sum;
        // Every other time the limb above is undone but for a little.
        if (k + 1 < limbs && i % 2 == 0)
          sum -= sums[k + 1] > (__int128{1} << 60U) ? 0 : sums[k + 1] << 56U;
        sums[k] = sum;
        Whole part = static_cast<std::int64_t>(sum >> 64);
        part = (part << 64U) + static_cast<std::uint64_t>(sum);
        whole = whole * (Whole(1) << 56U) + part;
      }
      const Whole found(joined(sums));  // a double of this size is a whole number
      const Whole error = abs(found - whole);
      ASSERT_LE(error << 51U, abs(whole)) << limbs << " limbs, number " << i;
    }
}

}  // namespace wide_test
}  // namespace bootfold::study
