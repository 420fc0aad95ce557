// All rows of a source, or of a file of columns, in memory.
#include "data/load.h"

#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/label_builder.h"
#include "data/shortest.h"
#include "data/sieve.h"
#include "data/typed_column.h"

namespace bootfold::data {
namespace {

/// The values of columns that have all rows.
struct Loaded {
  std::shared_ptr<Storage> storage = std::make_shared<Storage>();
  DataView view = {};
  std::size_t bytes = 0;

  Loaded(std::vector<TypedColumn>& columns, const std::vector<std::string>& names) {
    std::vector<ColumnView> views;
    for (TypedColumn& column : columns) {
      const std::size_t rows = column.rows();
      const Type type = column.type();
      storage->buffers.push_back(column.take());
      bytes += storage->buffers.back().size();
      views.emplace_back(storage->buffers.back().bytes(), type, rows,
                         static_cast<std::ptrdiff_t>(size_of(type)));
    }
    view = DataView(std::move(views), names);
  }
};

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

}  // namespace

Table load(const Source& source) {
  std::vector<TypedColumn> columns(source.names().size());
  const std::unique_ptr<Pass> pass = source.open();
  while (const std::optional<Chunk> chunk = pass->next())
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].add(chunk->view.column(c));
  if (columns.empty() || columns[0].rows() == 0) throw DataError("the source has no rows");
  Loaded loaded(columns, source.names());
  const ReadNotes left = notes(source);
  TableParts parts{source.names(),
                   std::move(loaded.view),
                   {},
                   std::move(loaded.storage),
                   loaded.bytes,
                   {},
                   {},
                   left.note,
                   static_cast<std::size_t>(left.filtered)};
  return std::move(parts).table();
}

Table load_columns(const ColumnFile& file, const Where& where, NanPolicy nan,
                   std::optional<std::uint64_t> rows_before) {
  Sieve sieve(file, where, nan, rows_before);
  std::vector<TypedColumn> columns(file.names().size());
  std::vector<LabelBuilder> labels;
  for (const std::string& name : file.label_names()) labels.emplace_back(name);
  std::vector<Texts> texts;
  for (const std::string& name : file.text_names()) texts.emplace_back(name);
  std::vector<std::size_t> omitted_rows;
  std::size_t fulfilled = 0;
  const std::unique_ptr<Batches> batches = file.read({});
  for (Batch batch; batches->next(batch);) {
    sieve.look(batch);
    const std::vector<std::uint32_t> rows = sieve.kept();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (sieve.all_kept())
        columns[c].add(batch.numbers[c]);
      else
        columns[c].add(batch.numbers[c], rows);
    }
    for (std::size_t l = 0; l < labels.size(); ++l)
      for (const std::uint32_t row : rows) labels[l].add(cell_text(batch.labels[l], row));
    const std::vector<std::uint32_t> all = sieve.fulfilling();
    for (std::size_t t = 0; t < texts.size(); ++t)
      for (const std::uint32_t row : all) texts[t].add(cell_text(batch.texts[t], row));
    for (std::size_t i = 0, kept = 0; i < all.size(); ++i) {
      if (kept < rows.size() && rows[kept] == all[i])
        ++kept;
      else
        omitted_rows.push_back(fulfilled + i);
    }
    fulfilled += all.size();
  }
  if (columns[0].rows() == 0 && !rows_before)
    throw DataError(no_rows_left(file.label(), sieve.omitted(), sieve.filtered(), false));
  Loaded loaded(columns, file.names());
  std::vector<Labels> all_labels;
  for (LabelBuilder& builder : labels) all_labels.push_back(builder.finish());
  TableParts parts{file.names(),
                   std::move(loaded.view),
                   std::move(omitted_rows),
                   std::move(loaded.storage),
                   loaded.bytes,
                   std::move(all_labels),
                   std::move(texts),
                   {},
                   static_cast<std::size_t>(sieve.filtered())};
  return std::move(parts).table();
}

}  // namespace bootfold::data
