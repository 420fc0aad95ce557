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

/// Rows of a window that reaches so far to both sides.
std::size_t rows_of(double reach, double rows) {
  return static_cast<std::size_t>(std::min(rows, 2 * reach + 2));
}

/// More equal values than this at an end of such a window are counted together.
std::size_t most_untied(std::size_t window_rows) { return window_rows / 2 + 32; }

/// Shows a column piece by piece.
numeric::Scan scan_of(const ColumnView& column, const std::stop_token& stop) {
  return [&column, stop](const std::function<void(std::span<const double>)>& see) {
    std::vector<double> buffer(std::min<std::size_t>(study::kTileRows, column.rows()));
    for (std::size_t row = 0; row < column.rows(); row += buffer.size()) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t size = std::min(buffer.size(), column.rows() - row);
      const std::span<const double> direct = column.doubles(row, size);
      if (direct.empty()) column.read(row, {buffer.data(), size});
      see(direct.empty() ? std::span<const double>(buffer.data(), size) : direct);
    }
  };
}

}  // namespace

double RowSpread::most(double share) const {
  const auto rows = static_cast<double>(rows_);
  const double thin = std::max(1.0, rows / static_cast<double>(draws_));
  return kReach * std::sqrt(thin * rows * share * (1 - share) + thin) + kMore * thin;
}

DesignSpread::DesignSpread(const resample::Design& design, std::uint64_t rows)
    : design_(design), rows_(rows), squares_(0), shift_(design.block_length()) {
  if (design.clusters().empty()) {
    // Blocks of geometric length l on average have 2 l - 1 rows as neighbours of a row.
    squares_ = static_cast<double>(rows) * 2 * design.block_length();
    return;
  }
  const auto groups = design.groups();
  for (std::size_t g = 0; g < groups->count(); ++g) {
    const auto size = static_cast<double>(groups->rows(g).size());
    squares_ += size * size;
  }
}

double DesignSpread::most(double share) const {
  const double far = std::max(share, 1 - share);  // of a row's indicator from its mean
  return kReach * far * std::sqrt(squares_) + kMore + shift_;
}

double DesignSpread::of(const ColumnView& column, double share, const std::stop_token& stop) const {
  const auto rows = static_cast<double>(rows_);
  const auto rank = static_cast<std::uint64_t>(std::floor(share * (rows - 1))) + 1;
  const numeric::Scan scan = scan_of(column, stop);
  const double value = numeric::order_statistics(scan, rank, rank)[0];
  // The rows below the quantile, and those up to it, which are others if values are tied.
  double variance = 0;
  for (const bool with_equal : {false, true}) {
    std::vector<double> changes;
    changes.reserve(rows_);
    double below = 0;
    scan([&](std::span<const double> values) {
      for (const double one : values) {
        const bool is_below = with_equal ? one <= value : one < value;
        changes.push_back(is_below ? 1 : 0);
        below += is_below ? 1 : 0;
      }
    });
    for (double& change : changes) change -= below / rows;
    const auto cumulants = design_.cumulants(changes);
    if (!cumulants) return most(share);
    variance = std::max(variance, cumulants->second.value());
  }
  return std::min(most(share), kReach * std::sqrt(variance) + kMore + shift_);
}

