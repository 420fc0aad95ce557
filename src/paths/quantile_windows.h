// Quantiles from counts, without sorting the rows.
//
// The quantiles of resamples stay within a few standard deviations of those of the data. So the
// rows are told apart by a window of values around each quantile: how many rows of the resample lie
// below it is a sum of counts, as cheap as a feature of one digit; and only the few rows inside it
// are counted one by one. A value that many rows share would fill the window: its rows are counted
// together, like those below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"
#include "resample/design.h"
#include "resample/strata.h"
#include "study/fixed_point.h"
#include "study/problem.h"

namespace bootfold::paths {

/// How far the quantiles of resamples stray from those of the data, in ranks.
class Spread {
 public:
  virtual ~Spread() = default;
  /// To each side of a quantile, at most; known before any row is read.
  [[nodiscard]] virtual double most(double share) const = 0;
  /// The same for the rows as they are. Throws Cancelled.
  [[nodiscard]] virtual double of(const ColumnView&, double share, const std::stop_token&) const {
    return most(share);
  }
};

/// Rows that are drawn one by one.
class RowSpread final : public Spread {
 public:
  RowSpread(std::uint64_t rows, std::uint64_t draws) : rows_(rows), draws_(draws) {}
  [[nodiscard]] double most(double share) const override;

 private:
  std::uint64_t rows_;
  std::uint64_t draws_;
};

/// Rows that are drawn together, in clusters or blocks: the spread follows from the cumulants of
/// the design. Finding it takes kBytes for each row for a while.
class DesignSpread final : public Spread {
 public:
  static constexpr std::size_t kBytes = 2 * sizeof(double);

  /// Refers to the design.
  DesignSpread(const resample::Design& design, std::uint64_t rows);
  [[nodiscard]] double most(double share) const override;
  [[nodiscard]] double of(const ColumnView& column, double share,
                          const std::stop_token& stop) const override;

 private:
  const resample::Design& design_;
  std::uint64_t rows_;
  double squares_;  // sum of (rows drawn together)^2, at most
  double shift_;    // of the mean rank
};

/// A value inside a window whose rows are counted together.
struct TiedValue {
  double value = 0;
  std::size_t slots_before = 0;  ///< slots of the window that have smaller values
};

/// A window of values of one column. Slots number the rows inside by rising value, rows of the same
/// value in the order of their places; rows of tied values have none.
struct QuantileWindow {
  std::uint32_t column = 0;
  double low = 0;  ///< the smallest and the largest value inside
  double high = 0;
  std::vector<TiedValue> tied = {};  ///< in rising order
  std::size_t first_count = 0;       ///< its first plane: rows below, then rows of each tied value
  std::size_t first_slot = 0;        ///< among the slots of all windows
  std::vector<double> values = {};   ///< of each slot

  [[nodiscard]] std::size_t counts() const noexcept { return 1 + tied.size(); }
};

/// A trimmed mean. The rows between its two windows are summed as a feature, in which the others
/// are 0; those inside the windows one by one, in doubles.
struct TrimmedMean {
  double share = 0;  ///< that is cut at each end
  std::uint32_t column = 0;
  std::size_t low_window = 0;
  std::size_t high_window = 0;     ///< the same, if the windows would overlap
  study::FixedFeature fixed = {};  ///< of the rows between the windows
};

/// A row of a tile that lies inside a window.
struct WindowRow {
  std::uint32_t slot;  ///< among those of all windows
  std::uint16_t row;   ///< of the tile
};

class QuantileWindows {
 public:
  /// How many windows a problem has at most, and what lies inside them.
  struct Size {
    std::size_t windows = 0;
    std::size_t slots = 0;       ///< without ties
    std::size_t most_slots = 0;  ///< with ties
    std::size_t tied = 0;        ///< values whose rows are counted together, at most
    std::size_t trimmed = 0;     ///< trimmed means
  };
  /// In `places` places of the walk: as many as rows, unless these have weights.
  [[nodiscard]] static Size size(const study::Problem& problem, std::uint64_t places,
                                 const Spread& spread);

