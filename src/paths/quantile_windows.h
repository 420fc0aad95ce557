// Quantiles from counts, without sorting the rows.
//
// The quantiles of resamples stay within a few standard deviations of those of the data. So the
// rows are told apart by a window of values around each quantile: how many rows of the resample lie
// below it is a sum of counts, as cheap as a feature of one digit; and only the few rows inside it
// are counted one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"
#include "resample/strata.h"
#include "study/fixed_point.h"
#include "study/problem.h"

namespace bootfold::paths {

/// A window of values of one column. Slots number the rows inside by rising value, rows of the same
/// value in the order of their places.
struct QuantileWindow {
  std::uint32_t column = 0;
  double low = 0;  ///< the smallest and the largest value inside
  double high = 0;
  std::size_t first_slot = 0;       ///< among the slots of all windows
  std::vector<double> values = {};  ///< of each slot
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
  /// How many windows a problem has at most, and about how many rows lie inside them.
  struct Size {
    std::size_t windows = 0;
    std::size_t slots = 0;
    std::size_t trimmed = 0;  ///< trimmed means
  };
  [[nodiscard]] static Size size(const study::Problem& problem, std::uint64_t places,
                                 std::uint64_t draws);

  /// Digits of the sum of a trimmed mean: the rows that it keeps lie close together.
  static constexpr std::size_t kTrimmedDigits = 6;

  /// Of all quantiles of a problem in resamples of about `draws` rows. `weights`: of the rows, if
  /// they are not equally likely. Throws Cancelled.
  QuantileWindows(const study::Problem& problem, const resample::Strata& strata,
                  std::uint64_t draws, const std::stop_token& stop,
                  std::span<const double> weights = {});

  [[nodiscard]] std::span<const QuantileWindow> all() const noexcept { return windows_; }
  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }

  /// The rows of a tile that lie inside windows. `row` of the stratum is the first of the tile.
  [[nodiscard]] std::span<const WindowRow> rows(std::size_t stratum, std::uint64_t row) const;

  /// Where a row lies.
  enum class Side : std::uint8_t { above, below, inside };
  [[nodiscard]] Side side(std::size_t window, std::uint64_t place) const {
    return sides_[window][place];
  }
  /// The slot of a row inside a window.
  [[nodiscard]] std::size_t slot(std::size_t window, std::uint64_t place) const;

  /// The windows that the quantiles of a part lie in: one for each probability.
  [[nodiscard]] std::span<const std::size_t> of_part(std::size_t part) const {
    return of_part_[part];
  }

  [[nodiscard]] std::span<const TrimmedMean> trimmed() const noexcept { return trimmed_; }
  /// The number among them of a part that is a trimmed mean.
  [[nodiscard]] std::size_t trimmed_of_part(std::size_t part) const { return of_part_[part][0]; }

 private:
  /// The number of the window, which is made if it is new.
  std::size_t add(const QuantileWindow& window);
  [[nodiscard]] QuantileWindow window(const study::Problem& problem, std::uint32_t column,
                                      double share, std::uint64_t draws,
                                      const std::stop_token& stop) const;
  [[nodiscard]] QuantileWindow weighted_window(const study::Problem& problem, std::uint32_t column,
                                               double share, std::uint64_t draws,
                                               const std::stop_token& stop) const;
  void place_rows(const study::Problem& problem, const resample::Strata& strata,
                  const std::stop_token& stop);

  std::span<const double> weights_;
  std::vector<QuantileWindow> windows_;
  std::vector<TrimmedMean> trimmed_;
  std::vector<std::vector<std::size_t>> of_part_;
  std::size_t slots_ = 0;
  std::vector<std::vector<Side>> sides_;             // [window][place]
  std::vector<std::vector<std::uint64_t>> places_;   // [window][slots in the order of places]
  std::vector<std::vector<std::uint32_t>> slot_at_;  // the slots of those
  std::vector<WindowRow> rows_;                      // by tiles
  std::vector<std::size_t> first_row_;               // of each tile, and the end
  std::vector<std::size_t> first_tile_;              // of each stratum
};

}  // namespace bootfold::paths
