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
#include "execution/large_array.h"
#include "paths/quantile_windows.h"
#include "resample/strata.h"
#include "study/fixed_sums.h"
#include "study/simd/kernels.h"
#include "study/tile.h"

namespace bootfold::paths {

/// Some digits of a row, as an integer: those in planes that are nearly empty.
struct SparseDigits {
  std::uint32_t row;   ///< of the tile
  std::uint32_t limb;  ///< what they are digits of
  std::int64_t integer;
};

/// Digits of the rows of a tile. Upper digits of heavy tails are 0 for nearly all rows; a tile has
/// no plane of those, but a list of the rows that are not 0.
struct TileDigits {
  const std::int8_t* first;  ///< the planes that it has: one begins at every multiple of `stride`
  std::size_t stride;
  std::span<const std::uint32_t> planes;  ///< their numbers
  std::span<const SparseDigits> sparse;   ///< all other digits
};

/// Some rows of the data: rows first, first + 1, ...
struct RowBatch {
  const DataView& rows;
  std::uint64_t first = 0;

  [[nodiscard]] std::uint64_t last() const noexcept { return first + rows.rows(); }
};

/// Shared by all threads of a run.
class Digits {
 public:
  /// How much there is of what.
  struct Size {
    Size(const study::FixedSums& sums, const QuantileWindows::Size& windows);

    std::size_t columns;   ///< of the data
    std::size_t features;  ///< those of the sums
    std::size_t limbs;     ///< those of the sums, and one for each trimmed mean
    std::size_t planes;    ///< their digits, and one for each window
    std::size_t tied;      ///< planes of tied values, at most
    bool is_short;         ///< no limb has more than four digits
  };
  /// What keeping the digits of all rows takes.
  [[nodiscard]] static std::size_t kept_bytes(const Size& size, std::uint64_t rows,
                                              std::uint64_t strata);

  /// The limbs are those of the sums and behind them the rows between the windows of each trimmed
  /// mean. Their planes come first, and then those of each window: 1 for the rows below it, and 1
  /// for the rows of each tied value.
  Digits(const study::FixedSums& sums, const QuantileWindows& windows,
         const resample::Strata& strata, bool keep, const Execution& execution);

  /// The same of some rows of one stratum, whose places are the numbers of the rows. All other rows
  /// have no digits: they add nothing to a sum.
  Digits(const study::FixedSums& sums, const QuantileWindows& no_windows,
         const resample::Strata& strata, const RowBatch& batch, bool keep,
         const Execution& execution);

  /// Whether rows row .. row + rows - 1 of the data have digits.
  [[nodiscard]] bool any_of(std::uint64_t row, std::size_t rows) const noexcept {
    return !batch_ || (row < last_ && row + rows > first_);
  }

  [[nodiscard]] std::size_t planes() const noexcept { return planes_; }
  [[nodiscard]] std::size_t limbs() const noexcept { return limb_digits_.size(); }
  [[nodiscard]] std::size_t digits(std::size_t limb) const { return limb_digits_[limb]; }

 private:
  friend class DigitReader;

  void name_planes();
  void keep(const Execution& execution);

  const DataView& data_;  // the rows that have digits
  bool batch_ = false;    // these are some rows of one stratum
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  const study::FixedSums& sums_;
  const QuantileWindows& windows_;
  const resample::Strata& strata_;
  const study::simd::Kernels& kernels_;
  std::vector<std::size_t> limb_digits_;  // of each limb
  std::vector<std::size_t> first_plane_;  // of each limb
  std::size_t planes_ = 0;
  // What is kept; empty: nothing.
  struct Tile {
    std::size_t stratum;
    std::uint64_t row;  // within the stratum
    std::size_t rows;
    std::size_t at;  // where its planes begin
    std::vector<std::uint32_t> planes = {};
    std::vector<SparseDigits> sparse = {};
  };
  std::vector<Tile> tiles_;
  std::uint64_t kept_first_ = 0;         // place of the first one, if there is one stratum
  std::vector<std::size_t> first_tile_;  // of each stratum
  execution::LargeArray<std::int8_t> kept_;
  // The integers of all places, for rows that are drawn one by one: [place][limb].
  execution::LargeArray<std::int32_t> short_;  // if none has more than four digits
  execution::LargeArray<std::int64_t> long_;
};

/// Reads them for one thread.
class DigitReader {
 public:
  explicit DigitReader(const Digits& digits);

  /// The digits of rows row .. row + rows - 1 of a stratum; `row` is a multiple of kCountTile, and
  /// `rows` as many or all that are left. Valid until the next call of any function.
  [[nodiscard]] TileDigits tile(std::size_t stratum, std::uint64_t row, std::size_t rows);

  /// Adds the integers of rows of a stratum, numbered from `first` on, to the sums of the limbs.
  void add_rows(std::size_t stratum, std::uint64_t first, std::span<const std::uint32_t> rows,
                std::span<__int128> sums);

  /// What a reader takes beside what is kept.
  [[nodiscard]] static std::size_t bytes(const Digits::Size& size, bool kept);

 private:
  friend class Digits;

  /// Makes the integers of at most kSome rows.
  void make(const statistic::Tile& tile, std::size_t rows);
  /// The same of places place .. place + rows - 1. Returns the tile they are made of; where some of
  /// the rows have no digits, their integers are 0 and the tile is not to be used.
  statistic::Tile make_places(std::uint64_t place, std::size_t rows);
  [[nodiscard]] const std::int64_t* integers(std::size_t limb) const {
    return integers_.data() + limb * kSome;
  }
  /// Splits the digits of rows place .. place + rows - 1 into planes, and calls see(first, rows)
  /// for some of them at a time while their integers are there.
  template <class See>
  void split(std::uint64_t place, std::size_t rows, std::int8_t* planes, std::size_t plane_stride,
             See&& see);
  /// Lists the digits of planes that are nearly empty, and moves the other planes together.
  void thin_out(std::int8_t* planes, std::size_t plane_stride, std::size_t rows,
                std::vector<std::uint32_t>& numbers, std::vector<SparseDigits>& sparse);

  static constexpr std::size_t kSome = 512;  // few, so that many features of them are little memory

  const Digits& digits_;
  study::TileReader reader_;
  std::vector<double> made_;            // [feature][row]
  std::vector<std::int64_t> integers_;  // [limb][row]
  std::array<double, kSome> kept_;      // by a trimmed mean
  std::vector<std::int8_t> planes_;
  std::vector<std::uint32_t> numbers_;  // of the planes that are there
  std::vector<SparseDigits> sparse_;
  std::vector<std::uint64_t> drawn_;
  std::vector<std::uint32_t> own_;  // drawn rows that have digits
  std::uint64_t loaded_;            // the place whose planes are there
};

}  // namespace bootfold::paths
