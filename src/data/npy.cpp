#include "data/npy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/columns.h"
#include "data/computed.h"
#include "data/npy_header.h"
#include "data/shortest.h"
#include "data/sieve.h"
#include "data/storage.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kTile = 1024;

struct Chosen {
  const std::string& label;
  std::optional<std::uint64_t> rows_before;
  std::vector<std::size_t> numbers;  // of the columns, from 0
  std::vector<ColumnView> columns;
};

[[noreturn]] void throw_not_finite(const Chosen& chosen, std::size_t row, std::size_t column,
                                   double value) {
  const std::string where =
      text::concat(chosen.label, ": row ", row + 1, row_of_all(chosen.rows_before, row),
                   ", column ", chosen.numbers[column] + 1, " (counted from 1) is ");
  if (std::isnan(value)) throw DataError(where + "NaN; nan=omit leaves such rows out");
  throw DataError(where + "infinite; values must be finite, so store NaN for unknown values");
}

bool all_finite(std::span<const double> values) {
  bool finite = true;
  for (const double value : values) finite &= std::abs(value) <= std::numeric_limits<double>::max();
  return finite;
}

// One tile of all chosen columns as doubles, and which of its rows hold NaN.
class Tile {
 public:
  explicit Tile(const Chosen& chosen) : chosen_(chosen), values_(chosen.columns.size() * kTile) {}

  // Reads the tile at row `first`. Throws DataError for infinities, and for NaN under
  // NanPolicy::error.
  void read(std::size_t first, NanPolicy policy) {
    rows_ = std::min(kTile, chosen_.columns[0].rows() - first);
    bool finite = true;
    for (std::size_t c = 0; c < chosen_.columns.size(); ++c) {
      const std::span<double> out(&values_[c * kTile], rows_);
      chosen_.columns[c].read(first, out);
      finite &= all_finite(out);
    }
    incomplete_.fill(false);
    if (!finite) look_closer(first, policy);
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] bool incomplete(std::size_t row) const { return incomplete_[row]; }
  [[nodiscard]] double value(std::size_t row, std::size_t column) const {
    return values_[column * kTile + row];
  }

 private:
  void look_closer(std::size_t first, NanPolicy policy) {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t c = 0; c < chosen_.columns.size(); ++c) {
        const double x = value(row, c);
        if (std::isinf(x) || (std::isnan(x) && policy == NanPolicy::error))
          throw_not_finite(chosen_, first + row, c, x);
        if (std::isnan(x)) incomplete_[row] = true;
      }
  }

  const Chosen& chosen_;
  std::vector<double> values_;  // column after column
  std::array<bool, kTile> incomplete_{};
  std::size_t rows_ = 0;
};

// Returns the rows to leave out.
std::vector<std::size_t> check(const Chosen& chosen, NanPolicy policy) {
  Tile tile(chosen);
  std::vector<std::size_t> omitted;
  for (std::size_t first = 0; first < chosen.columns[0].rows(); first += kTile) {
    tile.read(first, policy);
    for (std::size_t row = 0; row < tile.rows(); ++row)
      if (tile.incomplete(row)) omitted.push_back(first + row);
  }
  return omitted;
}

// Every number as text, exactly.
Texts texts_of(const ColumnView& column, std::string name) {
  Texts texts(std::move(name));
  for (std::size_t row = 0; row < column.rows(); ++row) {
    std::int64_t integer = 0;
    switch (column.type()) {
      case Type::int64:
        column.read_integers(row, {&integer, 1});
        texts.add(shortest(integer));
        break;
      case Type::uint64:
        column.read_integers(row, {&integer, 1});
        texts.add(shortest(static_cast<std::uint64_t>(integer)));
        break;
      case Type::float32:
        texts.add(shortest(static_cast<float>(column[row])));
        break;
      default:
        texts.add(shortest(column[row]));
    }
  }
  return texts;
}

