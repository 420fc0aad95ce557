// The features of all statistics that are functions of sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/statistic.h"

namespace bootfold::study {

class Features {
 public:
  /// Adds a product of scaled columns. Returns its number.
  std::uint32_t add_product(const statistic::Product& product);
  /// Adds the features that a statistic fills from `columns`. Returns the first one's number.
  std::uint32_t add_filled(const statistic::Sums& sums, std::vector<std::uint32_t> columns);

  /// Makes equal products with equally many digits one. Returns every feature's new number.
  std::vector<std::uint32_t> merge_equal(std::span<const std::size_t> digits);

  [[nodiscard]] std::size_t count() const noexcept { return slots_.size(); }
  [[nodiscard]] bool empty() const noexcept { return slots_.empty(); }
  [[nodiscard]] bool is_product(std::size_t feature) const { return !slots_[feature].empty(); }

  /// Number of columns multiplied; 1 for features that a statistic fills.
  [[nodiscard]] std::size_t order(std::size_t feature) const {
    return std::max<std::size_t>(1, slots_[feature].size());
  }

  void set_scales(std::vector<statistic::Scale> scales) { scales_ = std::move(scales); }
  [[nodiscard]] const std::vector<statistic::Scale>& scales() const noexcept { return scales_; }

  /// Makes all features of a tile: features[f * stride + row].
  void make(const statistic::Tile& tile, double* features, std::size_t stride) const;

  /// Does subtracting the centres lose nothing on the rows of this tile?
  [[nodiscard]] bool centred_exactly(std::size_t feature, const statistic::Tile& tile) const;

  /// A product's number, if there is such a feature.
  [[nodiscard]] std::optional<std::size_t> find(const statistic::Product& product) const;

 private:
  struct Filler {
    statistic::Sums sums;
    std::vector<std::uint32_t> columns;
    std::uint32_t first;
  };
  std::vector<statistic::Product> slots_;  // empty: made by a filler
  std::vector<Filler> fillers_;
  std::vector<statistic::Scale> scales_;
};

}  // namespace bootfold::study
