#include "data/arrow_columns.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "bootfold/error.h"
#include "data/columns.h"
#include "data/typed.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

// Longer arrays are cut, so that what is made of a batch stays small.
constexpr std::size_t kMostBatchRows = std::size_t{1} << 20;

/// Takes a structure of the interface over, and releases it in the end.
template <class Structure>
class Released {
 public:
  Released() = default;
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  Structure value{};
};

using Stream = Released<ArrowArrayStream>;

void check_code(Stream& stream, int code, const std::string& label, std::uint64_t rows = 0) {
  if (code == 0) return;
  const char* text = stream.value.get_last_error(&stream.value);
  std::string reason = text == nullptr ? std::generic_category().message(code) : std::string(text);
  reason = reason.substr(0, reason.find('\n'));
  const std::string place = rows == 0 ? "" : text::concat(" after row ", rows);
  throw DataError(text::concat("cannot read ", label, place, ": ", reason));
}

/// How values of a column lie in memory.
enum class Layout { numbers, bits, text32, text64, views, other };

struct ArrowKind {
  Layout layout = Layout::other;
  Type type = Type::float64;  // of numbers and bits

  bool operator==(const ArrowKind&) const = default;
  [[nodiscard]] bool is_number() const {
    return layout == Layout::numbers || layout == Layout::bits;
  }
  [[nodiscard]] bool is_text() const { return layout != Layout::other && !is_number(); }
};

ArrowKind kind_of(const char* format) {
  const std::string_view text = format;
  if (text == "u" || text == "z") return {Layout::text32};
  if (text == "U" || text == "Z") return {Layout::text64};
  if (text == "vu" || text == "vz") return {Layout::views};
  if (text.size() != 1) return {};
  static constexpr std::pair<char, Type> kNumbers[] = {
      {'g', Type::float64}, {'f', Type::float32}, {'l', Type::int64},  {'i', Type::int32},
      {'s', Type::int16},   {'c', Type::int8},    {'L', Type::uint64}, {'I', Type::uint32},
      {'S', Type::uint16},  {'C', Type::uint8}};
  for (const auto& [letter, type] : kNumbers)
    if (text[0] == letter) return {Layout::numbers, type};
  if (text[0] == 'b') return {Layout::bits, Type::boolean};
  return {};
}

/// A column of the schema.
struct ArrowField {
  std::string name;
  std::string format;
  ArrowKind kind;        // of the values, or of the codes of a dictionary
  ArrowKind dictionary;  // of its texts, if there is one
  bool has_dictionary = false;

  [[nodiscard]] bool is_number() const { return !has_dictionary && kind.is_number(); }
  [[nodiscard]] bool is_text() const {
    return has_dictionary ? dictionary.is_text() && kind.layout == Layout::numbers : kind.is_text();
  }
};