std::vector<Buffer> copy_complete_rows(const Chosen& chosen) {
  std::vector<Buffer> buffers(chosen.columns.size());
  Tile tile(chosen);
  for (std::size_t first = 0; first < chosen.columns[0].rows(); first += kTile) {
    tile.read(first, NanPolicy::omit);
    for (std::size_t c = 0; c < buffers.size(); ++c) {
      const bool narrow = chosen.columns[c].type() == Type::float32;
      for (std::size_t row = 0; row < tile.rows(); ++row) {
        if (tile.incomplete(row)) continue;
        if (narrow)
          buffers[c].push(static_cast<float>(tile.value(row, c)));
        else
          buffers[c].push(tile.value(row, c));
      }
    }
  }
  for (Buffer& buffer : buffers) buffer.shrink();
  return buffers;
}

ColumnView column_at(const Mapping& file, const NpyHeader& header, std::size_t column) {
  const std::size_t size = size_of(header.type);
  const std::size_t before = header.fortran_order ? column * header.rows : column;
  const std::size_t step = header.fortran_order ? 1 : header.columns;
  return {file.bytes() + header.offset + before * size, header.type, header.rows,
          static_cast<std::ptrdiff_t>(step * size)};
}

}  // namespace

Table read_npy(const std::string& path, const ReadOptions& options,
               std::optional<std::uint64_t> rows_before) {
  check_no_missing_words(options, path);
  auto storage = std::make_shared<Storage>();
  storage->mapping = Mapping(path);
  const Mapping& file = storage->mapping;
  const NpyHeader header = parse_npy_header({file.bytes(), file.size()}, file.size(), path);
  const ColumnNames columns(header.columns);
  std::vector<std::size_t> label_numbers;
  if (!options.labels.empty()) label_numbers = find_columns(columns, options.labels, path);
  Chosen chosen{
      path, rows_before, choose_columns(columns, options, path, label_numbers).numbers, {}};
  std::vector<std::string> names;
  for (const std::size_t number : chosen.numbers) names.push_back(columns[number]);
  chosen.numbers.insert(chosen.numbers.end(), label_numbers.begin(), label_numbers.end());
  for (const std::size_t number : chosen.numbers)
    chosen.columns.push_back(column_at(file, header, number));

  const bool may_be_nan = header.type == Type::float64 || header.type == Type::float32;
  const std::vector<std::size_t> text_numbers = find_columns(columns, options.texts, path);
  std::vector<std::size_t> omitted_rows;
  if (may_be_nan) omitted_rows = check(chosen, options.nan);
  std::vector<Texts> texts;
  for (const std::size_t number : text_numbers)
    texts.push_back(texts_of(column_at(file, header, number), columns[number]));
  const std::size_t omitted = omitted_rows.size();
  const std::size_t rows = header.rows - omitted;
  const std::size_t size = size_of(header.type);
  if (rows == 0 && !rows_before && !options.may_be_empty)
    throw DataError(no_rows_left(path, omitted, 0, false));
  if (omitted > 0) {
    storage->buffers = copy_complete_rows(chosen);
    storage->mapping = Mapping();
    for (std::size_t c = 0; c < chosen.columns.size(); ++c)
      chosen.columns[c] = {storage->buffers[c].bytes(), header.type, rows,
                           static_cast<std::ptrdiff_t>(size)};
  }
  std::vector<Labels> all;
  for (std::size_t i = 0; i < label_numbers.size(); ++i) {
    all.push_back(labels(chosen.columns[names.size() + i]));
    all.back().column = columns[label_numbers[i]];
  }
  chosen.columns.resize(names.size());
  if (omitted > 0) storage->buffers.resize(names.size());
  const std::size_t bytes = chosen.columns.size() * rows * size;
  DataView view(std::move(chosen.columns), names);
  return TableParts{std::move(names),   std::move(view), std::move(omitted_rows),
                    std::move(storage), bytes,           std::move(all),
                    std::move(texts)}
      .table();
}

}  // namespace bootfold::data
