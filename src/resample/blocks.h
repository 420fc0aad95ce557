// Blocks of neighbouring rows: where they start and how long they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bootfold/random.h"
#include "bootfold/scheme.h"

namespace bootfold::resample {

/// A run of rows start, start + 1, ...; behind the last row comes the first.
struct Block {
  std::uint64_t start;
  std::uint64_t length;
};

/// P(length = k) = p (1 - p)^(k - 1) for k = 1, 2, ..., with p = 1 / mean.
class GeometricLengths {
 public:
  explicit GeometricLengths(double mean);

  /// Draws a length; `next` gives random words.
  template <class Next>
  [[nodiscard]] std::uint64_t operator()(Next&& next) const {
    // Beyond the table the law starts anew: a geometric length has no memory.
    std::uint64_t before = 0;
    for (;;) {
      const std::uint64_t word = next();
      std::size_t k = guide_[static_cast<std::size_t>(word >> (64 - kGuideBits))];
      while (k < thresholds_.size() && thresholds_[k] <= word) ++k;
      if (k < thresholds_.size()) return before + k + 1;
      before += thresholds_.size();
    }
  }

 private:
  static constexpr int kGuideBits = 12;
  static constexpr std::size_t kMostThresholds = 4096;

  std::vector<std::uint64_t> thresholds_;  // [k]: P(length <= k + 1) * 2^64
  std::array<std::uint16_t, std::size_t{1} << kGuideBits> guide_;
};

/// What all replicates of a run share.
class BlockLaw {
 public:
  /// `scheme` is one of the three schemes of blocks, with a length of 1 to `rows`.
  BlockLaw(const Scheme& scheme, std::uint64_t rows);

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] double mean_length() const noexcept { return mean_length_; }

  /// Calls see(block) for the blocks of a replicate; their lengths add up to rows().
  template <class See>
  void for_each(const random::StreamId& id, See&& see) const {
    random::Lanes lanes(id, 0);
    std::array<std::uint64_t, 16 * random::Lanes::kLanes> words;  // many at once: fewer branches
    std::size_t used = words.size();
    const auto next = [&] {
      if (used == words.size()) [[unlikely]] {
        for (std::size_t i = 0; i < words.size(); i += random::Lanes::kLanes) {
          const auto step = lanes();
          std::copy(step.begin(), step.end(), words.begin() + static_cast<std::ptrdiff_t>(i));
        }
        used = 0;
      }
      return words[used++];
    };
    std::uint64_t position = 0;
    for (std::uint64_t left = rows_; left > 0; ++position) {
      const std::uint64_t start = this->start(next(), id, position);
      const std::uint64_t length = stationary_ ? lengths_(next) : length_;
      see(Block{start, length < left ? length : left});
      left -= length < left ? length : left;
    }
  }

 private:
  /// Uniform over the starts; a word that would make some likelier is drawn again elsewhere.
  [[nodiscard]] std::uint64_t start(std::uint64_t word, const random::StreamId& id,
                                    std::uint64_t position) const {
    const auto product = static_cast<unsigned __int128>(word) * starts_;
    if (static_cast<std::uint64_t>(product) >= reject_) [[likely]]
      return static_cast<std::uint64_t>(product >> 64);
    return start_again(id, position);
  }
  [[nodiscard]] std::uint64_t start_again(const random::StreamId& id, std::uint64_t position) const;

  std::uint64_t rows_;
  std::uint64_t starts_;  // a block starts at one of the first so many rows
  std::uint64_t reject_;
  double mean_length_;
  std::uint64_t length_;  // where it is fixed
  bool stationary_;
  GeometricLengths lengths_;
};

}  // namespace bootfold::resample
