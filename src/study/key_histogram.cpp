#include "study/key_histogram.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "bootfold/map_reduce.h"
#include "numeric/order_key.h"
#include "study/tile.h"

namespace bootfold::study {

namespace {

constexpr std::size_t kBins = BinCounts::kBins;

/// Values that are sorted rather than counted bin by bin.
constexpr std::size_t kFewRows = 4096;

}  // namespace

KeyHistogram::KeyHistogram(KeyRange range)
    : range_(range),
      shift_(static_cast<unsigned>(std::max(
          0,
          static_cast<int>(std::bit_width(range.last - range.first)) - static_cast<int>(kBits)))) {}

void KeyHistogram::see(const ColumnView& column, const Execution& execution) {
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;  // that 32 bits can count
  if (column.rows() <= kFewRows) return see_few(column);
  const unsigned threads = execution::thread_count(execution);
  struct Counts {
    std::vector<std::uint32_t> bins;
    std::vector<double> tile;
    std::uint64_t below = 0;
  };
  std::vector<Counts> all(threads);
  const Execution quiet{execution.threads, execution.level, execution.stop, {}};
  for (std::uint64_t start = 0; start < column.rows(); start += kMostRows) {
    const std::uint64_t rows = std::min<std::uint64_t>(kMostRows, column.rows() - start);
    execution::detail::run_chunks(
        static_cast<std::size_t>((rows + kChunkRows - 1) / kChunkRows), 1, quiet,
        [&](const execution::Worker& worker, std::size_t chunk) {
          worker.check();
          Counts& own = all[worker.index()];
          own.bins.resize(kBins);
          own.tile.resize(kTileRows);
          const std::uint64_t end = std::min(rows, (chunk + 1) * kChunkRows);
          for (std::uint64_t row = chunk * kChunkRows; row < end; row += kTileRows) {
            const auto size =
                static_cast<std::size_t>(std::min<std::uint64_t>(kTileRows, end - row));
            const std::span<double> tile = std::span(own.tile).first(size);
            column.read(start + row, tile);
            for (const double value : tile) {
              const std::uint64_t key = numeric::order_key(value);
              if (range_.contains(key))
                ++own.bins[(key - range_.first) >> shift_];
              else
                own.below += key < range_.first ? 1 : 0;
            }
          }
        });
    for (Counts& own : all) {
      below_ += std::exchange(own.below, 0);
      counts_.add(own.bins);
      std::fill(own.bins.begin(), own.bins.end(), 0);
    }
  }
}

void KeyHistogram::see_few(const ColumnView& column) {
  std::vector<double> values(column.rows());
  column.read(0, values);
  std::vector<std::uint64_t> bins;
  for (const double value : values) {
    const std::uint64_t key = numeric::order_key(value);
    if (range_.contains(key))
      bins.push_back((key - range_.first) >> shift_);
    else
      below_ += key < range_.first ? 1 : 0;
  }
  std::sort(bins.begin(), bins.end());
  std::vector<BinCounts::Bin> counts;
  for (const std::uint64_t bin : bins) {
    if (counts.empty() || counts.back().bin != bin) counts.push_back({bin, 0});
    ++counts.back().count;
  }
  counts_.add(counts);
}

void KeyHistogram::merge(const KeyHistogram& other) {
  below_ += other.below_;
  counts_.add(other.counts_);
}

bool KeyHistogram::counts_all(std::uint64_t values) const {
  if (below_ != 0) return false;
  bool fits = true;
  counts_.for_each([&](std::uint64_t, std::uint64_t count) {
    fits = count <= values;
    values -= fits ? count : 0;
    return fits;
  });
  return fits && values == 0;
}

KeyHistogram::Bracket KeyHistogram::bracket(std::uint64_t first, std::uint64_t last) const {
  Bracket found;
  std::uint64_t low = kBins;  // not found yet
  std::uint64_t high = kBins - 1;
  std::uint64_t reached = below_;
  counts_.for_each([&](std::uint64_t bin, std::uint64_t count) {
    if (low == kBins && reached + count >= first) {
      low = bin;
      found.below = reached;
    }
    reached += count;
    if (low == kBins || reached < last) return true;
    high = bin;
    return false;
  });
  found.inside = reached - found.below;
  found.keys.first = range_.first + (low << shift_);
  const std::uint64_t width = ((high + 1) << shift_) - 1;
  // The last bin may reach past the range, and past the last key there is.
  found.keys.last = width > range_.last - range_.first ? range_.last : range_.first + width;
  return found;
}

}  // namespace bootfold::study
