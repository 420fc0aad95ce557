// The rows that a member learns from: a pure function of seed, member and position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/ensemble/training.h"
#include "execution/simd/kernels.h"
#include "resample/permutation.h"

namespace bootfold::ensemble {

/// Which member of which run.
struct MemberId {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
};

class MemberRows {
 public:
  MemberRows(const MemberId& id, Resampling resampling, std::size_t rows, double subsample,
             bool reshuffle, const execution::simd::Kernels& kernels);

  /// Rows that are gone through before they come again.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The row at a place of the endless walk through them.
  [[nodiscard]] std::uint32_t at(std::uint64_t place) const;

  /// The same for count places from `place` on: see(i, row).
  template <class See>
  void for_each(std::uint64_t place, std::size_t count, See&& see) const {
    if (reshuffle_) {
      for (std::size_t i = 0; i < count; ++i) see(i, at(place + i));
      return;
    }
    std::uint64_t position = place % size_;
    for (std::size_t i = 0; i < count; ++i) {
      see(i, drawn_.empty() ? static_cast<std::uint32_t>(position) : drawn_[position]);
      if (++position == size_) position = 0;
    }
  }

  /// Whether every member goes through all rows in their order.
  [[nodiscard]] bool in_order() const noexcept { return drawn_.empty() && !reshuffle_; }

  /// 1 for rows that the member never sees, else 0.
  [[nodiscard]] std::vector<float> held_out() const;

  /// Of rows under Resampling::bayesian, of mean 1; else empty.
  [[nodiscard]] const std::vector<float>& weights() const noexcept { return weights_; }

 private:
  MemberId id_;
  std::size_t rows_;
  std::size_t size_;
  bool reshuffle_;
  std::vector<std::uint32_t> drawn_;  // empty: all rows in order
  std::vector<float> weights_;
};

}  // namespace bootfold::ensemble
