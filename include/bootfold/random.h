// bootfold/random.h: counter-based random streams.
//
//     random::Stream stream({.seed = 7, .replicate = 41});
//     double z = random::normal(stream);
//
// A draw is a pure function of (seed, replicate, purpose, attempt, position), so any thread, rank
// or device can compute any draw in any order, and all of them agree. The definition is versioned:
// docs/random-streams.md states it and tests/random/vectors.txt contains known answers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "bootfold/api.h"

namespace bootfold::random {

/// Version of the streams. The bits of a version never change.
inline constexpr int kStreamVersion = 2;

/// Purpose of the draws of a stream. Different purposes never share a draw.
enum class Purpose : std::uint8_t {
  counts = 1,           ///< Poisson counts of rows
  tie = 2,              ///< more bits for counts that 16 bits do not determine
  split = 3,            ///< draws that fall into each super-block of rows
  index = 4,            ///< row numbers of a resample
  index_retry = 5,      ///< row numbers redrawn after a rejection
  short_index = 6,      ///< row numbers of short resamples, for 16 replicates at a time
  binomial = 7,         ///< counts of distinct rows
  order = 8,            ///< positions of order statistics
  block = 10,           ///< starts and lengths of blocks of rows
  block_retry = 11,     ///< starts of blocks redrawn after a rejection
  weighted = 12,        ///< row numbers with unequal probabilities
  within_cluster = 13,  ///< rows of a drawn cluster
  stratum = 14,         ///< seeds of strata, or of several independent samples
  permutation = 15,     ///< keys of a permutation
  dirichlet = 16,       ///< weights of the Bayesian bootstrap
  group = 17,           ///< seeds of the groups of a comparison
  block_length = 18,    ///< lengths of blocks that need more bits
  first_weights = 19,   ///< initial weights of the members of an ensemble
  member_rows = 20,     ///< keys of permutations of the training rows of a member
  members = 21,         ///< number of members of an ensemble, if it is random
  dropout = 22,         ///< keys of the dropout masks of a member, one block for each step
  shared_scales = 23,   ///< initial scales of a member that shares weights
  shared_order = 24,    ///< key of the order of its training rows
  frequencies = 30,     ///< frequencies of periodic features of inputs
  settings = 40,        ///< settings that are drawn from ranges
  selection = 41,       ///< rows that stop members, and folds of rows that select members
  user = 255,           ///< available to users of this header
};

/// Identifies one independent stream. A plain value: copy it, store it, send it to another rank.
struct StreamId {
  std::uint64_t seed = 0;
  std::uint64_t replicate = 0;
  Purpose purpose = Purpose::user;
  std::uint8_t attempt = 0;
};

/// Returns the four random words at `position` (below 2^48) of `stream`: Philox4x32-10.
///
///     auto words = random::block({.seed = 7, .replicate = 41}, 0);
///
/// Same words on every platform, SIMD level and thread count. Does not allocate.
[[nodiscard]] BOOTFOLD_API std::array<std::uint32_t, 4> block(const StreamId& stream,
                                                              std::uint64_t position) noexcept;

/// The words of one stream in order, as 64-bit numbers. A std::uniform_random_bit_generator.
///
///     random::Stream stream({.seed = 7, .replicate = 41});
///     double z = random::normal(stream);
class BOOTFOLD_API Stream {
 public:
  using result_type = std::uint64_t;

  /// Starts at `position`, below 2^48.
  explicit Stream(const StreamId& id, std::uint64_t position = 0) noexcept
      : id_(id), position_(position) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() noexcept {
    if (!has_spare_) return next_block();
    has_spare_ = false;
    return spare_;
  }

 private:
  result_type next_block() noexcept;

  StreamId id_;
  std::uint64_t position_;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

/// Uniform integer from 0 to bound - 1, without bias (multiplication with rejection).
[[nodiscard]] BOOTFOLD_API std::uint64_t uniform_index(Stream& stream, std::uint64_t bound);

/// Uniform in (0, 1): an odd multiple of 2^-53, never 0 or 1.
[[nodiscard]] BOOTFOLD_API double uniform(Stream& stream);

/// Standard normal.
[[nodiscard]] BOOTFOLD_API double normal(Stream& stream);

/// Exponential with mean 1.
[[nodiscard]] BOOTFOLD_API double exponential(Stream& stream);

/// Binomial: number of successes in `trials` trials. A probability that rounding moved outside
/// [0, 1] is clamped.
[[nodiscard]] BOOTFOLD_API std::uint64_t binomial(Stream& stream, std::uint64_t trials,
                                                  double probability);

/// Beta(a, b) for a, b > 0.
[[nodiscard]] BOOTFOLD_API double beta(Stream& stream, double a, double b);

/// sfc64 in eight lanes, seeded by Philox: the fast stream for counts and row numbers. The
/// number of lanes is part of the definition and does not depend on the machine.
class Lanes {
 public:
  static constexpr std::size_t kLanes = 8;

  /// Stream number `number` of `id`, seeded from the positions 16 * number .. 16 * number + 15.
  Lanes(const StreamId& id, std::uint64_t number) noexcept;

  /// The next eight words, lane 0 first.
  std::array<std::uint64_t, kLanes> operator()() noexcept;

 private:
  friend struct LaneAccess;
  alignas(64) std::uint64_t state_[4][kLanes];  // [word][lane]
};

}  // namespace bootfold::random
