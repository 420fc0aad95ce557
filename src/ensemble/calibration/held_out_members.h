// Which members of an ensemble were not trained on each example.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// The members that did not fail, and for each example which of them were not trained on it.
class HeldOutMembers {
 public:
  /// Throws InvalidArgument if all members failed.
  HeldOutMembers(const Ensemble& ensemble, std::size_t rows, execution::Level level,
                 const Execution& execution);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<std::size_t>& members() const noexcept { return members_; }
  /// Number of members that were not trained on a row.
  [[nodiscard]] std::uint32_t count(std::size_t row) const { return counts_[row]; }

  /// Bit i % 64 of word i / 64 is set if members()[i] was not trained on the row.
  [[nodiscard]] const std::uint64_t* bits(std::size_t row) const { return &bits_[row * words_]; }
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  /// Calls see(i) for each member members()[i] that was not trained on the row, in their order.
  template <class See>
  void for_each(std::size_t row, See&& see) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = bits(row)[w]; rest != 0; rest &= rest - 1)
        see(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  std::size_t rows_;
  std::size_t words_ = 0;
  std::vector<std::size_t> members_;
  std::vector<std::uint64_t> bits_;    // [row][word]
  std::vector<std::uint32_t> counts_;  // [row]
};

}  // namespace bootfold::ensemble
