// One replicate laid open, for people and tests.
#include <algorithm>
#include <array>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "resample/counts.h"
#include "resample/rows.h"
#include "text/concat.h"

namespace bootfold::resample {

std::vector<std::uint32_t> counts(std::size_t rows, const ReplicateId& id, execution::Level level) {
  execution::check_available(level);
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  constexpr std::size_t kTileRows = 4096;
  const Poisson poisson(count_mean(rows, kMargin));
  std::vector<std::uint32_t> result(rows);
  std::vector<std::uint8_t> tile(kTileRows);
  std::vector<simd::OpenRow> open(kTileRows);
  random::simd::LaneState lanes{};
  for (std::uint8_t number = 0;; ++number) {
    const Attempt attempt{id.seed, id.replicate, number};
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < rows; row += kTileRows) {
      const std::size_t size = std::min(kTileRows, rows - row);
      total += draw_tile(level, poisson, attempt, row, size, lanes, tile.data(), open.data());
      std::copy_n(tile.begin(), size, result.begin() + static_cast<std::ptrdiff_t>(row));
    }
    if (total > rows) continue;
    std::vector<std::uint64_t> drawn(rows - total);
    TopUp(level, attempt, rows, lanes).draw(drawn);
    for (const std::uint64_t row : drawn) ++result[row];
    return result;
  }
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
