// Counts of whole replicates, under every design that draws rows: what callers get who multiply
// counts with matrices of their own, and what functions of sorted rows walk over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "resample/counts.h"
#include "resample/design.h"
#include "resample/sampler.h"
#include "resample/strata.h"

namespace bootfold::resample {

/// What the makers of counts of all threads share. Refers to the design's labels and weights.
class Counting {
 public:
  /// `replicates`: of the whole run, which only some schemes depend on (Traits::endless). Throws
  /// InvalidArgument if the design gives weights in place of counts.
  Counting(const Design& design, std::uint64_t rows, std::uint64_t seed, std::uint64_t replicates,
           execution::Level level);

  /// Whether counts are those of path stream; otherwise the drawn rows of a sampler are counted.
  [[nodiscard]] bool streams() const noexcept { return strata_ != nullptr; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  /// Ranges of rows whose counts can be made on their own.
  [[nodiscard]] std::uint64_t pieces() const noexcept;
  [[nodiscard]] std::uint64_t first_row(std::uint64_t piece) const noexcept;
  [[nodiscard]] std::uint64_t piece_rows(std::uint64_t piece) const noexcept {
    return first_row(piece + 1) - first_row(piece);
  }

  /// Makes the counts of replicates first, first + 1, ... on the threads of `execution`:
  /// out[replicate - first][row]. Throws InvalidArgument if a row is drawn more often than `Count`
  /// can hold. `Count` is uint8_t, uint16_t, uint32_t or double.
  template <class Count>
  void make(std::uint64_t first, std::span<Count> out, const Execution& execution) const;

 private:
  friend class CountMaker;

  std::uint64_t rows_;
  execution::Level level_;
  std::unique_ptr<const Strata> strata_;
  std::shared_ptr<const Sampling> sampling_;
  std::unique_ptr<CountLaws> laws_;
};

/// Makes counts on one thread.
class CountMaker {
 public:
  explicit CountMaker(const Counting& shared);

  /// The counts of the rows of one piece; returns their sum.
  template <class Count>
  std::uint64_t make(std::uint64_t replicate, std::uint64_t piece, std::span<Count> out,
                     const execution::Worker& worker);

 private:
  template <class Count>
  std::uint64_t draw_block(std::size_t stratum, std::uint64_t block, std::uint64_t replicate,
                           Count* own, const execution::Worker& worker);

  const Counting& shared_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<simd::Replaced> replaced_;
  std::vector<std::uint8_t> tile_;
  std::vector<std::uint32_t> late_;
  std::vector<std::uint32_t> places_;  // counts of a stratum in the order of its rows
};

/// The bytes of the smallest unsigned integer, 1, 2 or 4, that holds every count of a design but
/// with a probability below 1e-20 for a row.
[[nodiscard]] unsigned count_bytes(const Design& design, std::uint64_t rows);

}  // namespace bootfold::resample
