// What is left out at a time where a statistic has to be evaluated without it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bootfold::jackknife {

/// Which unit a row belongs to.
class Units {
 public:
  explicit Units(std::uint64_t rows) : Units(rows, {}) {}

  /// Whole clusters, by label.
  explicit Units(std::span<const std::uint32_t> labels) : Units(0, numbers_of(labels)) {}

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Rows or clusters, before they are put into groups.
  [[nodiscard]] std::uint64_t all() const noexcept { return all_; }
  [[nodiscard]] bool grouped() const noexcept { return grouped_; }
  [[nodiscard]] bool clusters() const noexcept { return !clusters_.empty(); }

  // A hash of the number, so nothing is stored.
  [[nodiscard]] std::uint64_t of(std::uint64_t row) const noexcept {
    const std::uint64_t number = clusters_.empty() ? row : clusters_[row];
    if (!grouped_) return number;
    std::uint64_t bits = number + 0x9E3779B97F4A7C15U;  // SplitMix64
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
    bits ^= bits >> 31;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * count_ >> 64);
  }

 private:
  Units(std::uint64_t rows, std::vector<std::uint32_t> clusters);

  /// Labels as numbers 0, 1, ... without gaps, in rising order of the labels.
  [[nodiscard]] static std::vector<std::uint32_t> numbers_of(std::span<const std::uint32_t> labels);

  std::vector<std::uint32_t> clusters_;  // of each row; empty: rows themselves
  std::uint64_t all_;
  bool grouped_;
  std::uint64_t count_;
};

}  // namespace bootfold::jackknife
