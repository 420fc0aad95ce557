#include "numeric/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bootfold::numeric {

namespace {

constexpr int kLowest = -1088;  // the weight of the first digit is 2^kLowest
constexpr std::uint64_t kDigitMask = 0xFFFFFFFFU;

/// The numbers are summed in two parts of 40 bits each, so many at a time that a double holds the
/// sum of a part exactly.
constexpr std::size_t kAtOnce = 4096;
constexpr int kPartBits = 40;
constexpr int kSumBits = 12;

}  // namespace

void ExactSum::add(double value) {
  if (!std::isfinite(value)) {
    ++not_finite_;
    return;
  }
  if (value != 0) add_finite(value);
}

void ExactSum::add_finite(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> 52 & 2047U);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  const int place = std::max(biased, 1) - 1075 - kLowest;  // of the lowest bit
  const auto digit = static_cast<std::size_t>(place / 32);
  const int shift = place % 32;
  const auto low = static_cast<std::int64_t>(mantissa << shift & kDigitMask);
  const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
  if ((bits >> 63) != 0) {
    digits_[digit] -= low;
    digits_[digit + 1] -= high;
  } else {
    digits_[digit] += low;
    digits_[digit + 1] += high;
  }
  if (++adds_ == kMostAdds) carry();
}

void ExactSum::add(std::span<const double> values, double largest) {
  // Few numbers, and those near the ends of the range of doubles, go one by one.
  constexpr std::size_t kFew = 16;
  const bool middling = largest > 0x1p-900 && largest < 0x1p900;
  if (values.size() < kFew || !middling) {
    for (const double value : values) add(value);
    return;
  }
  // Adding and subtracting 1.5 * 2^(e + 12) rounds to a multiple of 2^(e - 40), and 4096 such
  // multiples below 2^e add up without rounding. What is left over is below 2^(e - 41) and goes the
  // same way; only numbers that are tiny beside the largest leave a rest after that.
  const int exponent = std::ilogb(largest) + 1;
  const double first = std::ldexp(1.5, exponent + kSumBits);
  const double second = std::ldexp(1.5, exponent - kPartBits - 1 + kSumBits);
  constexpr std::size_t kLanes = 4;
  for (std::size_t begin = 0; begin < values.size(); begin += kAtOnce) {
    const std::span<const double> some =
        values.subspan(begin, std::min(kAtOnce, values.size() - begin));
    std::array<double, kLanes> high{};
    std::array<double, kLanes> low{};
    std::array<double, kLanes> left{};
    std::size_t i = 0;
    for (; i + kLanes <= some.size(); i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double x = some[i + lane];
        const double part = (x + first) - first;
        const double rest = x - part;
        const double next = (rest + second) - second;
        high[lane] += part;
        low[lane] += next;
        left[lane] += std::abs(rest - next);
      }
    for (; i < some.size(); ++i) add(some[i]);
    const double any = (left[0] + left[1]) + (left[2] + left[3]);
    const std::span<const double> summed = some.first(some.size() / kLanes * kLanes);
    if (!std::isfinite(any)) {  // so was some number: one by one
      for (const double x : summed) add(x);
      continue;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      add(high[lane]);
      add(low[lane]);
    }
    if (any == 0) continue;
    for (const double x : summed) {
      const double rest = x - ((x + first) - first);
      add(rest - ((rest + second) - second));
    }
  }
}

void ExactSum::carry() {
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    digits_[i + 1] += digits_[i] >> 32;  // rounds down, also below 0
    digits_[i] &= static_cast<std::int64_t>(kDigitMask);
  }
  adds_ = 0;
}

bool ExactSum::is_carried() const {
  for (std::size_t i = 0; i + 1 < kDigits; ++i)
    if ((digits_[i] & static_cast<std::int64_t>(kDigitMask)) != digits_[i]) return false;
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return digits_.back() >= -kMost && digits_.back() <= kMost;
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum reduced = other;
  reduced.carry();
  carry();
  for (std::size_t i = 0; i < kDigits; ++i) digits_[i] += reduced.digits_[i];
  not_finite_ += other.not_finite_;
  carry();
}

double ExactSum::value() const {
  ExactSum copy = *this;
  copy.carry();
  const bool negative = copy.digits_.back() < 0;
  if (negative) {
    for (std::int64_t& digit : copy.digits_) digit = -digit;
    copy.carry();
  }
  std::size_t top = kDigits;
  while (top > 0 && copy.digits_[top - 1] == 0) --top;
  if (top == 0) return 0;
  // The first 64 bits, and whether anything lies below them.
  const auto at = [&](std::size_t i) {
    return i < kDigits ? static_cast<std::uint64_t>(copy.digits_[i]) : 0;
  };
  const auto width =
      static_cast<int>(std::bit_width(at(top - 1)));  // the last digit may be wider than 32 bits
  unsigned __int128 window = at(top - 1);
  int used = width;
  std::size_t next = top - 1;
  while (used < 96 && next > 0) {
    window = window << 32 | at(--next);
    used += 32;
  }
  bool sticky = false;
  for (std::size_t i = 0; i < next; ++i) sticky = sticky || copy.digits_[i] != 0;
  int exponent = static_cast<int>(next) * 32 + kLowest;  // of the window's lowest bit
  if (used > 64) {
    const int drop = used - 64;
    sticky = sticky || (window & ((static_cast<unsigned __int128>(1) << drop) - 1)) != 0;
    window >>= drop;
    exponent += drop;
  }
  const auto mantissa = static_cast<std::uint64_t>(window);
  // A double keeps 53 bits, fewer if it is denormal: round to even at that bit.
  const auto bits = static_cast<int>(std::bit_width(mantissa));
  const int keep = std::clamp(bits + exponent + 1074, 0, 53);
  const int cut = bits - keep;
  std::uint64_t kept = mantissa;
  if (cut > 0) {
    kept = cut >= 64 ? 0 : mantissa >> cut;
    const std::uint64_t below = cut >= 64 ? mantissa : mantissa & ((std::uint64_t{1} << cut) - 1);
    const std::uint64_t half = std::uint64_t{1} << (cut - 1);
    if (below > half || (below == half && (sticky || (kept & 1U) != 0))) ++kept;
    exponent += cut;
  }
  const double size = std::ldexp(static_cast<double>(kept), exponent);
  return negative ? -size : size;
}

bool ExactSum::operator==(const ExactSum& other) const {
  ExactSum a = *this;
  ExactSum b = other;
  a.carry();
  b.carry();
  return a.digits_ == b.digits_ && a.not_finite_ == b.not_finite_;
}

}  // namespace bootfold::numeric
