// The second read of the rows: exact sums and sizes of the features, for estimates and influences.
//
// Like the first look it is made of integers, minima and maxima, so that the looks of any pieces
// merge to the look of the whole, to the bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "numeric/exact_sum.h"
#include "study/features.h"
#include "study/row_ranges.h"

namespace bootfold::study {

/// Numbers by the exponent of their double, to find a typical size without sorting.
using ExponentCounts = std::array<std::uint32_t, 2048>;

/// What is known of one feature f, with m its rough median.
struct FeatureLook {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double largest = -1;            // |f|
  std::uint64_t largest_row = 0;  // the first with that
  numeric::ExactSum sum;
  numeric::ExactSum squares;   // of f - m
  ExponentCounts exponents{};  // of f - m; of many rows, of one tile in sixteen

  [[nodiscard]] bool operator==(const FeatureLook&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(min, max, largest, largest_row, sum, squares);
    std::vector<std::uint32_t> counts(exponents.begin(), exponents.end());
    archive.sparse(counts, exponents.size());
    if constexpr (Archive::kReads) {
      exponents.fill(0);
      std::copy(counts.begin(), counts.end(), exponents.begin());
    }
  }
};

/// What is known of all features, from some or all rows.
class FeaturesLook {
 public:
  /// Of no row yet. `rows`: of the whole data; `medians`: of each feature, roughly.
  FeaturesLook(std::uint64_t rows, std::vector<double> medians);

  [[nodiscard]] const RowRanges& seen() const noexcept { return seen_; }
  [[nodiscard]] std::span<const FeatureLook> features() const noexcept { return features_; }
  [[nodiscard]] std::span<const double> medians() const noexcept { return medians_; }

  /// Reads the rows of a piece, whose first row is row `first` of the data. `features` are scaled
  /// by the first look at all rows. `room`: bytes that partial looks may take.
  void see(const DataView& piece, std::uint64_t first, const Features& features, std::size_t room,
           const Execution& execution);

  /// Throws InvalidArgument if both saw some row.
  FeaturesLook& operator|=(const FeaturesLook& other);
  [[nodiscard]] friend FeaturesLook operator|(FeaturesLook a, const FeaturesLook& b) {
    return a |= b;
  }
  /// To the bit.
  [[nodiscard]] bool operator==(const FeaturesLook& other) const = default;

  FeaturesLook() = default;
  template <class Archive>
  void visit(Archive& archive) {
    archive(rows_, medians_, seen_, features_);
    if constexpr (Archive::kReads) {
      if (features_.size() != medians_.size()) archive.refuse();
    }
  }

 private:
  void see_tile(const double* made, std::size_t stride, std::size_t rows, std::uint64_t first,
                std::vector<double>& scratch);
  void merge_numbers(const FeaturesLook& other);

  std::uint64_t rows_ = 0;
  std::vector<double> medians_;
  RowRanges seen_;
  std::vector<FeatureLook> features_;
};

}  // namespace bootfold::study
