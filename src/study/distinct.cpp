#include "study/distinct.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "study/tile.h"

namespace bootfold::study {

namespace {

/// Open addressing over rows of features; at most half full.
class Table {
 public:
  Table(std::size_t width, std::size_t most) : width_(width), most_(most), slots_(1024, kFree) {}

  /// Counts a row; false once there are more than `most` distinct ones.
  bool add(const std::uint64_t* row) {
    std::size_t slot = hash(row);
    for (;; ++slot) {
      const std::uint32_t found = slots_[slot & (slots_.size() - 1)];
      if (found == kFree) break;
      if (std::memcmp(&rows_[found * width_], row, width_ * sizeof *row) == 0) {
        ++weights_[found];
        return true;
      }
    }
    if (weights_.size() == most_) return false;
    slots_[slot & (slots_.size() - 1)] = static_cast<std::uint32_t>(weights_.size());
    rows_.insert(rows_.end(), row, row + width_);
    weights_.push_back(1);
    if (2 * weights_.size() > slots_.size()) grow();
    return true;
  }

  [[nodiscard]] DistinctRows take() const {
    std::vector<std::size_t> order(weights_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights_[a] > weights_[b]; });
    DistinctRows rows;
    for (const std::size_t i : order) {
      rows.weights.push_back(weights_[i]);
      for (std::size_t f = 0; f < width_; ++f) {
        double value;
        std::memcpy(&value, &rows_[i * width_ + f], sizeof value);
        rows.features.push_back(value);
      }
    }
    return rows;
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  [[nodiscard]] std::size_t hash(const std::uint64_t* row) const {
    std::uint64_t h = 0;
    for (std::size_t f = 0; f < width_; ++f) {
      h = (h ^ row[f]) * 0x9E3779B97F4A7C15U;
      h ^= h >> 29;
    }
    return h * 0xBF58476D1CE4E5B9U >> 20;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      std::size_t slot = hash(&rows_[i * width_]);
      while (slots_[slot & (slots_.size() - 1)] != kFree) ++slot;
      slots_[slot & (slots_.size() - 1)] = static_cast<std::uint32_t>(i);
    }
  }

  std::size_t width_;
  std::size_t most_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace

void DistinctRows::move_features(std::span<const std::uint32_t> places) {
  const std::size_t width = *std::max_element(places.begin(), places.end()) + 1;
  std::vector<double> moved(count() * width);
  for (std::size_t row = 0; row < count(); ++row)
    for (std::size_t f = 0; f < places.size(); ++f)
      moved[row * width + places[f]] = features[row * places.size() + f];
  features = std::move(moved);
}

std::optional<DistinctRows> find_distinct(const DataView& data, const Features& features,
                                          std::size_t most, const Execution& execution) {
  const std::uint64_t rows = data.rows();
  const std::size_t width = features.count();
  const std::size_t tile_rows = feature_tile_rows(width);
  Table table(width, most);
  TileReader reader(data, tile_rows);
  std::vector<double> made(width * tile_rows);
  std::vector<std::uint64_t> row_bits(width);
  for (std::uint64_t row = 0; row < rows; row += tile_rows) {
    if (execution.stop.stop_requested()) break;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, rows - row));
    features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t f = 0; f < width; ++f) {
        const double value = made[f * tile_rows + i] + 0.0;  // -0 becomes 0
        std::memcpy(&row_bits[f], &value, sizeof value);
      }
      if (!table.add(row_bits.data())) return std::nullopt;
    }
  }
  return table.take();
}

}  // namespace bootfold::study
