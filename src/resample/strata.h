// What path stream walks over: independent samples of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/scheme.h"
#include "resample/counts.h"
#include "resample/groups.h"
#include "resample/weighted_places.h"

namespace bootfold::resample {

/// Neighbouring places in the order of a walk.
struct Stratum {
  std::uint64_t first;  // place
  std::uint64_t rows;   // places
  std::uint64_t draws;  // what the counts add up to
  std::uint64_t seed;
};

/// The strata of a run.
class Strata {
 public:
  /// One stratum, of which `draws` rows are drawn, at most as many as there are.
  Strata(std::uint64_t rows, std::uint64_t draws, std::uint64_t seed);
  /// A stratum for each group, from which as many rows are drawn as it has.
  Strata(std::shared_ptr<const Groups> groups, std::uint64_t seed);
  /// The same for strata of which only the sizes are known: their rows are elsewhere.
  Strata(std::span<const std::uint64_t> sizes, std::uint64_t seed);
  /// One stratum of rows with unequal probabilities.
  Strata(std::shared_ptr<const WeightedPlaces> places, std::uint64_t seed);
  /// One stratum, whose counts are Poisson(1) each, with no fixed sum.
  [[nodiscard]] static Strata poisson(std::uint64_t rows, std::uint64_t seed);

  [[nodiscard]] std::span<const Stratum> all() const noexcept { return strata_; }

  /// Whether the counts add up to a fixed number.
  [[nodiscard]] bool topped_up() const noexcept { return topped_up_; }

  /// The places of all strata: as many as there are rows, unless rows have weights.
  [[nodiscard]] std::uint64_t places() const noexcept {
    return strata_.back().first + strata_.back().rows;
  }

  /// The row at each place; empty: the row's own number.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept {
    return groups_     ? groups_->all()
           : weighted_ ? weighted_->rows()
                       : std::span<const std::uint32_t>();
  }

  /// Null: within a stratum all rows are equally likely.
  [[nodiscard]] const WeightedPlaces* weighted() const noexcept { return weighted_.get(); }

 private:
  std::shared_ptr<const Groups> groups_;
  std::shared_ptr<const WeightedPlaces> weighted_;
  std::vector<Stratum> strata_;
  bool topped_up_ = true;
};

/// Makes the counts of one super-block of a stratum, replicate by replicate: the same for every
/// kind of strata.
class BlockSource {
 public:
  BlockSource(execution::Level level, CountLaws& laws, const Strata& strata, std::size_t stratum,
              std::uint64_t block);

  [[nodiscard]] BlockCounts operator()(std::uint64_t replicate);
  /// The same at the end of a list, in place.
  void add(std::uint64_t replicate, std::vector<BlockCounts>& list);

  /// Places that are counted tile by tile: the first of the super-block. Without weights all.
  [[nodiscard]] std::uint64_t counted() const noexcept { return counted_; }

 private:
  /// Calls build() with what a constructor of BlockCounts takes.
  template <class Build>
  auto build_with(std::uint64_t replicate, Build&& build);

  execution::Level level_;
  CountLaws& laws_;
  const Strata& strata_;
  Stratum stratum_;
  SuperBlocks blocks_;
  std::uint64_t block_;
  std::uint64_t counted_;
  std::uint64_t last_draws_ = 0;  // whose mean and laws these are
  double mean_ = 0;
  TileLaws last_laws_;
};

/// The counts of all places of a stratum in a replicate.
[[nodiscard]] std::vector<std::uint32_t> all_counts(execution::Level level, CountLaws& laws,
                                                    const Strata& strata, std::size_t stratum,
                                                    std::uint64_t replicate);

}  // namespace bootfold::resample
