// Counts under unequal probabilities, for path `stream`: rows sorted by weight.
//
// Rows of nearly the same weight stand side by side, so that a tile of them can be counted as if
// they were equally likely, at the rate of its smallest weight. What is left of every weight is
// little, and is drawn row by row. A row of a large weight stands at several places, and a row of
// weight 0 at none. docs/resampling.md has the proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "resample/alias.h"
#include "resample/count_law.h"
#include "resample/super_blocks.h"

namespace bootfold::resample {

/// The places of a run, for all replicates.
class WeightedPlaces {
 public:
  /// Part of the definition of a count; other numbers in tests only.
  struct Sizes {
    std::uint64_t block_places = kSuperBlockRows;
    double margin = 4;             ///< standard deviations that counts stay below what they may be
    double least_draws = 256;      ///< expected draws of a super-block in which tiles are counted
    double least_mean = 1.0 / 32;  ///< of the counts of a tile that is counted
  };

  /// Of `draws` draws, row i with probability weights[i] / sum.
  WeightedPlaces(std::span<const double> weights, std::uint64_t draws)
      : WeightedPlaces(weights, draws, Sizes()) {}
  WeightedPlaces(std::span<const double> weights, std::uint64_t draws, const Sizes& sizes);

  /// How many places there will be, without making them.
  [[nodiscard]] static std::uint64_t count(std::span<const double> weights, std::uint64_t draws);

  /// The row at each place.
  [[nodiscard]] std::span<const std::uint32_t> rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t draws() const noexcept { return draws_; }
  [[nodiscard]] const SuperBlocks& blocks() const noexcept { return blocks_; }

  /// Places of a super-block whose tiles are counted: the first ones.
  [[nodiscard]] std::uint64_t counted(std::uint64_t block) const { return all_[block].counted; }
  /// The law of the counts of one of these tiles.
  [[nodiscard]] const CountLaw& law(std::uint64_t block, std::uint64_t tile) const {
    return *all_[block].tiles[tile].law;
  }

  /// Draws of a replicate that fall into a super-block.
  struct Draws {
    std::uint64_t all = 0;
    std::uint64_t counted = 0;  ///< of these, to be counted at the rates of the tiles
  };
  [[nodiscard]] Draws draws(std::uint64_t seed, std::uint64_t replicate, std::uint64_t block) const;

  /// Draws places of a super-block one by one, numbered within it: `counted` of them at the rates
  /// of the tiles, and `rest` from what these leave of the weights.
  void draw_late(std::uint64_t seed, std::uint64_t replicate, std::uint64_t block,
                 std::uint64_t counted, std::uint64_t rest,
                 std::vector<std::uint32_t>& places) const;

 private:
  struct Tile {
    const CountLaw* law;  // null: it is not counted
    double rate;          // expected draws of each place that are counted
    double most_left;     // expected draws of a place that are not counted: at most
    std::uint32_t places;
  };
  struct Block {
    std::vector<Tile> tiles;
    std::uint64_t counted = 0;
    double share = 0;                // of the draws that are counted
    std::optional<Alias> rate_tile;  // a tile in proportion to what is counted of it
    std::optional<Alias> left_tile;  // in proportion to places * most_left
  };

  void sort(std::span<const double> weights);
  [[nodiscard]] double prepare(std::uint64_t block, const Sizes& sizes);
  double split(std::span<const double> expected, std::uint64_t first, std::uint64_t last);

  std::uint64_t draws_;
  SuperBlocks blocks_;
  std::vector<std::uint32_t> rows_;  // [place]
  std::vector<double> means_;        // [place]: expected draws
  CountLaws laws_;
  std::vector<Block> all_;
  std::vector<double> left_share_;  // [middle of a node]: of the draws that go to its left
};

}  // namespace bootfold::resample
