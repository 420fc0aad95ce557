#include "study/sorted_column.h"

#include <algorithm>

#include "bootfold/error.h"
#include "study/tile.h"

namespace bootfold::study {

std::vector<Tie> SortedColumn::ties() const {
  std::vector<Tie> found;
  for (std::uint32_t begin = 0; begin < values.size();) {
    std::uint32_t end = begin + 1;
    while (end < values.size() && values[end] == values[begin]) ++end;
    if (end - begin > 1) found.push_back({begin, end});
    begin = end;
  }
  return found;
}

SortedColumn sorted(const ColumnView& column, const std::stop_token& stop) {
  struct Row {
    double value;
    std::uint32_t number;
  };
  std::vector<Row> rows(column.rows());
  std::vector<double> tile(kTileRows);
  for (std::size_t first = 0; first < rows.size(); first += kTileRows) {
    if (stop.stop_requested()) throw Cancelled();
    const auto size = std::min(kTileRows, rows.size() - first);
    column.read(first, std::span(tile).first(size));
    for (std::size_t i = 0; i < size; ++i)
      rows[first + i] = {tile[i], static_cast<std::uint32_t>(first + i)};
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.value != b.value ? a.value < b.value : a.number < b.number;
  });
  SortedColumn found;
  found.rows.reserve(rows.size());
  found.values.reserve(rows.size());
  for (const Row& row : rows) {
    found.rows.push_back(row.number);
    found.values.push_back(row.value);
  }
  return found;
}

}  // namespace bootfold::study
