#include "data/coded_numbers.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "bootfold/error.h"
#include "data/number.h"
#include "data/shortest.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

std::string cell_text(const Cells& cells, std::size_t row) {
  if (cells.is_text)
    return cells.missing.empty() || cells.missing[row] == 0 ? std::string(cells.texts[row]) : "";
  std::int64_t integer = 0;
  switch (cells.numbers.type()) {
    case Type::int64:
      cells.numbers.read_integers(row, {&integer, 1});
      return shortest(integer);
    case Type::uint64:
      cells.numbers.read_integers(row, {&integer, 1});
      return shortest(static_cast<std::uint64_t>(integer));
    case Type::float32:
      return shortest(static_cast<float>(cells.numbers[row]) + 0.0F);
    default:
      return shortest(cells.numbers[row] + 0.0);  // -0 is 0
  }
}

ColumnView coded_numbers(const Cells& cells, const CodedColumn& column, std::size_t rows,
                         std::vector<std::unique_ptr<std::byte[]>>& bytes) {
  bytes.emplace_back(new std::byte[rows * sizeof(double) + 1]);
  std::byte* const out = bytes.back().get();
  for (std::size_t row = 0; row < rows; ++row) {
    double value = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> number;
    if (!cells.is_text && !std::isnan(cells.numbers[row])) number = cells.numbers[row];
    const std::string text = number || cells.is_text ? cell_text(cells, row) : std::string();
    const std::string_view field = trimmed(text);
    try {
      if (!field.empty()) value = column.codes.code(column.number, field, number);
    } catch (const InvalidArgument& error) {
      throw DataError(text::concat(column.label, ": row ", column.first + row + 1, ", column ",
                                   text::quoted(column.name), ": ", error.what()));
    }
    std::memcpy(out + row * sizeof(double), &value, sizeof value);
  }
  return {out, Type::float64, rows, sizeof(double)};
}

}  // namespace bootfold::data
