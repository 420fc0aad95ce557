// The law of the counts of a tile of rows: independent Poisson counts from four bits each.
//
// Poisson(1), given that it is below 4, is exactly (6, 6, 3, 1) / 16. So four random bits and one
// table of 16 seats give the right count for 98 % of the mass. What is missing is not looked for
// row by row. A Poisson number of rows of the tile, at uniform positions, is replaced by counts
// from a second table of 16 seats; then a smaller number by what is missing still. The last one
// stands. A Poisson number of uniform positions hits every row independently of the others, so the
// counts stay independent, and the mixture is the Poisson law. docs/resampling.md has the proof.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "resample/simd/kernels.h"

namespace bootfold::resample {

class CountLaw {
 public:
  /// Counts of mean `mean`, in (0, 2], of a tile of at most `positions` rows, a power of two up to
  /// simd::kCountTile.
  CountLaw(double mean, std::uint32_t positions);
  CountLaw(const CountLaw&) = delete;
  CountLaw& operator=(const CountLaw&) = delete;

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] const simd::LayerTable& table() const noexcept { return table_; }

  /// The count of the third layer for 16 bits that do not decide, by 64 more.
  [[nodiscard]] std::uint8_t rare_count(std::uint64_t more) const noexcept;

  /// floor(F(k) 2^64) of the law that rare_count() draws from.
  [[nodiscard]] const std::vector<std::uint64_t>& rare_thresholds() const noexcept {
    return rare_thresholds_;
  }

 private:
  /// floor(F(k) 2^128) of a Poisson law.
  struct Number {
    std::vector<std::uint64_t> high;
    std::vector<std::uint64_t> low;
  };

  double mean_;
  Number sparse_;
  Number rare_;
  std::vector<std::uint64_t> rare_thresholds_;
  simd::LayerTable table_{};
};

/// The mean of the counts of `rows` rows that shall add up to `draws`: a little below draws / rows,
/// so that their total rarely exceeds `draws`, and on a grid, so that few laws serve all
/// replicates. Whatever it is, the counts with their top-up have the same law. 0 if there are so
/// few draws that they are all left to the top-up.
[[nodiscard]] double count_mean(std::uint64_t rows, std::uint64_t draws,
                                double margin = 2) noexcept;

/// The laws of the tiles of a super-block: the last tile may have fewer rows.
struct TileLaws {
  const CountLaw* all = nullptr;
  const CountLaw* last = nullptr;
};

/// The laws of a run, each made once. Any number of threads may ask.
class CountLaws {
 public:
  /// Of the counts of `rows` rows.
  [[nodiscard]] TileLaws operator()(double mean, std::uint64_t rows);

 private:
  const CountLaw* law(double mean, std::uint32_t positions);

  std::mutex mutex_;
  std::map<std::pair<double, std::uint32_t>, std::unique_ptr<const CountLaw>> laws_;
};

}  // namespace bootfold::resample
