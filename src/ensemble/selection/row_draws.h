// What rows are used for where members are selected: some stop members early, the others select
// them, in folds. A pure function of the seed and the row.
#pragma once

#include <cstdint>

#include "bootfold/random.h"

namespace bootfold::ensemble {

/// The draws of one row. Validation rows have draws of their own.
struct RowDraws {
  std::array<std::uint32_t, 4> words;

  RowDraws(std::uint64_t seed, bool validation, std::uint64_t row)
      : words(random::block({seed, validation ? 1U : 0U, random::Purpose::selection}, row)) {}

  /// Whether the row is one of those that stop members (Stopping::share_of_rows).
  [[nodiscard]] bool stops(double share) const noexcept {
    return static_cast<double>(words[0]) < share * 0x1p32;
  }
  /// From 0 to folds - 1.
  [[nodiscard]] std::size_t fold(std::size_t folds) const noexcept {
    return static_cast<std::size_t>(std::uint64_t{words[1]} * folds >> 32);
  }
  /// Whether the row is one of a share of all rows.
  [[nodiscard]] bool is_used(double share) const noexcept {
    return static_cast<double>(words[2]) < share * 0x1p32;
  }
};

}  // namespace bootfold::ensemble
