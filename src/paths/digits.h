// The features of the rows as integers, split into planes of digits: what counts are multiplied by.
//
// Where memory allows it the digits of all rows are made once and kept for all replicates;
// otherwise a thread makes those of a tile whenever it walks over it. Neither changes a sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "paths/quantile_windows.h"
#include "resample/strata.h"
#include "study/fixed_sums.h"
#include "study/simd/kernels.h"
#include "study/tile.h"

namespace bootfold::paths {

/// Digits of the rows of a tile: plane p begins at first + p * stride.
struct Planes {
  const std::int8_t* first;
  std::size_t stride;
};

/// Shared by all threads of a run.
class Digits {
 public:
  /// How much there is of what.
  struct Size {
    Size(const study::FixedSums& sums, const QuantileWindows::Size& windows);

    std::size_t columns;   ///< of the data
    std::size_t features;  ///< those of the sums, and one for each trimmed mean
    std::size_t planes;    ///< their digits, and one for each window
    std::size_t tied;      ///< planes of tied values, at most
    bool is_short;         ///< no feature has more than four digits
  };
  /// What keeping the digits of all rows takes.
  [[nodiscard]] static std::size_t kept_bytes(const Size& size, std::uint64_t rows,
                                              std::uint64_t strata);

  /// The features are those of the sums and behind them the rows between the windows of each
  /// trimmed mean. Their planes come first, and then those of each window: 1 for the rows below
  /// it, and 1 for the rows of each tied value.
  Digits(const study::FixedSums& sums, const QuantileWindows& windows,
         const resample::Strata& strata, bool keep, const Execution& execution);

  [[nodiscard]] std::size_t planes() const noexcept { return planes_; }
  [[nodiscard]] std::size_t features() const noexcept { return fixed_.size(); }
  [[nodiscard]] const study::FixedFeature& fixed(std::size_t feature) const {
    return fixed_[feature];
  }

 private:
  friend class DigitReader;

  void keep(const Execution& execution);

  const study::FixedSums& sums_;
  const QuantileWindows& windows_;
  const resample::Strata& strata_;
  const study::simd::Kernels& kernels_;
  std::vector<study::FixedFeature> fixed_;
  std::vector<std::size_t> first_plane_;  // of each feature
  std::size_t planes_ = 0;
  // What is kept; empty: nothing.
  struct Tile {
    std::size_t stratum;
    std::uint64_t row;  // within the stratum
    std::size_t rows;
    std::size_t at;  // where its planes begin
  };
  std::vector<Tile> tiles_;
  std::vector<std::size_t> first_tile_;  // of each stratum
  std::unique_ptr<std::int8_t[]> kept_;
  // The integers of all places, for rows that are drawn one by one: [place][feature].
  std::vector<std::int32_t> short_;  // if none has more than four digits
  std::vector<std::int64_t> long_;
};

/// Reads them for one thread.
class DigitReader {
 public:
  explicit DigitReader(const Digits& digits);

  /// The digits of rows row .. row + rows - 1 of a stratum; `row` is a multiple of kCountTile, and
  /// `rows` as many or all that are left. Valid until the next call of any function.
  [[nodiscard]] Planes tile(std::size_t stratum, std::uint64_t row, std::size_t rows);

  /// Adds the integers of rows of a stratum, numbered from `first` on, to the sums of the features.
  void add_rows(std::size_t stratum, std::uint64_t first, std::span<const std::uint32_t> rows,
                std::span<__int128> sums);

  /// What a reader takes beside what is kept.
  [[nodiscard]] static std::size_t bytes(const Digits::Size& size, bool kept);

 private:
  friend class Digits;

  /// Makes the integers of at most kSome rows.
  void make(const statistic::Tile& tile, std::size_t rows);
  [[nodiscard]] const std::int64_t* integers(std::size_t feature) const {
    return integers_.data() + feature * kSome;
  }
  /// Splits the digits of rows place .. place + rows - 1 into planes, and calls see(first, rows)
  /// for some of them at a time while their integers are there.
  template <class See>
  void split(std::uint64_t place, std::size_t rows, std::int8_t* planes, std::size_t plane_stride,
             See&& see);

  static constexpr std::size_t kSome = 512;  // few, so that many features of them are little memory

  const Digits& digits_;
  study::TileReader reader_;
  std::vector<double> made_;            // [feature][row]
  std::vector<std::int64_t> integers_;  // the same
  std::array<double, kSome> kept_;      // by a trimmed mean
  std::vector<std::int8_t> planes_;
  std::vector<std::uint64_t> drawn_;
  std::uint64_t loaded_;  // the place whose planes are there
};

}  // namespace bootfold::paths
