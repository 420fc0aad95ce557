// Counts of path `stream`: exactly multinomial, made tile by tile in one pass.
//
// Within a super-block of m rows that gets N draws, counts are independent Poisson ones with a mean
// slightly below N / m. Given their total T they are multinomial(T), so N - T uniform "top-up"
// draws make them exactly multinomial(N); if T > N the attempt is void and the super-block's next
// one is used (docs/resampling.md has the proof). Nothing is shared between super-blocks but the
// tree of binomials that gives N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/random.h"
#include "resample/count_law.h"
#include "resample/super_blocks.h"

namespace bootfold::resample {

class WeightedPlaces;  // resample/weighted_places.h

/// The counts of one super-block in one replicate, tile by tile.
///
///     const TileLaws found = laws(count_mean(rows, draws), rows);
///     BlockCounts counts(level, found, {seed, replicate, block}, rows, draws);
///     const auto drawn = counts.draw(
///         replaced, late, [&](std::uint64_t row) { return all.data() + row; },
///         [](std::uint64_t row, std::span<const std::uint8_t> tile) {});
///     for (const std::uint32_t row : drawn.late) ++all[row];
///
/// Path stream, which draws the tiles of many replicates in turn, calls next(), is_void() and
/// top_up() itself.
class BlockCounts {
 public:
  struct Id {
    std::uint64_t seed = 0;
    std::uint64_t replicate = 0;
    std::uint64_t block = 0;
  };

  /// The sum of the counts of all tiles, and the rows that count once more.
  struct Drawn {
    std::uint64_t counted = 0;
    std::span<std::uint32_t> late;
  };

  BlockCounts() = default;
  /// The counts add up to `draws`; `laws` are those of count_mean(rows, draws), and must outlive
  /// this. Without draws no laws are needed.
  BlockCounts(execution::Level level, const TileLaws& laws, const Id& id, std::uint64_t rows,
              std::uint64_t draws);
  /// The counts have no fixed sum: no attempt is void and there is no top-up.
  BlockCounts(execution::Level level, const TileLaws& laws, const Id& id, std::uint64_t rows);
  /// The counts of places with unequal probabilities, which must outlive this. Only the tiles of
  /// places.counted() are drawn; the top-up has places of the whole super-block.
  BlockCounts(execution::Level level, const WeightedPlaces& places, const Id& id);

  /// Draws all tiles of the first attempt that is not void, and the rows of its top-up. room(row)
  /// is the memory for the tile that begins at `row`, as for next(); keep(row, tile) gets its
  /// counts; the rows of the top-up lie in `late`. Both are called again for each further attempt,
  /// whose tiles replace those before.
  template <class Room, class Keep>
  Drawn draw(simd::Replaced& replaced, std::vector<std::uint32_t>& late, const Room& room,
             const Keep& keep) {
    std::uint64_t total = 0;
    do {
      total = 0;
      for (std::uint64_t row = 0; row < rows_;) {
        std::uint8_t* const tile = room(row);
        const std::size_t size = next(tile, replaced);
        total += simd::kernels(level_).total(tile, size);
        keep(row, std::span<const std::uint8_t>(tile, size));
        row += size;
      }
    } while (is_void(total));
    return {total, top_up(total, late)};
  }

  /// Draws the next tile into `counts`, which has room for kCountTile + 64; returns its rows. The
  /// counts behind them up to the next multiple of 128 are 0.
  std::size_t next(std::uint8_t* counts, simd::Replaced& replaced);

  /// Whether the total of all tiles is too large. Then the next attempt starts.
  [[nodiscard]] bool is_void(std::uint64_t total);

  /// The rows, within the super-block, that bring the total up. They lie in `room`, which grows as
  /// needed.
  [[nodiscard]] std::span<std::uint32_t> top_up(std::uint64_t total,
                                                std::vector<std::uint32_t>& room);

  [[nodiscard]] const Id& id() const noexcept { return id_; }
  [[nodiscard]] std::uint8_t attempt() const noexcept { return attempt_; }
  [[nodiscard]] std::uint64_t draws() const noexcept { return draws_; }

 private:
  void seed();
  void decide_open(std::uint8_t* counts, simd::Replaced& replaced, const CountLaw& law) const;

  execution::Level level_ = execution::Level::portable;
  std::uint8_t attempt_ = 0;
  bool topped_up_ = true;
  Id id_;
  std::uint64_t rows_ = 0;
  std::uint64_t draws_ = 0;
  std::uint64_t row_ = 0;
  std::uint64_t rest_ = 0;  // draws that are not counted tile by tile
  TileLaws laws_;
  const WeightedPlaces* places_ = nullptr;  // null: all rows are equally likely
  random::simd::LaneState lanes_{};
};

}  // namespace bootfold::resample
