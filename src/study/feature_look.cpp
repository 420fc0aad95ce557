#include "study/feature_look.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "study/tile.h"

namespace bootfold::study {

namespace {

std::size_t exponent_bits(double x) { return std::bit_cast<std::uint64_t>(x) >> 52 & 2047U; }

void merge_largest(FeatureLook& look, double largest, std::uint64_t row) {
  if (largest < look.largest || (largest == look.largest && row >= look.largest_row)) return;
  look.largest = largest;
  look.largest_row = row;
}

}  // namespace

FeaturesLook::FeaturesLook(std::uint64_t rows, std::vector<double> medians)
    : rows_(rows), medians_(std::move(medians)), features_(medians_.size()) {}

void FeaturesLook::see_tile(const double* made, std::size_t stride, std::size_t rows,
                            std::uint64_t first, std::vector<double>& scratch) {
  // Of many tiles one in sixteen is enough for a typical size.
  const bool sampled = rows_ <= kChunkRows || first / stride % 16 == 0;
  scratch.resize(rows);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    FeatureLook& look = features_[f];
    const double median = medians_[f];
    const std::span<const double> values(made + f * stride, rows);
    double min = std::numeric_limits<double>::infinity();
    double max = -min;
    double largest_square = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      min = x < min ? x : min;
      max = x > max ? x : max;
      const double difference = x - median;
      scratch[i] = difference * difference;
      largest_square = scratch[i] > largest_square ? scratch[i] : largest_square;
    }
    const double largest = std::max(std::abs(min), std::abs(max));
    look.sum.add(values, largest);
    look.squares.add(scratch, largest_square);
    look.min = std::min(look.min, min + 0.0);
    look.max = std::max(look.max, max + 0.0);
    if (largest > look.largest) {
      const auto at = std::find_if(values.begin(), values.end(),
                                   [&](double x) { return std::abs(x) == largest; });
      if (at != values.end())
        merge_largest(look, largest, first + static_cast<std::uint64_t>(at - values.begin()));
    }
    if (sampled)
      for (const double x : values) ++look.exponents[exponent_bits(x - median)];
  }
}

void FeaturesLook::see(const DataView& piece, std::uint64_t first, const Features& features,
                       std::size_t room, const Execution& execution) {
  const std::uint64_t last = first + piece.rows();
  seen_.merge(RowRanges({first, last}));
  const std::size_t tile_rows = feature_tile_rows(features.count());
  const std::uint64_t first_chunk = first / kChunkRows;
  const std::uint64_t chunks = first == last ? 0 : (last - 1) / kChunkRows + 1 - first_chunk;
  const auto read = [&](FeaturesLook& look, std::uint64_t from, std::uint64_t to) {
    TileReader reader(piece, tile_rows);
    std::vector<double> made(features.count() * tile_rows);
    std::vector<double> scratch;
    for (std::uint64_t row = from; row < to;) {
      // Tiles end where those of the whole data do.
      const std::uint64_t end = std::min(to, (row / tile_rows + 1) * tile_rows);
      const statistic::Tile tile = reader.read(row - first, static_cast<std::size_t>(end - row));
      features.make(tile, made.data(), tile_rows);
      look.see_tile(made.data(), tile_rows, tile.rows, row, scratch);
      row = end;
    }
  };
  if (chunks <= 1) {
    read(*this, first, last);
    return;
  }
  IndexRange range{0, static_cast<std::size_t>(chunks), 1};
  const std::size_t bytes = features.count() * sizeof(FeatureLook) + (std::size_t{1} << 16);
  const unsigned threads = execution::thread_count(execution);
  range.under_way = std::clamp<std::size_t>(room / bytes, threads, 4 * std::size_t{threads} + 1);
  const FeaturesLook nothing(rows_, medians_);
  merge_numbers(map_reduce(
      range, nothing,
      [&](FeaturesLook& look, std::size_t chunk) {
        read(look, std::max(first, (first_chunk + chunk) * kChunkRows),
             std::min(last, (first_chunk + chunk + 1) * kChunkRows));
      },
      [](FeaturesLook& all, FeaturesLook&& part) { all.merge_numbers(part); },
      Execution{execution.threads, execution.level, execution.stop, {}}));
}

void FeaturesLook::merge_numbers(const FeaturesLook& other) {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    FeatureLook& look = features_[f];
    const FeatureLook& more = other.features_[f];
    look.min = std::min(look.min, more.min);
    look.max = std::max(look.max, more.max);
    merge_largest(look, more.largest, more.largest_row);
    look.sum.merge(more.sum);
    look.squares.merge(more.squares);
    for (std::size_t e = 0; e < look.exponents.size(); ++e) look.exponents[e] += more.exponents[e];
  }
}

FeaturesLook& FeaturesLook::operator|=(const FeaturesLook& other) {
  if (other.rows_ != rows_ || other.medians_ != medians_)
    throw InvalidArgument(
        "the looks are about different data or statistics; only looks at the same features of the "
        "same data can be merged");
  seen_.merge(other.seen_);
  merge_numbers(other);
  return *this;
}

}  // namespace bootfold::study
