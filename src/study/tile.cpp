#include "study/tile.h"

namespace bootfold::study {

TileReader::TileReader(const DataView& data, std::size_t most_rows)
    : data_(data), buffers_(data.columns()), columns_(data.columns()), most_rows_(most_rows) {}

statistic::Tile TileReader::read(std::uint64_t first, std::size_t rows) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::span<const double> direct = data_.column(c).doubles(first, rows);
    if (!direct.empty()) {
      columns_[c] = direct.data();
      continue;
    }
    buffers_[c].resize(most_rows_);
    data_.column(c).read(first, {buffers_[c].data(), rows});
    columns_[c] = buffers_[c].data();
  }
  return {columns_, rows};
}

template <class Row>
statistic::Tile TileReader::gather_rows(std::span<const Row> rows) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    buffers_[c].resize(most_rows_);
    data_.column(c).gather(rows, {buffers_[c].data(), rows.size()});
    columns_[c] = buffers_[c].data();
  }
  return {columns_, rows.size()};
}

statistic::Tile TileReader::gather(std::span<const std::uint64_t> rows) {
  return gather_rows(rows);
}

statistic::Tile TileReader::gather(std::span<const std::uint32_t> rows) {
  return gather_rows(rows);
}

}  // namespace bootfold::study
