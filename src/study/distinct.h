// Few distinct rows among many: found by one pass that gives up early.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/features.h"

namespace bootfold::study {

/// The distinct rows of features and how many rows each stands for, most frequent first.
struct DistinctRows {
  std::vector<double> features;  // [row][feature]
  std::vector<std::uint64_t> weights;

  [[nodiscard]] std::size_t count() const noexcept { return weights.size(); }

  /// Puts feature f in place places[f]; those that meet in a place are equal.
  void move_features(std::span<const std::uint32_t> places);
};

/// Nothing if there are more than `most`. Equal bits make equal rows (-0 counts as 0).
[[nodiscard]] std::optional<DistinctRows> find_distinct(const DataView& data,
                                                        const Features& features, std::size_t most,
                                                        const Execution& execution);

}  // namespace bootfold::study
