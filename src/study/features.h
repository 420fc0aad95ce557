// The features of all statistics that are functions of sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bootfold/statistic.h"

namespace bootfold::study {

struct ValuesLook;  // study/column_look.h

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

  /// The columns that products multiply, in rising order.
  [[nodiscard]] std::vector<std::uint32_t> product_columns() const;
  /// Makes all features of rows whose columns are those of products and then the features that
  /// statistics fill: [feature][row].
  [[nodiscard]] std::vector<double> make(const std::vector<std::vector<double>>& columns,
                                         std::size_t rows) const;

  /// The number of features that statistics fill.
  [[nodiscard]] std::size_t filled() const noexcept;
  /// Makes these alone, without scales: filled[k * stride + row].
  void fill(const statistic::Tile& tile, double* filled, std::size_t stride) const;

  /// The columns of a product and how often it multiplies each.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::size_t>> powers(
      std::size_t feature) const;

  /// What can be said of a product from its columns: all values lie between `min` and `max`, and
  /// are whole multiples of 2^lowest_bit (kNoBits: all are 0) that doubles hold without rounding,
  /// unless that is kNotWhole.
  [[nodiscard]] ValuesLook product_look(std::size_t feature,
                                        std::span<const ValuesLook> columns) const;

  /// A product's number, if there is such a feature.
  [[nodiscard]] std::optional<std::size_t> find(const statistic::Product& product) const;

 private:
  struct Filler {
    statistic::Sums sums;
    std::vector<std::uint32_t> columns;
    std::uint32_t first;
  };
  void make_products(const statistic::Tile& tile, double* features, std::size_t stride) const;
  static void fill_one(const Filler& filler, const statistic::Tile& tile, double* filled,
                       std::size_t stride);

  std::vector<statistic::Product> slots_;  // empty: made by a filler
  std::vector<Filler> fillers_;
  std::vector<statistic::Scale> scales_;
};

}  // namespace bootfold::study
