#include "paths/quantile_windows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "numeric/select.h"
#include "resample/simd/kernels.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using resample::simd::kCountTile;

/// Standard deviations, and rows beside them, to both sides of a quantile. What lies beyond is
/// looked for when it comes up, which it does not.
constexpr double kReach = 8;
constexpr double kMore = 60;

/// Half of the rows of a window.
double reach(double rows, double share, double draws) {
  const double thin = std::max(1.0, rows / draws);
  return kReach * std::sqrt(thin * rows * share * (1 - share) + thin) + kMore * thin;
}

/// Shows a column piece by piece.
numeric::Scan scan_of(const ColumnView& column, const std::stop_token& stop) {
  return [&column, stop](const std::function<void(std::span<const double>)>& see) {
    std::vector<double> buffer(study::kTileRows);
    for (std::size_t row = 0; row < column.rows(); row += buffer.size()) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t size = std::min(buffer.size(), column.rows() - row);
      const std::span<const double> direct = column.doubles();
      if (direct.empty()) column.read(row, {buffer.data(), size});
      see(direct.empty() ? std::span<const double>(buffer.data(), size)
                         : direct.subspan(row, size));
    }
  };
}

}  // namespace

QuantileWindows::Size QuantileWindows::size(const study::Problem& problem, std::uint64_t places,
                                            std::uint64_t draws) {
  const auto rows = static_cast<double>(places);
  Size found;
  const auto add = [&](double share) {
    ++found.windows;
    found.slots += static_cast<std::size_t>(
        std::min(rows, 2 * reach(rows, share, static_cast<double>(draws)) + 2));
  };
  for (const study::Part& part : problem.parts) {
    if (const auto* order = std::get_if<statistic::Order>(&part.bound.body))
      for (const double q : order->probabilities) add(q);
    const auto* call = std::get_if<statistic::Call>(&part.bound.body);
    if (call == nullptr || !call->trimmed) continue;
    ++found.trimmed;
    add(*call->trimmed);
    add(1 - *call->trimmed);
  }
  return found;
}

QuantileWindows::QuantileWindows(const study::Problem& problem, const resample::Strata& strata,
                                 std::uint64_t draws, const std::stop_token& stop,
                                 std::span<const double> weights)
    : weights_(weights) {
  of_part_.resize(problem.parts.size());
  for (std::size_t p = 0; p < problem.parts.size(); ++p) {
    const study::Part& part = problem.parts[p];
    if (const auto* order = std::get_if<statistic::Order>(&part.bound.body))
      for (const double q : order->probabilities)
        of_part_[p].push_back(add(window(problem, part.columns[0], q, draws, stop)));
    const auto* call = std::get_if<statistic::Call>(&part.bound.body);
    if (call == nullptr || !call->trimmed) continue;
    const double share = *call->trimmed;
    QuantileWindow low = window(problem, part.columns[0], share, draws, stop);
    QuantileWindow high = window(problem, part.columns[0], 1 - share, draws, stop);
    if (low.high >= high.low) {  // one window for both ends
      low.high = std::max(low.high, high.high);
      high = low;
    }
    of_part_[p].push_back(trimmed_.size());
    trimmed_.push_back({share, part.columns[0], add(low), add(high),
                        study::fixed_range(low.high, high.low, kTrimmedDigits)});
  }
  if (!windows_.empty()) place_rows(problem, strata, stop);
}

std::size_t QuantileWindows::add(const QuantileWindow& window) {
  const auto same = std::find_if(windows_.begin(), windows_.end(), [&](const auto& other) {
    return other.column == window.column && other.low == window.low && other.high == window.high;
  });
  const auto number = static_cast<std::size_t>(same - windows_.begin());
  if (same == windows_.end()) windows_.push_back(window);
  return number;
}

QuantileWindow QuantileWindows::window(const study::Problem& problem, std::uint32_t column,
                                       double share, std::uint64_t draws,
                                       const std::stop_token& stop) const {
  if (!weights_.empty()) return weighted_window(problem, column, share, draws, stop);
  const auto rows = static_cast<double>(problem.data.rows());
  const double half = reach(rows, share, static_cast<double>(draws));
  const double centre = share * (rows - 1) + 1;
  const auto first = static_cast<std::uint64_t>(std::clamp(std::floor(centre - half), 1.0, rows));
  const auto last = static_cast<std::uint64_t>(std::clamp(std::ceil(centre + half), 1.0, rows));
  QuantileWindow made;
  made.column = column;
  const numeric::Scan scan = scan_of(problem.data.column(column), stop);
  made.low = numeric::order_statistics(scan, first, first)[0];
  made.high = numeric::order_statistics(scan, last, last)[0];
  return made;
}