std::vector<ArrowField> fields_of(Stream& stream, const std::string& label) {
  Released<ArrowSchema> schema;
  check_code(stream, stream.value.get_schema(&stream.value, &schema.value), label);
  if (std::string_view(schema.value.format) != "+s")
    throw DataError(text::concat(label, " has no columns: it is of Arrow's type ",
                                 text::quoted(schema.value.format), ", not a table"));
  std::vector<ArrowField> fields;
  for (std::int64_t c = 0; c < schema.value.n_children; ++c) {
    const ArrowSchema& child = *schema.value.children[c];
    ArrowField field{child.name == nullptr ? "" : child.name,
                     child.format,
                     kind_of(child.format),
                     {},
                     child.dictionary != nullptr};
    if (field.name.empty()) field.name = std::to_string(c + 1);
    if (field.has_dictionary) field.dictionary = kind_of(child.dictionary->format);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string type_words(const ArrowField& field) {
  if (field.is_text()) return "text";
  if (field.is_number()) return std::string(name(field.kind.type));
  const std::string_view format = field.format;
  if (format.starts_with("td")) return "a date";
  if (format.starts_with("ts")) return "a time stamp";
  if (format.starts_with("tt")) return "a time";
  if (format.starts_with("tD")) return "a duration";
  if (format.starts_with("d:")) return "a decimal number";
  if (format == "n") return "null";
  return text::concat("of Arrow's type ", text::quoted(format));
}

bool bit_at(const void* bits, std::int64_t index) {
  return ((static_cast<const std::uint8_t*>(bits)[index / 8] >> (index % 8)) & 1) != 0;
}

/// Rows first .. first + rows - 1 of a column.
struct Piece {
  const ArrowArray& array;
  std::int64_t first;  // from the start of the buffers
  std::size_t rows;

  [[nodiscard]] bool valid(std::size_t row) const {
    return bit_at(array.buffers[0], first + static_cast<std::int64_t>(row));
  }
  [[nodiscard]] bool has_nulls() const {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
    for (std::size_t row = 0; row < rows; ++row)
      if (!valid(row)) return true;
    return false;
  }
};

/// Values that had to be copied.
using Copies = std::vector<std::unique_ptr<std::byte[]>>;

std::byte* new_bytes(Copies& copies, std::size_t bytes) {
  copies.emplace_back(new std::byte[bytes + 1]);
  return copies.back().get();
}

// With a value for nulls: NaN in floats; other types become double.
ColumnView with_nan(const Piece& piece, const ArrowKind& kind, Copies& copies) {
  const bool narrow = kind.type == Type::float32;
  const std::size_t size = narrow ? sizeof(float) : sizeof(double);
  std::byte* const out = new_bytes(copies, piece.rows * size);
  with_type(kind.layout == Layout::bits ? Type::uint8 : kind.type, [&](auto sample) {
    using T = decltype(sample);
    const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
    for (std::size_t row = 0; row < piece.rows; ++row) {
      const std::int64_t at = piece.first + static_cast<std::int64_t>(row);
      double value = std::numeric_limits<double>::quiet_NaN();
      if (piece.valid(row))
        value = kind.layout == Layout::bits ? static_cast<double>(bit_at(values, at))
                                            : load<T>(values + at * sizeof(T));
      const auto small = static_cast<float>(value);
      std::memcpy(out + row * size, narrow ? static_cast<const void*>(&small) : &value, size);
    }
  });
  return {out, narrow ? Type::float32 : Type::float64, piece.rows,
          static_cast<std::ptrdiff_t>(size)};
}

ColumnView numbers_of(const Piece& piece, const ArrowKind& kind, Copies& copies) {
  if (piece.has_nulls()) return with_nan(piece, kind, copies);
  if (kind.layout == Layout::bits) {
    std::byte* const out = new_bytes(copies, piece.rows);
    for (std::size_t row = 0; row < piece.rows; ++row)
      out[row] =
          std::byte{bit_at(piece.array.buffers[1], piece.first + static_cast<std::int64_t>(row))};
    return {out, Type::boolean, piece.rows, 1};
  }
  const std::size_t size = size_of(kind.type);
  const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
  return {values + piece.first * static_cast<std::int64_t>(size), kind.type, piece.rows,
          static_cast<std::ptrdiff_t>(size)};
}

template <class Offset>
std::string_view text_between(const ArrowArray& array, std::int64_t at) {
  const auto* offsets = static_cast<const std::byte*>(array.buffers[1]);
  const Offset first = load<Offset, Offset>(offsets + at * sizeof(Offset));
  const Offset last = load<Offset, Offset>(offsets + (at + 1) * sizeof(Offset));
  if (first == last) return {};
  return {static_cast<const char*>(array.buffers[2]) + first,
          static_cast<std::size_t>(last - first)};
}

// A view is 16 bytes: a length, and the text itself or where it is.
std::string_view text_of_view(const ArrowArray& array, std::int64_t at) {
  const auto* view = static_cast<const std::byte*>(array.buffers[1]) + at * 16;
  const auto size = load<std::int32_t, std::size_t>(view);
  if (size <= 12) return {reinterpret_cast<const char*>(view + 4), size};
  const auto buffer = load<std::int32_t, std::size_t>(view + 8);
  const auto offset = load<std::int32_t, std::size_t>(view + 12);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, size};
}

std::string_view text_at(const ArrowArray& array, const ArrowKind& kind, std::int64_t at) {
  switch (kind.layout) {
    case Layout::text32:
      return text_between<std::int32_t>(array, at);
    case Layout::text64:
      return text_between<std::int64_t>(array, at);
    default:
      return text_of_view(array, at);
  }
}

Cells texts_of_piece(const Piece& piece, const ArrowField& field, const std::string& label) {
  Cells cells{true};
  cells.texts.resize(piece.rows);
  const bool nulls = piece.has_nulls();
  const ArrowArray* dictionary = field.has_dictionary ? piece.array.dictionary : nullptr;
  const bool null_words =
      dictionary != nullptr && dictionary->null_count != 0 && dictionary->buffers[0] != nullptr;
  if (nulls || null_words) cells.missing.assign(piece.rows, 0);
  std::vector<std::int64_t> codes(field.has_dictionary ? piece.rows : 0);
  if (field.has_dictionary)
    with_type(field.kind.type, [&](auto sample) {
      using T = decltype(sample);
      const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
      for (std::size_t row = 0; row < piece.rows; ++row)
        codes[row] = load<T, std::int64_t>(values + (piece.first + static_cast<std::int64_t>(row)) *
                                                        sizeof(T));
    });
  for (std::size_t row = 0; row < piece.rows; ++row) {
    if (nulls && !piece.valid(row)) {
      cells.missing[row] = 1;
      continue;
    }
    if (dictionary == nullptr) {
      cells.texts[row] =
          text_at(piece.array, field.kind, piece.first + static_cast<std::int64_t>(row));
      continue;
    }
    const std::int64_t code = codes[row];
    if (code < 0 || code >= dictionary->length)
      throw DataError(text::concat(label, ": column ", text::quoted(field.name),
                                   " has a code beyond its dictionary"));
    if (null_words && !bit_at(dictionary->buffers[0], dictionary->offset + code))
      cells.missing[row] = 1;
    else
      cells.texts[row] = text_at(*dictionary, field.dictionary, dictionary->offset + code);
  }
  return cells;
}

/// What all passes share.
struct ArrowTable {
  std::string label;
  OpenArrow open;
  std::vector<ArrowField> fields;   // all columns
  std::vector<std::size_t> needed;  // positions of those that are read, ascending
  Selection selection;
};

class ArrowBatches final : public Batches {
 public:
  explicit ArrowBatches(std::shared_ptr<const ArrowTable> table) : table_(std::move(table)) {
    table_->open(&table_->needed, &stream_.value);
    const std::vector<ArrowField> fields = fields_of(stream_, table_->label);
    all_columns_ = fields.size() == table_->fields.size();
    for (const std::size_t column : table_->needed) {
      const std::size_t place = place_of(column);
      if (place >= fields.size() || fields[place].name != table_->fields[column].name ||
          fields[place].format != table_->fields[column].format)
        throw DataError(
            text::concat(table_->label, " changed since it was first read: it has other columns"));
    }
  }

  bool next(Batch& batch) override {
    while (!array_ || done_ == static_cast<std::size_t>(array_->value.length)) {
      array_ = std::make_shared<Released<ArrowArray>>();
      done_ = 0;
      check_code(stream_, stream_.value.get_next(&stream_.value, &array_->value), table_->label,
                 rows_);
      if (array_->value.release == nullptr) return false;
    }
    take(batch);
    return true;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t column) const {
    if (all_columns_) return column;
    const auto at = std::lower_bound(table_->needed.begin(), table_->needed.end(), column);
    return static_cast<std::size_t>(at - table_->needed.begin());
  }

  void take(Batch& batch) {
    struct Owner {
      std::shared_ptr<Released<ArrowArray>> array;
      Copies copies;
    };
    auto owner = std::make_shared<Owner>(Owner{array_, {}});
    const ArrowArray& all = array_->value;
    batch = {};
    batch.rows = std::min(kMostBatchRows, static_cast<std::size_t>(all.length) - done_);
    const auto piece = [&](std::size_t column) {
      const ArrowArray& array = *all.children[place_of(column)];
      return Piece{array, array.offset + all.offset + static_cast<std::int64_t>(done_), batch.rows};
    };
    const auto cells = [&](std::size_t column) {
      const ArrowField& field = table_->fields[column];
      if (field.is_text()) return texts_of_piece(piece(column), field, table_->label);
      return Cells{false, numbers_of(piece(column), field.kind, owner->copies)};
    };
    const Selection& selection = table_->selection;
    for (const std::size_t column : selection.numbers)
      batch.numbers.push_back(
          numbers_of(piece(column), table_->fields[column].kind, owner->copies));
    for (const std::size_t column : selection.labels) batch.labels.push_back(cells(column));
    for (const std::size_t column : selection.texts) batch.texts.push_back(cells(column));
    for (const std::size_t column : selection.condition) batch.condition.push_back(cells(column));
    batch.owner = std::move(owner);
    done_ += batch.rows;
    rows_ += batch.rows;
  }

  std::shared_ptr<const ArrowTable> table_;
  Stream stream_;
  bool all_columns_ = false;
  std::shared_ptr<Released<ArrowArray>> array_;
  std::size_t done_ = 0;    // rows of array_
  std::uint64_t rows_ = 0;  // of all arrays
};

class ArrowColumns final : public ColumnFile {
 public:
  ArrowColumns(ArrowTable table, std::optional<std::uint64_t> rows) : rows_(rows) {
    const auto names = [&](const std::vector<std::size_t>& columns) {
      std::vector<std::string> all;
      for (const std::size_t column : columns) all.push_back(table.fields[column].name);
      return all;
    };
    names_ = names(table.selection.numbers);
    labels_ = names(table.selection.labels);
    texts_ = names(table.selection.texts);
    for (const std::size_t column : table.selection.numbers)
      types_.push_back(table.fields[column].kind.type);
    table_ = std::make_shared<const ArrowTable>(std::move(table));
  }

  [[nodiscard]] const std::string& label() const noexcept override { return table_->label; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return types_; }
  [[nodiscard]] const std::vector<std::string>& label_names() const noexcept override {
    return labels_;
  }
  [[nodiscard]] const std::vector<std::string>& text_names() const noexcept override {
    return texts_;
  }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return rows_; }
  [[nodiscard]] bool may_be_missing() const noexcept override { return true; }  // nulls
  [[nodiscard]] std::unique_ptr<Batches> read() const override {
    return std::make_unique<ArrowBatches>(table_);
  }

 private:
  std::optional<std::uint64_t> rows_;
  std::shared_ptr<const ArrowTable> table_;
  std::vector<std::string> names_;
  std::vector<std::string> labels_;
  std::vector<std::string> texts_;
  std::vector<Type> types_;
};

