#include "data/csv.h"

#include <limits>

#include "data/csv_reader.h"

namespace bootfold::data {

Table read_csv(const std::string& path, std::optional<char> usual, const ReadOptions& options,
               const Where& where, std::optional<std::uint64_t> rows_before) {
  CsvReader reader(path, usual, options, where, rows_before);
  while (reader.fill(std::numeric_limits<std::size_t>::max())) {
  }
  Table table = reader.take_table();
  reader.check_any_rows();
  reader.check_first_line();
  return table;
}

}  // namespace bootfold::data
