// Logarithms and exponentials of our own against 50 digits.
#include "numeric/elementary.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "bootfold/random.h"

namespace bootfold::numeric {
namespace elementary_test {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// |found - exact| in units in the last place of the exact value.
double error_in_ulps(double found, const Wide& exact) {
  const auto near = static_cast<double>(exact);
  if (near == 0) return found == 0 ? 0 : 1e300;
  const double ulp = std::nextafter(std::abs(near), 1e308) - std::abs(near);
  return static_cast<double>(abs(Wide(found) - exact) / ulp);
}

/// The largest error over the arguments, which are told if it is above `most`.
void expect_right(const char* name, const std::vector<double>& arguments,
                  double (*function)(double), const std::function<Wide(const Wide&)>& exact,
                  double most) {
  for (const double x : arguments)
    ASSERT_LE(error_in_ulps(function(x), exact(Wide(x))), most) << name << " of " << x;
}

std::vector<double> uniforms(double low, double high, std::uint64_t seed) {
  random::Stream stream({.seed = seed});
  std::vector<double> found;
  for (int i = 0; i < 20'000; ++i) found.push_back(low + (high - low) * random::uniform(stream));
  return found;
}

TEST(Elementary, LogIsRight) {
  std::vector<double> arguments = uniforms(0, 1, 1);
  for (const double x : uniforms(0.5, 2, 2)) arguments.push_back(x);
  for (int e = -1000; e <= 1000; e += 7) arguments.push_back(std::ldexp(1.37, e));
  arguments.insert(arguments.end(), {1, 1 + 0x1p-52, 1 - 0x1p-53, 0x1p-53, 0x1.6a09e667f3bcdp0});
  expect_right(
      "log", arguments, log, [](const Wide& x) { return Wide(log(x)); }, 1.5);
}

TEST(Elementary, Log1pMinusIsRight) {
  std::vector<double> arguments = uniforms(-0.99, 3, 1);
  for (int e = -60; e < 0; ++e) {
    arguments.push_back(std::ldexp(1.37, e));
    arguments.push_back(-std::ldexp(1.37, e) / 2);
  }
  expect_right(
      "log1p_minus", arguments, log1p_minus, [](const Wide& x) { return Wide(log(1 + x) - x); },
      12);
}

TEST(Elementary, ExponentialsAreRight) {
  std::vector<double> arguments = uniforms(-690, 690, 1);
  for (const double x : uniforms(-1, 1, 2)) arguments.push_back(x);
  expect_right(
      "exp", arguments, exp, [](const Wide& x) { return Wide(exp(x)); }, 3);
  for (int e = -60; e < 0; ++e) arguments.push_back(std::ldexp(1.37, e));
  expect_right(
      "expm1", arguments, expm1, [](const Wide& x) { return Wide(exp(x) - 1); }, 6);
}

TEST(Elementary, SineAndCosineOfTurnsAreRight) {
  std::vector<double> arguments = uniforms(-1, 1, 1);
  for (const double x : uniforms(-1e6, 1e6, 2)) arguments.push_back(x);
  for (int e = -60; e < 50; ++e) arguments.push_back(std::ldexp(1.37, e));
  std::erase_if(arguments, [](double x) { return 4 * x == std::floor(4 * x); });  // exact below
  const Wide two_pi = 8 * atan(Wide(1));
  const auto turn = [&](const Wide& x) { return Wide(two_pi * (x - trunc(x))); };
  // Near multiples of a quarter turn they have all digits too, but for those of pi.
  expect_right(
      "sine", arguments, [](double x) { return sine_cosine_of_turns(x).sine; },
      [&](const Wide& x) { return Wide(sin(turn(x))); }, 4);
  expect_right(
      "cosine", arguments, [](double x) { return sine_cosine_of_turns(x).cosine; },
      [&](const Wide& x) { return Wide(cos(turn(x))); }, 4);
  constexpr double kSines[] = {0, 1, 0, -1};
  for (int quarter = -9; quarter <= 9; ++quarter) {
    const auto [sine, cosine] = sine_cosine_of_turns(1e6 + 0.25 * quarter);
    EXPECT_EQ(sine, kSines[quarter & 3]) << quarter;
    EXPECT_EQ(cosine, kSines[(quarter + 1) & 3]) << quarter;
  }
  EXPECT_EQ(sine_cosine_of_turns(1.7e308).sine, 0.0);
}

TEST(Elementary, StirlingsErrorIsRight) {
  Wide factorial = 1;
  const Wide two_pi = 8 * atan(Wide(1));
  for (int n = 1; n <= 100; ++n) {
    factorial *= n;
    const Wide exact = log(factorial) - log(two_pi * n) / 2 - n * (log(Wide(n)) - 1);
    EXPECT_LE(error_in_ulps(stirling_error(n), exact), 3) << n;
  }
}

// Up to counts so large that x log(x / mean) has no digits left after what is subtracted from it.
TEST(Elementary, DevianceIsRight) {
  for (const double mean : {0.5, 10.0, 1e6, 1e12, 1e15})
    for (const double z : {-3.0, -1.0, -0.01, 0.01, 0.5, 2.0, 8.0}) {
      const double x = std::round(mean + z * std::sqrt(mean));
      if (x <= 0 || x == mean) continue;
      const Wide exact = Wide(x) * log(Wide(x) / mean) + mean - x;
      EXPECT_LE(error_in_ulps(deviance(x, mean, x - mean), exact), 40) << x << " of " << mean;
    }
  EXPECT_EQ(deviance(0, 3, -3), 3);
}

}  // namespace elementary_test
}  // namespace bootfold::numeric
