#include "study/key_histogram.h"

#include <algorithm>
#include <bit>

#include "bootfold/map_reduce.h"
#include "numeric/order_key.h"
#include "study/tile.h"

namespace bootfold::study {

namespace {

constexpr std::size_t kBins = std::size_t{1} << KeyHistogram::kBits;

}  // namespace

KeyHistogram::KeyHistogram(KeyRange range)
    : range_(range),
      shift_(static_cast<unsigned>(std::max(
          0,
          static_cast<int>(std::bit_width(range.last - range.first)) - static_cast<int>(kBits)))) {}

void KeyHistogram::see(const ColumnView& column, const Execution& execution) {
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;  // that 32 bits can count
  if (counts_.empty()) counts_.resize(kBins);
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
      for (std::size_t i = 0; i < own.bins.size(); ++i) counts_[i] += own.bins[i];
      std::fill(own.bins.begin(), own.bins.end(), 0);
    }
  }
}

void KeyHistogram::merge(const KeyHistogram& other) {
  below_ += other.below_;
  if (other.counts_.empty()) return;
  if (counts_.empty()) counts_.resize(kBins);
  for (std::size_t i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
}

bool KeyHistogram::counts_all(std::uint64_t values) const {
  if (below_ != 0) return false;
  for (const std::uint64_t count : counts_) {
    if (count > values) return false;
    values -= count;
  }
  return values == 0;
}

KeyHistogram::Bracket KeyHistogram::bracket(std::uint64_t first, std::uint64_t last) const {
  Bracket found;
  found.below = below_;
  std::size_t low = 0;
  while (low + 1 < counts_.size() && found.below + counts_[low] < first)
    found.below += counts_[low++];
  std::size_t high = low;
  std::uint64_t reached = found.below + counts_[low];
  while (high + 1 < counts_.size() && reached < last) reached += counts_[++high];
  found.inside = reached - found.below;
  found.keys.first = range_.first + (std::uint64_t{low} << shift_);
  const std::uint64_t width = (std::uint64_t{high + 1} << shift_) - 1;
  // The last bin may reach past the range, and past the last key there is.
  found.keys.last = width > range_.last - range_.first ? range_.last : range_.first + width;
  return found;
}

}  // namespace bootfold::study
