// Path `stream` by its definition, one row at a time, and a driver for many replicates.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/resample.h"
#include "resample/counts.h"
#include "resample/poisson.h"

namespace bootfold::resample {

using Number80 = unsigned __int128;  ///< an 80-bit number: 16 bits, then 64 more

inline Number80 number80(std::uint32_t bits, std::uint64_t more) {
  return static_cast<Number80>(bits) << 64 | more;
}

/// floor(F(k) * 2^80) of the Poisson law, with a hundred digits.
inline std::vector<Number80> thresholds80(double mean) {
  using Real = boost::multiprecision::cpp_bin_float_100;
  const Real scale = ldexp(Real(1), 80);
  Real probability = exp(-Real(mean));
  Real below = probability;
  std::vector<Number80> found;
  for (unsigned k = 1;; ++k) {
    const boost::multiprecision::cpp_int threshold(floor(below * scale));
    const boost::multiprecision::cpp_int first = threshold >> 64;
    const boost::multiprecision::cpp_int last = threshold & ~std::uint64_t{0};
    found.push_back(number80(static_cast<std::uint32_t>(first), static_cast<std::uint64_t>(last)));
    if ((1 - below) * scale < 1) return found;
    probability *= Real(mean) / k;
    below += probability;
  }
}

/// The count that 80 random bits mean: the number of thresholds they reach.
inline std::uint32_t count80(const std::vector<Number80>& thresholds, Number80 bits) {
  return static_cast<std::uint32_t>(std::upper_bound(thresholds.begin(), thresholds.end(), bits) -
                                    thresholds.begin());
}

/// The 16 bits of every row of an attempt.
inline std::vector<std::uint32_t> row_bits(const Attempt& attempt, std::uint64_t rows) {
  std::vector<std::uint32_t> found;
  for (std::uint64_t block = 0; block * kBlockRows < rows; ++block) {
    random::Lanes lanes(attempt.stream(random::Purpose::counts), block);
    const std::uint64_t end = std::min<std::uint64_t>(rows, (block + 1) * kBlockRows);
    for (std::uint64_t step = block * kBlockRows; step < end; step += 64) {
      const auto first = lanes();
      const auto second = lanes();
      std::uint8_t high[64];
      std::uint8_t low[64];
      std::memcpy(high, first.data(), sizeof high);
      std::memcpy(low, second.data(), sizeof low);
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(64, end - step); ++i)
        found.push_back(static_cast<std::uint32_t>(high[i]) << 8 | low[i]);
    }
  }
  return found;
}

/// The 64 bits that follow the 16 of a row.
inline std::uint64_t more_bits(const Attempt& attempt, std::uint64_t row) {
  const auto words = random::block(attempt.stream(random::Purpose::tie), row);
  return std::uint64_t{words[1]} << 32 | words[0];
}

/// Many replicates under path `stream`: resample::counts, but the Poisson table is made once, the
/// margin can be chosen, and the attempt that held is told.
class Replicates {
 public:
  explicit Replicates(std::uint64_t rows,
                      execution::Level level = execution::available_levels().back(),
                      double margin = kMargin, std::size_t tile_rows = 4096)
      : level_(level),
        poisson_(count_mean(rows, margin)),
        rows_(rows),
        tile_rows_(tile_rows),
        tile_(tile_rows),
        open_(tile_rows),
        counts_(rows) {}

  /// The Poisson counts of one attempt, before the top-up.
  const std::vector<std::uint32_t>& draw(const Attempt& attempt) {
    total_ = 0;
    for (std::uint64_t row = 0; row < rows_; row += tile_rows_) {
      const std::size_t size = std::min<std::size_t>(tile_rows_, rows_ - row);
      total_ += draw_tile(level_, poisson_, attempt, row, size, lanes_, tile_.data(), open_.data());
      std::copy_n(tile_.begin(), size, counts_.begin() + static_cast<std::ptrdiff_t>(row));
    }
    return counts_;
  }

  const std::vector<std::uint32_t>& counts(std::uint64_t seed, std::uint64_t replicate) {
    for (attempt_ = {seed, replicate, 0};; ++attempt_.number) {
      draw(attempt_);
      if (total_ > rows_) continue;
      drawn_.resize(rows_ - total_);
      TopUp(level_, attempt_, rows_, lanes_).draw(drawn_);
      for (const std::uint64_t row : drawn_) ++counts_[row];
      return counts_;
    }
  }

  [[nodiscard]] const Attempt& attempt() const { return attempt_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }  ///< before the top-up
  [[nodiscard]] const Poisson& poisson() const { return poisson_; }

 private:
  execution::Level level_;
  Poisson poisson_;
  std::uint64_t rows_;
  std::size_t tile_rows_;
  std::vector<std::uint8_t> tile_;
  std::vector<simd::OpenRow> open_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> drawn_;
  random::simd::LaneState lanes_{};
  Attempt attempt_;
  std::uint64_t total_ = 0;
};

}  // namespace bootfold::resample
