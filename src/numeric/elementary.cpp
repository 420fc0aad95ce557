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
  double series = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) series = series * square + 1.0 / k;
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
  const std::uint64_t bits = bits_of(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = from_bits((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U);
  if (m > 0x1.6a09e667f3bcdp0) {  // sqrt(2)
    m *= 0.5;
    ++exponent;
  }
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
