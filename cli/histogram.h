// cli/histogram.h: the replicates as a picture in text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bootfold::cli {

/// What is marked under the picture.
struct Marks {
  double low = 0;
  double estimate = 0;
  double high = 0;
  double confidence = 0.95;
};

/// Size and characters of a plot in text.
struct PlotStyle {
  std::size_t width = 80;  ///< columns, with the two blanks on the left
  std::size_t height = 8;  ///< lines of the tallest bar
  bool utf8 = false;       ///< block and line characters; else ASCII
};

/// Numbers of values in bars of equal width: bar b goes from start + b * width to
/// start + (b + 1) * width.
struct Bins {
  double start = 0;
  double width = 0;
  std::vector<std::uint64_t> counts = {};  ///< empty when the values do not vary
};

/// The bars of histogram(), at most `most` of them.
[[nodiscard]] Bins bins_of(std::span<const double> values, std::size_t first, std::size_t stride,
                           const Marks& marks, std::size_t most);

/// Draws every `stride`-th value from `first` on (column `first` of a matrix with `stride`
/// columns). Shows the central 99.9 % of the values and all marks. Replicates on a lattice (means
/// of whole numbers) get bars of whole lattice steps, so no bar holds one step more than its
/// neighbour. Empty when the values do not vary. Memory: at most 512 KiB, whatever their number.
[[nodiscard]] std::string histogram(std::span<const double> values, std::size_t first,
                                    std::size_t stride, const Marks& marks, const PlotStyle& style);

}  // namespace bootfold::cli
