#include "numeric/elementary.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace bootfold::numeric {

namespace {

// log(2) in two parts: the first has 32 bits, so that its products with exponents are exact.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

std::uint64_t bits_of(double x) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double from_bits(std::uint64_t bits) noexcept {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// atanh(s) / s - 1 for |s| < 0.1716, given s^2.
double atanh_series(double square) noexcept {
  // A table, because g++ -O2 would divide in every step.
  constexpr std::array kCoefficients = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                        1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  double series = 1.0 / 23;
  for (const double coefficient : kCoefficients) series = series * square + coefficient;
  return series * square;
}

/// What Stirling's formula leaves out for 1 to 15.
constexpr std::array<double, 16> kStirling = {
    0,
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
};

}  // namespace

double log(double x) noexcept {
  // x = 2^exponent m with m from sqrt(1/2) to sqrt(2). In integers, because which half the mantissa
  // lies in is random, and a branch would be guessed wrong half of the time.
  constexpr std::uint64_t kMantissa = 0xFFFFFFFFFFFFFU;
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t mantissa = bits & kMantissa;
  const auto above = static_cast<std::uint64_t>(mantissa > 0x6a09e667f3bcdU);  // of sqrt(2)
  const int exponent = static_cast<int>((bits >> 52) + above) - 1023;
  const double m = from_bits(mantissa | (0x3FFU - above) << 52);
  // log(m) = 2 atanh(s) = f - s f + 2 s (atanh(s) / s - 1), with f = m - 1 without error.
  const double f = m - 1;
  const double s = f / (2 + f);
  const double tail = 2 * s * atanh_series(s * s) - s * f;
  const auto e = static_cast<double>(exponent);
  return e * kLog2High + (f + (tail + e * kLog2Low));
}

double log1p_minus(double x) noexcept {
  if (x < -0.25 || x > 0.35) return log(1 + x) - x;
  const double s = x / (2 + x);
  return 2 * s * atanh_series(s * s) - s * x;
}

double exp(double x) noexcept {
  const double n = std::floor(x * 0x1.71547652b82fep0 + 0.5);
  const double r = (x - n * kLog2High) - n * kLog2Low;  // |r| < 0.347
  double sum = 1;
  for (int k = 14; k >= 1; --k) sum = sum * r / k + 1;
  const auto exponent = static_cast<std::int64_t>(n) + 1023;
  return sum * from_bits(static_cast<std::uint64_t>(exponent) << 52);
}

double expm1(double x) noexcept {
  if (x < -0.35 || x > 0.35) return exp(x) - 1;
  double sum = 1;
  for (int k = 14; k >= 2; --k) sum = sum * x / k + 1;
  return sum * x;
}

SineCosine sine_cosine_of_turns(double turns) noexcept {
  // Whole turns and the nearest quarter are subtracted without error.
  const double part = turns - std::trunc(turns);
  const double quarter = std::floor(4 * part + 0.5);                    // from -4 to 4
  const double angle = (part - 0.25 * quarter) * 0x1.921fb54442d18p+2;  // 2 pi; at most pi / 4
  const double square = angle * angle;
  // Taylor's series to the 17th and 18th power. A table, because g++ -O2 would divide in every
  // step.
  constexpr std::array kSine = {1.0 / 272, 1.0 / 210, 1.0 / 156, 1.0 / 110,
                                1.0 / 72,  1.0 / 42,  1.0 / 20,  1.0 / 6};
  constexpr std::array kCosine = {1.0 / 306, 1.0 / 240, 1.0 / 182, 1.0 / 132, 1.0 / 90,
                                  1.0 / 56,  1.0 / 30,  1.0 / 12,  1.0 / 2};
  double sine = 1;
  for (const double factor : kSine) sine = 1 - sine * square * factor;
  sine *= angle;
  double cosine = 1;
  for (const double factor : kCosine) cosine = 1 - cosine * square * factor;
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

double stirling_error(double n) noexcept {
  if (n < 15.5) return kStirling[static_cast<std::size_t>(n)];
  const double square = n * n;
  double sum = 1.0 / 156;
  sum = 691.0 / 360360 - sum / square;
  sum = 1.0 / 1188 - sum / square;
  sum = 1.0 / 1680 - sum / square;
  sum = 1.0 / 1260 - sum / square;
  sum = 1.0 / 360 - sum / square;
  sum = 1.0 / 12 - sum / square;
  return sum / n;
}

double deviance(double x, double mean, double difference) noexcept {
  if (x == 0) return mean;
  // With e = difference / mean: mean ((1 + e) log(1 + e) - e).
  const double e = difference / mean;
  return mean * (e * e + (1 + e) * log1p_minus(e));
}

}  // namespace bootfold::numeric