QuantileWindows::Size QuantileWindows::size(const study::Problem& problem, std::uint64_t places,
                                            const Spread& spread) {
  const auto rows = static_cast<double>(places);
  Size found;
  const auto add = [&](double share) {
    ++found.windows;
    found.tied += 2;  // the ends of the window
    const std::size_t own = rows_of(spread.most(share), rows);
    found.slots += own;
    found.most_slots += std::min<std::size_t>(places, own + 2 * most_untied(own));
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
                                 const Spread& spread, const std::stop_token& stop,
                                 std::span<const double> weights)
    : weights_(weights) {
  of_part_.resize(problem.parts.size());
  for (std::size_t p = 0; p < problem.parts.size(); ++p) {
    const study::Part& part = problem.parts[p];
    if (const auto* order = std::get_if<statistic::Order>(&part.bound.body))
      for (const double q : order->probabilities)
        of_part_[p].push_back(add(window(problem, part.columns[0], q, spread, stop)));
    const auto* call = std::get_if<statistic::Call>(&part.bound.body);
    if (call == nullptr || !call->trimmed) continue;
    const double share = *call->trimmed;
    QuantileWindow low = window(problem, part.columns[0], share, spread, stop);
    QuantileWindow high = window(problem, part.columns[0], 1 - share, spread, stop);
    if (low.high >= high.low) {  // one window for both ends
      low.high = std::max(low.high, high.high);
      for (const TiedValue& tied : high.tied)
        if (std::none_of(low.tied.begin(), low.tied.end(),
                         [&](const TiedValue& other) { return other.value == tied.value; }))
          low.tied.push_back(tied);
      std::sort(low.tied.begin(), low.tied.end(),
                [](const TiedValue& a, const TiedValue& b) { return a.value < b.value; });
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
  if (same != windows_.end()) return number;
  windows_.push_back(window);
  windows_.back().first_count = counts_;
  counts_ += window.counts();
  return number;
}

QuantileWindow QuantileWindows::window(const study::Problem& problem, std::uint32_t column,
                                       double share, const Spread& spread,
                                       const std::stop_token& stop) const {
  const auto rows = static_cast<double>(problem.data.rows());
  const numeric::Scan scan = scan_of(problem.data.column(column), stop);
  QuantileWindow made;
  made.column = column;
  if (weights_.empty()) {
    const double half = spread.of(problem.data.column(column), share, stop);
    const double centre = share * (rows - 1) + 1;
    const auto rank = [&](double position) {
      return static_cast<std::uint64_t>(std::clamp(position, 1.0, rows));
    };
    const std::uint64_t first = rank(std::floor(centre - half));
    const std::uint64_t last = rank(std::ceil(centre + half));
    made.low = numeric::order_statistics(scan, first, first)[0];
    made.high = numeric::order_statistics(scan, last, last)[0];
  } else {
    numeric::Compensated total;
    for (const double weight : weights_) total.add(weight);
    const double half = spread.most(share) / rows;
    const numeric::WeightedWindow found = numeric::weighted_window(
        numeric::weighted_scan(scan, weights_), std::max(0.0, share - half) * total.value(),
        std::min(1.0, share + half) * total.value());
    made.low = found.values.front();
    made.high = found.values.back();
  }
  // Values between the ends are at most as many as there are ranks. The ends may have many more.
  std::uint64_t low_rows = 0;
  std::uint64_t high_rows = 0;
  scan([&](std::span<const double> values) {
    for (const double value : values) {
      low_rows += value == made.low ? 1 : 0;
      high_rows += value == made.high ? 1 : 0;
    }
  });
  const std::uint64_t most = most_untied(rows_of(spread.most(share), rows));
  if (low_rows > most) made.tied.push_back({made.low});
  if (high_rows > most && made.high != made.low) made.tied.push_back({made.high});
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
          Side& side = sides_[w][place + i];
          side = values[i] < own.low ? kFirstPlane : values[i] <= own.high ? kInside : kAbove;
          for (std::size_t t = 0; t < own.tied.size(); ++t)
            if (values[i] == own.tied[t].value) side = static_cast<Side>(kFirstPlane + 1 + t);
          if (side == kInside)
            inside[w].push_back({values[i], place + i, tiles, static_cast<std::uint16_t>(i)});
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
    for (TiedValue& tied : own.tied)
      tied.slots_before = static_cast<std::size_t>(
          std::lower_bound(own.values.begin(), own.values.end(), tied.value) - own.values.begin());
    for (const Inside& row : rows) places_[w].push_back(row.place);
    slots_ += rows.size();
    rows = std::vector<Inside>();  // `{}` would keep the memory
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

void QuantileWindows::keep_between(std::size_t trimmed, const statistic::Tile& tile,
                                   double* kept) const {
  const TrimmedMean& mean = trimmed_[trimmed];
  const double* values = tile.columns[mean.column];
  const double low = windows_[mean.low_window].high;
  const double high = windows_[mean.high_window].low;
  for (std::size_t i = 0; i < tile.rows; ++i)
    kept[i] = values[i] > low && values[i] < high ? values[i] : mean.fixed.point.centre;
}

void QuantileWindows::coarsen(std::size_t trimmed, int shift) {
  study::FixedFeature& fixed = trimmed_[trimmed].fixed;
  fixed.factor = std::ldexp(fixed.factor, shift);
}

}  // namespace bootfold::paths
