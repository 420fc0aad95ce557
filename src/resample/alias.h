// Rows with unequal probabilities from one random word each: Walker's alias table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bootfold::resample {

/// Row i comes up with probability weights[i] / sum, right to about 2^-52 of 1/n.
class Alias {
 public:
  explicit Alias(std::span<const double> weights);

  [[nodiscard]] std::uint32_t row(std::uint64_t word) const noexcept {
    const auto product = static_cast<unsigned __int128>(word) * cells_.size();
    const Cell& cell = cells_[static_cast<std::size_t>(product >> 64)];
    return static_cast<std::uint64_t>(product) < cell.threshold ? cell.below : cell.above;
  }

 private:
  struct Cell {
    std::uint64_t threshold;
    std::uint32_t below;
    std::uint32_t above;
  };
  std::vector<Cell> cells_;
};

}  // namespace bootfold::resample
