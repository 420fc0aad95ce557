// One replicate laid open, for people and tests.
#include <algorithm>
#include <memory>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "resample/counts.h"
#include "resample/rows.h"
#include "text/concat.h"

namespace bootfold::resample {

std::vector<std::uint32_t> counts(std::size_t rows, const ReplicateId& id, execution::Level level) {
  execution::check_available(level);
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  std::vector<std::uint32_t> result(rows);
  std::vector<std::uint8_t> tile(simd::kCountTile + 64);
  std::vector<std::uint32_t> late;
  const auto replaced = std::make_unique<simd::Replaced>();
  CountLaws laws;
  const SuperBlocks blocks(rows);
  for (std::uint64_t b = 0; b < blocks.count(); ++b) {
    const std::uint64_t draws = blocks.draws(id.seed, id.replicate, rows, b);
    if (draws == 0) continue;
    std::uint32_t* const own = result.data() + blocks.first_row(b);
    BlockCounts counts(level, laws(count_mean(blocks.rows(b), draws), blocks.rows(b)),
                       {id.seed, id.replicate, b}, blocks.rows(b), draws);
    std::uint64_t total = 0;
    do {
      total = 0;
      for (std::uint64_t row = 0; row < blocks.rows(b);) {
        const std::size_t size = counts.next(tile.data(), *replaced);
        total += simd::kernels(level).total(tile.data(), size);
        std::copy_n(tile.begin(), size, own + row);
        row += size;
      }
    } while (counts.is_void(total));
    counts.top_up(total, late);
    for (const std::uint32_t row : late) ++own[row];
  }
  return result;
}

std::vector<std::uint32_t> indices(std::size_t rows, const ReplicateId& id,
                                   execution::Level level) {
  execution::check_available(level);
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  if (rows > kMostGatherRows)
    throw InvalidArgument(text::concat("rows is ", rows, " but row numbers are drawn from at most ",
                                       kMostGatherRows, " rows; counts() has no such limit"));
  std::vector<std::uint32_t> result(rows + kSideBySide);
  draw_rows(level, id.seed, id.replicate, static_cast<std::uint32_t>(rows), {result.data(), rows});
  result.resize(rows);
  return result;
}

}  // namespace bootfold::resample
