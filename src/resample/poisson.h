// A Poisson count from 16 random bits, and from 80 where 16 cannot tell.
//
// The count is the number of k with F(k) <= V / 2^80, where F is the distribution function and V is
// an 80-bit number: 16 bits from the fast stream and, only if they equal the first 16 bits of a
// threshold, 64 more from the stream `tie`. So probabilities are right to 2^-80.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "resample/simd/kernels.h"

namespace bootfold::resample {

class Poisson {
 public:
  /// `mean` in (0, 1].
  explicit Poisson(double mean);

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] const simd::PoissonTable& table() const noexcept { return table_; }

  /// The count that the 16 bits and 64 more decide.
  [[nodiscard]] std::uint8_t count(std::uint32_t bits, std::uint64_t more) const noexcept;

  /// floor(F(k) * 2^80) as (first 16 bits, last 64 bits), for k = 0, 1, ...
  struct Threshold {
    std::uint32_t first;
    std::uint64_t last;
  };
  [[nodiscard]] const std::vector<Threshold>& thresholds() const noexcept { return thresholds_; }

 private:
  void fill_table();

  double mean_;
  std::vector<Threshold> thresholds_;
  std::vector<std::uint8_t> lookup_;
  simd::PoissonTable table_;
};

/// Mean of the counts of n rows that shall add up to m draws. A little below m / n, so that their
/// total T rarely exceeds m: T has mean m - margin * sqrt(m) and standard deviation below sqrt(m).
[[nodiscard]] double count_mean(std::uint64_t rows, std::uint64_t draws, double margin) noexcept;
[[nodiscard]] inline double count_mean(std::uint64_t rows, double margin) noexcept {
  return count_mean(rows, rows, margin);
}

/// The margin that the streams of version 1 use: T > n in about one replicate of 700.
inline constexpr double kMargin = 3;

}  // namespace bootfold::resample
