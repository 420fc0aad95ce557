#include "study/content_hash.h"

#include <algorithm>
#include <array>
#include <vector>

#include "bootfold/map_reduce.h"
#include "study/tile.h"
#include "study/value_sample.h"

namespace bootfold::study {

namespace {

constexpr std::uint64_t kPlace = 0x9E3779B97F4A7C15U;
constexpr std::size_t kHashedRows = 512;

constexpr std::array<std::uint64_t, kHashedRows> kPowers = [] {
  std::array<std::uint64_t, kHashedRows> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& one : powers) {
    one = power;
    power *= kPlace;
  }
  return powers;
}();

}  // namespace

std::uint64_t content_shift(std::uint64_t rows) {
  std::uint64_t power = 1;
  for (std::uint64_t square = kPlace; rows > 0; rows >>= 1, square *= square)
    if ((rows & 1) != 0) power *= square;
  return power;
}

std::uint64_t content_hash(std::span<const std::uint64_t> keys, std::size_t column,
                           std::uint64_t first) {
  std::uint64_t all = 0;
  std::uint64_t place = content_shift(first) * (2 * column + 1);
  for (std::size_t from = 0; from < keys.size(); from += kHashedRows) {
    const std::size_t size = std::min(kHashedRows, keys.size() - from);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += keys[from + i] * kPowers[i];
    all += sum * place;
    place *= kPowers.back() * kPlace;
  }
  return all;
}

std::uint64_t content_hash(const DataView& piece, std::uint64_t first, const Execution& execution) {
  const auto hash_chunk = [&](std::uint64_t& hash, std::size_t chunk) {
    TileReader reader(piece, kTileRows);
    std::vector<std::uint64_t> keys(kTileRows);
    const std::size_t end = std::min(piece.rows(), (chunk + 1) * kChunkRows);
    for (std::size_t row = chunk * kChunkRows; row < end; row += kTileRows) {
      const statistic::Tile tile = reader.read(row, std::min(kTileRows, end - row));
      for (std::size_t c = 0; c < piece.columns(); ++c) {
        const std::span<const double> values = tile.column(c);
        std::transform(values.begin(), values.end(), keys.begin(), ValueSample::key_of);
        hash += content_hash(std::span(keys).first(values.size()), c, first + row);
      }
    }
  };
  const std::size_t chunks = (piece.rows() + kChunkRows - 1) / kChunkRows;
  return map_reduce(
      {0, chunks, 1}, std::uint64_t{0}, hash_chunk,
      [](std::uint64_t& all, std::uint64_t part) { all += part; },
      Execution{execution.threads, execution.level, execution.stop, {}});
}

}  // namespace bootfold::study
