#include "data/arrow_columns.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "bootfold/error.h"
#include "data/arrow_values.h"
#include "data/coded_numbers.h"
#include "data/columns.h"
#include "expression/marked.h"
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
                     arrow_kind(child.format),
                     {},
                     child.dictionary != nullptr};
    if (field.name.empty()) field.name = std::to_string(c + 1);
    if (field.has_dictionary) field.dictionary = arrow_kind(child.dictionary->format);
    fields.push_back(std::move(field));
  }
  return fields;
}

/// What all passes share.
struct ArrowTable {
  std::string label;
  OpenArrow open;
  std::vector<ArrowField> fields;   // all columns
  std::vector<std::size_t> needed;  // positions of those that are read, ascending
  Selection selection;
  std::shared_ptr<FieldCodes> codes;  // null: text is no number

  [[nodiscard]] FieldUse use(std::size_t number) const {
    return codes == nullptr ? FieldUse::numbers : codes->use(number);
  }
};

class ArrowBatches final : public Batches {
 public:
  ArrowBatches(std::shared_ptr<const ArrowTable> table, RowSpan rows)
      : table_(std::move(table)), rows_(rows.first) {
    table_->open(&table_->needed, rows, &stream_.value);
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
      ArrowCopies copies;
    };
    auto owner = std::make_shared<Owner>(Owner{array_, {}});
    const ArrowArray& all = array_->value;
    batch = {};
    batch.rows = std::min(kMostBatchRows, static_cast<std::size_t>(all.length) - done_);
    const auto piece = [&](std::size_t column) {
      const ArrowArray& array = *all.children[place_of(column)];
      return ArrowPiece{array, array.offset + all.offset + static_cast<std::int64_t>(done_),
                        batch.rows};
    };
    const auto cells = [&](std::size_t column) {
      const ArrowField& field = table_->fields[column];
      if (field.is_text()) return arrow_texts(piece(column), field, table_->label, owner->copies);
      return Cells{false, arrow_numbers(piece(column), field.kind, owner->copies)};
    };
    const Selection& selection = table_->selection;
    for (std::size_t i = 0; i < selection.numbers.size(); ++i) {
      const std::size_t column = selection.numbers[i];
      const FieldUse use = table_->use(i);
      if (use == FieldUse::all || (use == FieldUse::texts && !table_->fields[column].is_number()))
        batch.numbers.push_back(coded_numbers(
            cells(column), {*table_->codes, i, table_->label, table_->fields[column].name, rows_},
            batch.rows, owner->copies.bytes));
      else
        batch.numbers.push_back(
            arrow_numbers(piece(column), table_->fields[column].kind, owner->copies));
    }
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
  std::size_t done_ = 0;  // rows of array_
  std::uint64_t rows_;    // of all arrays, and before them
};

class ArrowColumns final : public ChosenColumns {
 public:
  ArrowColumns(ArrowTable table, ArrowRows rows)
      : ChosenColumns(
            table.selection, [&](std::size_t column) { return table.fields[column].name; },
            [&](std::size_t column) {
              return table.fields[column].is_number() ? table.fields[column].kind.type
                                                      : Type::float64;
            },
            table.codes),
        rows_(std::move(rows)),
        table_(std::make_shared<const ArrowTable>(std::move(table))) {}

  [[nodiscard]] const std::string& label() const noexcept override { return table_->label; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return rows_.count; }
  [[nodiscard]] bool may_be_missing() const noexcept override { return true; }  // nulls
  [[nodiscard]] const char* missing_word() const noexcept override { return "null or NaN"; }
  [[nodiscard]] std::optional<RowSpan> cut(RowSpan rows) const noexcept override {
    if (!rows_.groups) return std::nullopt;
    const auto next_group = [&](std::uint64_t row) {
      const auto at = std::lower_bound(rows_.groups->begin(), rows_.groups->end(), row);
      return at == rows_.groups->end() ? rows_.count.value_or(0) : *at;
    };
    return RowSpan{next_group(rows.first), next_group(rows.last)};
  }
  [[nodiscard]] std::unique_ptr<Batches> read(RowSpan rows) const override {
    return std::make_unique<ArrowBatches>(table_, rows);
  }

 private:
  ArrowRows rows_;
  std::shared_ptr<const ArrowTable> table_;
};

void check_fields(const ArrowTable& table) {
  for (std::size_t i = 0; i < table.selection.numbers.size(); ++i)
    if (const ArrowField& field = table.fields[table.selection.numbers[i]];
        !field.is_number() && !(field.is_text() && table.use(i) != FieldUse::numbers)) {
      const std::string problem =
          text::concat("column ", text::quoted(field.name), " of ", table.label, " is ",
                       field.words(), "; choose a column of numbers");
      throw expression::MarkedError(problem, {field.name, 0, field.name.size(), problem});
    }
  for (const auto* columns :
       {&table.selection.labels, &table.selection.texts, &table.selection.condition})
    for (const std::size_t column : *columns)
      if (const ArrowField& field = table.fields[column]; !field.is_number() && !field.is_text())
        throw DataError(text::concat("column ", text::quoted(field.name), " of ", table.label,
                                     " is ", field.words(),
                                     "; only text and numbers can be used here"));
}

}  // namespace

std::shared_ptr<const ColumnFile> arrow_columns(std::string label, OpenArrow open,
                                                const ReadOptions& options, const Where& where,
                                                ArrowRows rows) {
  if (options.missing)
    throw InvalidArgument(text::concat(
        "missing is given, but in ", label,
        " missing values are null; it is for text files, in which words stand for them"));
  ArrowTable table{std::move(label), std::move(open), {}, {}, {}, options.codes};
  Stream stream;
  table.open(nullptr, {}, &stream.value);
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
  return std::make_shared<ArrowColumns>(std::move(table), std::move(rows));
}

}  // namespace bootfold::data
