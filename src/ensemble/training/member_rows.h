// The rows that a member is trained on: a pure function of seed, member and position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/training.h"
#include "bootfold/execution.h"
#include "resample/permutation.h"

namespace bootfold::ensemble {

/// Which member of which context.
struct MemberId {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
  std::size_t share = 0;  // members of its group (Training::share); 0: independent members

  /// The number of its resample: members that share weights have one in common.
  [[nodiscard]] std::uint64_t resample() const noexcept {
    return share == 0 ? number : number / share;
  }
};

/// Whether some members leave out some of the rows, so that there are out-of-bag predictions.
[[nodiscard]] bool leaves_rows_out(Resampling resampling, std::span<const Settings> settings,
                                   std::size_t rows = std::size_t{1} << 32) noexcept;
/// How members draw rows that leave none out: "none", "subsample and subsample 1".
[[nodiscard]] std::string_view name_of_all_rows(Resampling resampling) noexcept;

class MemberRows {
 public:
  MemberRows(const MemberId& id, Resampling resampling, std::size_t rows, double subsample,
             bool reshuffle, execution::Level level);

  /// Rows of an epoch, counting repeated rows.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The row at a position of the endless sequence of epochs.
  [[nodiscard]] std::uint32_t at(std::uint64_t place) const;

  /// Calls see(i, row) for `count` positions from `place` on.
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

  /// Whether the sequence is that of all rows in their order, as for every other member.
  [[nodiscard]] bool in_order() const noexcept { return drawn_.empty() && !reshuffle_; }

  /// [row]: 1 for out-of-bag rows, otherwise 0.
  [[nodiscard]] std::vector<float> held_out() const;

  /// [row]: weights with mean 1 for Resampling::bayesian; otherwise empty.
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