void check_fields(const ArrowTable& table) {
  for (const std::size_t column : table.selection.numbers)
    if (const ArrowField& field = table.fields[column]; !field.is_number())
      throw DataError(text::concat("column ", text::quoted(field.name), " of ", table.label, " is ",
                                   type_words(field), "; choose a column of numbers"));
  for (const auto* columns :
       {&table.selection.labels, &table.selection.texts, &table.selection.condition})
    for (const std::size_t column : *columns)
      if (const ArrowField& field = table.fields[column]; !field.is_number() && !field.is_text())
        throw DataError(text::concat("column ", text::quoted(field.name), " of ", table.label,
                                     " is ", type_words(field),
                                     "; only text and numbers can be used here"));
}

}  // namespace

std::shared_ptr<const ColumnFile> arrow_columns(std::string label, OpenArrow open,
                                                const ReadOptions& options, const Where& where,
                                                std::optional<std::uint64_t> rows) {
  if (options.missing)
    throw InvalidArgument(text::concat(
        "missing is given, but in ", label,
        " missing values are null; it is for text files, in which words stand for them"));
  ArrowTable table{std::move(label), std::move(open), {}, {}, {}};
  Stream stream;
  table.open(nullptr, &stream.value);
  table.fields = fields_of(stream, table.label);
  std::vector<std::string> names;
  for (const ArrowField& field : table.fields) names.push_back(field.name);
  if (names.empty()) throw DataError(text::concat(table.label, " has no columns"));
  table.selection = select(ColumnNames(std::move(names)), options, where, table.label);
  check_fields(table);
  for (const auto* columns : {&table.selection.numbers, &table.selection.labels,
                              &table.selection.texts, &table.selection.condition})
    table.needed.insert(table.needed.end(), columns->begin(), columns->end());
  std::sort(table.needed.begin(), table.needed.end());
  table.needed.erase(std::unique(table.needed.begin(), table.needed.end()), table.needed.end());
  return std::make_shared<ArrowColumns>(std::move(table), rows);
}

}  // namespace bootfold::data