  /// Digits of the sum of a trimmed mean: the rows that it keeps lie close together.
  static constexpr std::size_t kTrimmedDigits = 6;

  /// None.
  QuantileWindows() = default;
  /// Of all quantiles of a problem. `weights`: of the rows, if they are not equally likely. Throws
  /// Cancelled.
  QuantileWindows(const study::Problem& problem, const resample::Strata& strata,
                  const Spread& spread, const std::stop_token& stop,
                  std::span<const double> weights = {});

  [[nodiscard]] std::span<const QuantileWindow> all() const noexcept { return windows_; }
  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }
  /// Planes of all windows.
  [[nodiscard]] std::size_t counts() const noexcept { return counts_; }

  /// The rows of a tile that lie inside windows. `row` of the stratum is the first of the tile.
  [[nodiscard]] std::span<const WindowRow> rows(std::size_t stratum, std::uint64_t row) const;

  /// Where a row lies: above, in a slot, or in one of the planes of the window.
  using Side = std::uint8_t;
  static constexpr Side kAbove = 0;
  static constexpr Side kInside = 1;
  static constexpr Side kFirstPlane = 2;
  [[nodiscard]] Side side(std::size_t window, std::uint64_t place) const {
    return sides_[window][place];
  }
  /// The slot of a row inside a window.
  [[nodiscard]] std::size_t slot(std::size_t window, std::uint64_t place) const;

  /// Counts rows, numbered from `first` on, once more in all planes and slots.
  void count(std::uint64_t first, std::span<const std::uint32_t> rows, std::uint64_t* planes,
             std::uint8_t* slots) const {
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      const Side* const sides = sides_[w].data() + first;
      std::uint64_t* const own = planes + windows_[w].first_count;
      std::uint64_t below = 0;
      for (const std::uint32_t row : rows) {
        const Side side = sides[row];
        below += side == kFirstPlane ? 1 : 0;
        if (side == kInside) ++slots[slot(w, first + row)];
        if (side > kFirstPlane) ++own[side - kFirstPlane];
      }
      own[0] += below;
    }
  }

  /// The windows that the quantiles of a part lie in: one for each probability.
  [[nodiscard]] std::span<const std::size_t> of_part(std::size_t part) const {
    return of_part_[part];
  }

  [[nodiscard]] std::span<const TrimmedMean> trimmed() const noexcept { return trimmed_; }
  /// The values of a tile that lie between the windows of a trimmed mean; in place of the others,
  /// which may be too large, its centre.
  void keep_between(std::size_t trimmed, const statistic::Tile& tile, double* kept) const;
  /// The sums between its windows shall be in units of 2^shift times those of rows.
  void coarsen(std::size_t trimmed, int shift);
  /// The number among them of a part that is a trimmed mean.
  [[nodiscard]] std::size_t trimmed_of_part(std::size_t part) const { return of_part_[part][0]; }

 private:
  /// The number of the window, which is made if it is new.
  std::size_t add(const QuantileWindow& window);
  [[nodiscard]] QuantileWindow window(const study::Problem& problem, std::uint32_t column,
                                      double share, const Spread& spread,
                                      const std::stop_token& stop) const;
  void place_rows(const study::Problem& problem, const resample::Strata& strata,
                  const std::stop_token& stop);

  std::span<const double> weights_;
  std::vector<QuantileWindow> windows_;
  std::vector<TrimmedMean> trimmed_;
  std::vector<std::vector<std::size_t>> of_part_;
  std::size_t slots_ = 0;
  std::size_t counts_ = 0;
  std::vector<std::vector<Side>> sides_;             // [window][place]
  std::vector<std::vector<std::uint64_t>> places_;   // [window][slots in the order of places]
  std::vector<std::vector<std::uint32_t>> slot_at_;  // the slots of those
  std::vector<WindowRow> rows_;                      // by tiles
  std::vector<std::size_t> first_row_;               // of each tile, and the end
  std::vector<std::size_t> first_tile_;              // of each stratum
};

}  // namespace bootfold::paths
