// Sums of U, U^2 and U^3 over up to billions of rows, whatever their size.
//
// A tile is scaled by the power of two of its largest value, so that powers neither overflow nor
// vanish; tiles are merged in one order, so the sums are the same for any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace bootfold::numeric {

class Moments {
 public:
  /// `weight` units that all have this value.
  void add(double value, double weight = 1) {
    if (!std::isfinite(value)) {
      undefined_ += weight;
      return;
    }
    count_ += weight;
    if (value == 0) return;
    Moments one;
    one.exponent_ = std::ilogb(value);
    const double u = std::ldexp(value, -one.exponent_);
    one.first_ = weight * u;
    one.second_ = weight * u * u;
    one.third_ = weight * u * u * u;
    align_and_add(one);
  }

  void add(std::span<const double> values) {
    double largest = 0;
    double poison = 0;  // stays 0 while all values are finite
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
      poison += value * 0;
    }
    if (poison != 0) {
      for (const double value : values) add(value);
      return;
    }
    count_ += static_cast<double>(values.size());
    if (largest == 0) return;
    Moments tile;
    tile.exponent_ = std::ilogb(largest);
    const int half = -tile.exponent_ / 2;  // one power of two cannot scale the smallest doubles up
    const double scale = std::ldexp(1.0, half);
    const double rescale = std::ldexp(1.0, -tile.exponent_ - half);
    for (const double value : values) {
      const double u = value * scale * rescale;
      const double square = u * u;
      tile.first_ += u;
      tile.second_ += square;
      tile.third_ += square * u;
    }
    align_and_add(tile);
  }

  void merge(const Moments& part) {
    count_ += part.count_;
    undefined_ += part.undefined_;
    if (part.second_ > 0) align_and_add(part);
  }

  [[nodiscard]] double count() const noexcept { return count_; }
  [[nodiscard]] double undefined() const noexcept { return undefined_; }

  /// Of the defined values.
  [[nodiscard]] double mean() const { return std::ldexp(first_ / count_, exponent_); }

  /// Central sums, in units of 2^exponent().
  [[nodiscard]] double second() const {
    return std::max(0.0, second_ - first_ * (first_ / count_));
  }
  [[nodiscard]] double third() const {
    const double mean = first_ / count_;
    return third_ - 3 * mean * second_ + 2 * count_ * mean * mean * mean;
  }
  [[nodiscard]] int exponent() const noexcept { return exponent_; }

  /// The largest that rounding could make of `second()` if the values did not vary.
  [[nodiscard]] double noise() const { return 0x1p-48 * second_; }

 private:
  /// Adds the sums of `part`, in the larger of the two units.
  void align_and_add(const Moments& part) {
    if (second_ == 0) {
      exponent_ = part.exponent_;
    } else if (part.exponent_ > exponent_) {
      const int down = exponent_ - part.exponent_;
      first_ = std::ldexp(first_, down);
      second_ = std::ldexp(second_, 2 * down);
      third_ = std::ldexp(third_, 3 * down);
      exponent_ = part.exponent_;
    }
    const int down = part.exponent_ - exponent_;
    first_ += std::ldexp(part.first_, down);
    second_ += std::ldexp(part.second_, 2 * down);
    third_ += std::ldexp(part.third_, 3 * down);
  }

  double count_ = 0;
  double undefined_ = 0;
  double first_ = 0;
  double second_ = 0;
  double third_ = 0;
  int exponent_ = 0;
};

}  // namespace bootfold::numeric
