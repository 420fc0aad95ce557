// Automatic options of the encoding of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bootfold/ensemble/encoding.h"

namespace bootfold::ensemble {

/// Whether options may ask for bins before the rows are known.
[[nodiscard]] inline bool may_have_bins(const EncodingOptions& options) {
  return !options.bins || *options.bins > 1;
}

constexpr std::size_t kLeastAutomaticBins = 4;

/// The options with automatic values filled in, for so many training rows and columns that bins are
/// for.
[[nodiscard]] inline EncodingOptions with_automatic_values(EncodingOptions options,
                                                           std::uint64_t rows, std::size_t numbers,
                                                           bool targets) {
  constexpr std::uint64_t kLeastRows = 1'000;
  constexpr std::size_t kBins = 16;
  constexpr std::size_t kMostColumns = 512;                      // of the bins of all columns
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 27;  // in these: 512 MiB as float32
  constexpr double kShare = 0.001;
  const std::size_t columns = std::max<std::size_t>(numbers, 1);
  const bool known = rows >= kLeastRows && kMostColumns / columns >= kLeastAutomaticBins;
  const auto fit = static_cast<std::size_t>(std::min<std::uint64_t>(
      {kBins, kMostColumns / columns, kMostValues / std::max<std::uint64_t>(rows * columns, 1)}));
  if (!options.bins) options.bins = known && fit >= kLeastAutomaticBins ? fit : 0;
  if (!options.winsorize) options.winsorize = known ? kShare : 0;
  if (options.bin_edges == BinEdges::automatic)
    options.bin_edges = targets ? BinEdges::tree : BinEdges::quantiles;
  return options;
}

}  // namespace bootfold::ensemble
