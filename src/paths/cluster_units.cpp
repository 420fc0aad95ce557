#include "paths/cluster_units.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using resample::simd::kCountTile;

/// Sums of so many bits are whole numbers as doubles.
constexpr int kDoubleBits = 53;

int bits_of(unsigned __int128 number) {
  const auto high = static_cast<std::uint64_t>(number >> 64);
  return high > 0 ? 64 + static_cast<int>(std::bit_width(high))
                  : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number)));
}

/// number / 2^shift, rounded to a whole number.
double shifted(__int128 number, int shift) {
  if (shift == 0) return static_cast<double>(static_cast<std::int64_t>(number));
  return static_cast<double>(
      static_cast<std::int64_t>((number + (static_cast<__int128>(1) << (shift - 1))) >> shift));
}

}  // namespace

ClusterSize::ClusterSize(const resample::Groups& groups)
    : clusters(groups.count()),
      count_digits(study::fixed_whole(static_cast<double>(groups.largest())).digits) {}

Digits::Size ClusterUnits::size(const study::FixedSums& sums, const ClusterSize& clusters,
                                const QuantileWindows::Size& windows) {
  Digits::Size size(sums, {});
  const std::size_t counts = 1 + windows.windows;
  size.columns = sums.problem.data.columns() + counts + windows.trimmed;
  size.features = sums.features() + counts + windows.tied + windows.trimmed;
  size.limbs = sums.limbs.size() + counts + windows.tied + windows.trimmed;
  size.planes =
      sums.planes() + counts * clusters.count_digits + windows.trimmed * study::kLimbDigits;
  size.tied = windows.tied * clusters.count_digits;
  size.is_short = size.is_short && windows.trimmed == 0 && clusters.count_digits <= 4;
  return size;
}

ClusterUnits::ClusterUnits(const study::FixedSums& sums, const study::Problem& problem,
                           std::shared_ptr<const resample::Groups> groups, QuantileWindows& windows,
                           const study::simd::Kernels& kernels, const std::stop_token& stop)
    : sums_(sums), groups_(std::move(groups)) {
  const std::size_t clusters = groups_->count();
  std::vector<std::vector<double>> counts(1 + windows.counts(), std::vector<double>(clusters));
  std::uint64_t place = 0;
  first_slot_.push_back(0);
  for (std::size_t c = 0; c < clusters; ++c) {
    const std::size_t rows = groups_->rows(c).size();
    if (c % 4096 == 0 && stop.stop_requested()) throw Cancelled();
    counts[0][c] = static_cast<double>(rows);
    for (std::size_t w = 0; w < windows.all().size(); ++w)
      for (std::size_t i = 0; i < rows; ++i) {
        const QuantileWindows::Side side = windows.side(w, place + i);
        if (side >= QuantileWindows::kFirstPlane)
          counts[1 + windows.all()[w].first_count + side - QuantileWindows::kFirstPlane][c] += 1;
      }
    for (std::size_t row = 0; row < rows; row += kCountTile)
      for (const WindowRow& one : windows.rows(c, row))
        slots_.push_back({one.slot, static_cast<std::uint16_t>(c % kCountTile)});
    first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
    place += rows;
  }
  for (std::vector<double>& column : counts) add_column(std::move(column));
  if (!windows.trimmed().empty()) add_between(problem, windows, kernels, stop);

  // Behind the columns of the sums come these, as they are.
  std::vector<ColumnView> columns;
  std::vector<statistic::Scale> scales;
  if (sums.features() > 0) {
    for (std::size_t c = 0; c < sums.problem.data.columns(); ++c)
      columns.push_back(sums.problem.data.column(c));
    scales = sums.problem.features.scales();
  }
  for (const std::vector<double>& column : columns_) {
    sums_.problem.features.add_product({static_cast<std::uint32_t>(columns.size())});
    columns.emplace_back(column);
    scales.emplace_back();
  }
  sums_.problem.data = DataView(std::move(columns));
  sums_.problem.features.set_scales(std::move(scales));
}

void ClusterUnits::add_column(std::vector<double> values) {
  double farthest = 0;
  for (const double value : values) farthest = std::max(farthest, std::abs(value));
  sums_.append(study::fixed_whole(farthest));
  columns_.push_back(std::move(values));
}

void ClusterUnits::add_between(const study::Problem& problem, QuantileWindows& windows,
                               const study::simd::Kernels& kernels, const std::stop_token& stop) {
  std::vector<double> kept(study::kTileRows);
  std::vector<std::int64_t> integers(study::kTileRows);
  study::TileReader reader(problem.data, study::kTileRows);
  const std::span<const std::uint32_t> order = groups_->all();
  for (std::size_t t = 0; t < windows.trimmed().size(); ++t) {
    std::vector<__int128> sums(groups_->count());
    std::size_t cluster = 0;
    std::size_t left = groups_->rows(0).size();
    for (std::size_t place = 0; place < order.size(); place += study::kTileRows) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t size = std::min(study::kTileRows, order.size() - place);
      windows.keep_between(t, reader.gather(order.subspan(place, size)), kept.data());
      kernels.quantize(kept.data(), size, windows.trimmed()[t].fixed.point, integers.data());
      for (std::size_t i = 0; i < size; ++i) {
        while (left == 0) left = groups_->rows(++cluster).size();
        --left;
        sums[cluster] += integers[i];
      }
    }
    __int128 farthest = 0;
    for (const __int128 sum : sums) farthest = std::max(farthest, sum < 0 ? -sum : sum);
    const int shift =
        std::max(0, bits_of(static_cast<unsigned __int128>(farthest)) - (kDoubleBits - 1));
    std::vector<double> column;
    for (const __int128 sum : sums) column.push_back(shifted(sum, shift));
    add_column(std::move(column));
    windows.coarsen(t, shift);
  }
}

}  // namespace bootfold::paths