QuantileWindow QuantileWindows::weighted_window(const study::Problem& problem, std::uint32_t column,
                                                double share, std::uint64_t draws,
                                                const std::stop_token& stop) const {
  numeric::Compensated total;
  for (const double weight : weights_) total.add(weight);
  const auto all = static_cast<double>(draws);
  const double half = reach(all, share, all) / all;
  const numeric::WeightedWindow found = numeric::weighted_window(
      numeric::weighted_scan(scan_of(problem.data.column(column), stop), weights_),
      std::max(0.0, share - half) * total.value(), std::min(1.0, share + half) * total.value());
  QuantileWindow made;
  made.column = column;
  made.low = found.values.front();
  made.high = found.values.back();
  return made;
}

void QuantileWindows::place_rows(const study::Problem& problem, const resample::Strata& strata,
                                 const std::stop_token& stop) {
  struct Inside {
    double value;
    std::uint64_t place;
    std::uint64_t tile;
    std::uint16_t row;
  };
  std::vector<std::vector<Inside>> inside(windows_.size());
  sides_.assign(windows_.size(), std::vector<Side>(strata.places()));
  const std::span<const std::uint32_t> order = strata.order();
  study::TileReader reader(problem.data, kCountTile);
  std::uint64_t tiles = 0;
  for (const resample::Stratum& stratum : strata.all()) {
    first_tile_.push_back(tiles);
    for (std::uint64_t row = 0; row < stratum.rows; row += kCountTile, ++tiles) {
      if (stop.stop_requested()) throw Cancelled();
      const std::uint64_t place = stratum.first + row;
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, stratum.rows - row));
      const statistic::Tile tile =
          order.empty() ? reader.read(place, size) : reader.gather(order.subspan(place, size));
      for (std::size_t w = 0; w < windows_.size(); ++w) {
        const QuantileWindow& own = windows_[w];
        const double* values = tile.columns[own.column];
        for (std::size_t i = 0; i < size; ++i) {
          const bool in = values[i] >= own.low && values[i] <= own.high;
          sides_[w][place + i] = in                    ? Side::inside
                                 : values[i] < own.low ? Side::below
                                                       : Side::above;
          if (in) inside[w].push_back({values[i], place + i, tiles, static_cast<std::uint16_t>(i)});
        }
      }
    }
  }
  struct Entry {
    std::uint64_t tile;
    WindowRow row;
  };
  std::vector<Entry> entries;
  places_.resize(windows_.size());
  slot_at_.resize(windows_.size());
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    QuantileWindow& own = windows_[w];
    std::vector<Inside>& rows = inside[w];
    std::vector<std::uint32_t> rising(rows.size());
    std::iota(rising.begin(), rising.end(), 0U);
    std::stable_sort(rising.begin(), rising.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rows[a].value < rows[b].value;
    });
    own.first_slot = slots_;
    slot_at_[w].resize(rows.size());
    for (std::size_t s = 0; s < rising.size(); ++s) {
      const Inside& row = rows[rising[s]];
      own.values.push_back(row.value);
      slot_at_[w][rising[s]] = static_cast<std::uint32_t>(slots_ + s);
      entries.push_back({row.tile, {static_cast<std::uint32_t>(slots_ + s), row.row}});
    }
    for (const Inside& row : rows) places_[w].push_back(row.place);
    slots_ += rows.size();
    rows = {};
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.tile < b.tile; });
  first_row_.assign(tiles + 1, 0);
  for (const Entry& entry : entries) {
    ++first_row_[entry.tile + 1];
    rows_.push_back(entry.row);
  }
  std::partial_sum(first_row_.begin(), first_row_.end(), first_row_.begin());
}

std::span<const WindowRow> QuantileWindows::rows(std::size_t stratum, std::uint64_t row) const {
  const std::size_t tile = first_tile_[stratum] + static_cast<std::size_t>(row / kCountTile);
  return std::span(rows_).subspan(first_row_[tile], first_row_[tile + 1] - first_row_[tile]);
}

std::size_t QuantileWindows::slot(std::size_t window, std::uint64_t place) const {
  const auto at = std::lower_bound(places_[window].begin(), places_[window].end(), place);
  return slot_at_[window][static_cast<std::size_t>(at - places_[window].begin())];
}

}  // namespace bootfold::paths
