// Rows drawn for many replicates, in the order in which they lie: to look them up is then nearly a
// walk over the data, in place of a jump to another page for each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bootfold::resample {

/// One of them, packed.
class LateRow {
 public:
  static constexpr unsigned kReplicateBits = 20;

  LateRow() = default;
  LateRow(std::uint64_t row, std::size_t replicate) : bits_(row << kReplicateBits | replicate) {}
  [[nodiscard]] std::uint64_t row() const noexcept { return bits_ >> kReplicateBits; }
  [[nodiscard]] std::size_t replicate() const noexcept {
    return bits_ & ((std::uint64_t{1} << kReplicateBits) - 1);
  }

 private:
  std::uint64_t bits_ = 0;
};

class LateRows {
 public:
  static constexpr std::size_t kMost = 65536;
  static constexpr std::size_t kMostReplicates = std::size_t{1} << LateRow::kReplicateBits;
  /// What sorting so many takes.
  static constexpr std::size_t kBytes = 2 * kMost * sizeof(LateRow);

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  /// Room for so many more.
  [[nodiscard]] std::size_t room() const noexcept { return kMost - waiting_.size(); }
  /// Adds rows drawn for a replicate, numbered within its group; there is room.
  void add(std::span<const std::uint64_t> rows, std::size_t replicate) {
    waiting_.reserve(kMost);
    for (const std::uint64_t row : rows) waiting_.emplace_back(row, replicate);
  }

  /// All that were added, sorted by the first 22 bits of row numbers below `rows`; valid until the
  /// next call.
  [[nodiscard]] std::span<const LateRow> take(std::uint64_t rows) {
    const auto width = static_cast<unsigned>(std::bit_width(rows - 1));
    const unsigned low = width > 2 * kPassBits ? width - 2 * kPassBits : 0;
    sorted_.resize(waiting_.size());
    pass(waiting_, low, sorted_);
    if (width > kPassBits) {
      pass(sorted_, low + kPassBits, waiting_);
      waiting_.swap(sorted_);
    }
    waiting_.clear();
    return sorted_;
  }

 private:
  static constexpr unsigned kPassBits = 11;

  /// A stable counting sort by 11 bits of the row numbers.
  static void pass(std::span<const LateRow> from, unsigned shift, std::span<LateRow> to) {
    constexpr std::uint64_t kMask = (1U << kPassBits) - 1;
    const auto digit = [&](LateRow late) { return late.row() >> shift & kMask; };
    std::array<std::uint32_t, kMask + 2> begin{};
    for (const LateRow late : from) ++begin[digit(late) + 1];
    for (std::size_t d = 1; d < begin.size(); ++d) begin[d] += begin[d - 1];
    for (const LateRow late : from) to[begin[digit(late)]++] = late;
  }

  std::vector<LateRow> waiting_;
  std::vector<LateRow> sorted_;
};

}  // namespace bootfold::resample
