// Passes over a column, and its values in the units that sums are studied in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/map_reduce.h"
#include "bootfold/statistic.h"
#include "study/tile.h"

namespace bootfold::exact {

inline constexpr std::size_t kChunkRows = 16 * study::kTileRows;

/// `execution` without its listener: for passes that are over in a moment.
[[nodiscard]] inline Execution silent(const Execution& execution) {
  return {execution.threads, execution.level, execution.stop, {}};
}

/// Shows the rows first .. last - 1 of a column to see(values), a tile at a time.
template <class See>
void scan_column(const ColumnView& column, std::size_t first, std::size_t last, See&& see) {
  std::vector<double> buffer;
  for (std::size_t row = first; row < last; row += study::kTileRows) {
    const std::size_t size = std::min(study::kTileRows, last - row);
    const std::span<const double> direct = column.doubles(row, size);
    if (!direct.empty()) {
      see(direct);
      continue;
    }
    buffer.resize(study::kTileRows);
    column.read(row, {buffer.data(), size});
    see(std::span<const double>(buffer.data(), size));
  }
}

/// Folds body(state, values) over all rows; chunks, and so the result, do not depend on threads.
template <class State, class Body, class Merge>
[[nodiscard]] State reduce_column(const ColumnView& column, const State& init, Body&& body,
                                  Merge&& merge, const Execution& execution) {
  return map_reduce(
      {0, (column.rows() + kChunkRows - 1) / kChunkRows, 1}, init,
      [&](State& state, std::size_t chunk) {
        const std::size_t first = chunk * kChunkRows;
        scan_column(column, first, std::min(column.rows(), first + kChunkRows),
                    [&](std::span<const double> values) { body(state, values); });
      },
      [&](State& total, State&& part) { merge(total, std::move(part)); }, silent(execution));
}

/// The rows of a column as v = (x - centre) 2^-exponent - shift or, on a lattice, as the whole
/// number of steps between; few distinct values are kept with how many rows each stands for.
class Rows {
 public:
  Rows(const ColumnView& column, const statistic::Scale& scale) : column_(column), scale_(scale) {
    const int half = -scale.exponent / 2;
    factor1_ = std::ldexp(1.0, half);
    factor2_ = std::ldexp(1.0, -scale.exponent - half);
  }

  /// From now on in steps of this size; 0: no steps.
  void set_step(double step) {
    steps_ = step > 0 ? std::ldexp(1.0, scale_.exponent) / step : 0;
    unit_ = step;
  }
  void set_shift(double shift) { shift_ = shift; }
  void set_distinct(std::vector<double> scaled, std::vector<std::uint64_t> weights) {
    distinct_ = std::move(scaled);
    weights_.assign(weights.begin(), weights.end());
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return column_.rows(); }
  /// How many values a pass over all looks at.
  [[nodiscard]] std::size_t values() const noexcept {
    return distinct_.empty() ? column_.rows() : distinct_.size();
  }
  [[nodiscard]] bool on_lattice() const noexcept { return steps_ > 0; }

  /// The v of one row, of one value.
  [[nodiscard]] double at(std::size_t row) const { return of(column_[row]); }
  [[nodiscard]] double of(double x) const {
    return of_scaled((x - scale_.centre) * factor1_ * factor2_);
  }
  [[nodiscard]] double of_scaled(double y) const {
    return (steps_ > 0 ? std::nearbyint(y * steps_) : y) - shift_;
  }
  /// Back: the x whose v this is, for means of v too.
  [[nodiscard]] double value(double v) const {
    return scale_.centre +
           (steps_ > 0 ? (v + shift_) * unit_ : std::ldexp(v + shift_, scale_.exponent));
  }
  /// How long a difference of 1 in v is.
  [[nodiscard]] double unit() const {
    return steps_ > 0 ? unit_ : std::ldexp(1.0, scale_.exponent);
  }

  /// Calls see(v, weights) for the values first .. last - 1, a tile at a time.
  template <class See>
  void scan(std::size_t first, std::size_t last, See&& see) const {
    std::vector<double> v(study::kTileRows);
    if (!distinct_.empty()) {
      for (std::size_t row = first; row < last; row += v.size()) {
        const std::size_t size = std::min(v.size(), last - row);
        for (std::size_t i = 0; i < size; ++i) v[i] = of_scaled(distinct_[row + i]);
        see(std::span<const double>(v.data(), size),
            std::span<const double>(weights_).subspan(row, size));
      }
      return;
    }
    const std::vector<double> ones(v.size(), 1.0);
    scan_column(column_, first, last, [&](std::span<const double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) v[i] = of(values[i]);
      see(std::span<const double>(v.data(), values.size()),
          std::span<const double>(ones.data(), values.size()));
    });
  }

 private:
  ColumnView column_;
  statistic::Scale scale_;
  double factor1_ = 1;
  double factor2_ = 1;
  double steps_ = 0;  // steps in a scaled unit; 0: no lattice
  double unit_ = 1;
  double shift_ = 0;
  std::vector<double> distinct_;
  std::vector<double> weights_;
};

}  // namespace bootfold::exact
