// All rows of a source, or of a file of columns, in memory.
#include "data/load.h"

#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/coded_numbers.h"

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

ColumnTables::ColumnTables(std::shared_ptr<const ColumnFile> file, const Where& where,
                           NanPolicy nan, std::optional<std::uint64_t> rows_before, RowSpan rows)
    : file_(std::move(file)),
      rows_before_(rows_before),
      where_(where),
      sieve_(*file_, where_, nan, rows_before, rows.first),
      batches_(file_->read(rows)),
      columns_(file_->names().size()) {
  for (const std::string& name : file_->label_names()) labels_.emplace_back(name);
  start_texts();
}

void ColumnTables::start_texts() {
  texts_.clear();
  for (const std::string& name : file_->text_names()) texts_.emplace_back(name);
}

bool ColumnTables::add_batch() {
  Batch batch;
  if (!batches_->next(batch)) return false;
  file_->compute(batch);
  sieve_.look(batch);
  const std::vector<std::uint32_t> rows = sieve_.kept();
  rows_ += rows.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (sieve_.all_kept())
      columns_[c].add(batch.numbers[c]);
    else
      columns_[c].add(batch.numbers[c], rows);
  }
  for (std::size_t l = 0; l < labels_.size(); ++l)
    for (const std::uint32_t row : rows) labels_[l].add(cell_text(batch.labels[l], row));
  const std::vector<std::uint32_t> all = sieve_.fulfilling();
  for (std::size_t t = 0; t < texts_.size(); ++t)
    for (const std::uint32_t row : all) texts_[t].add(cell_text(batch.texts[t], row));
  for (std::size_t i = 0, kept = 0; i < all.size(); ++i) {
    if (kept < rows.size() && rows[kept] == all[i])
      ++kept;
    else
      omitted_rows_.push_back(fulfilled_ + i);
  }
  fulfilled_ += all.size();
  return true;
}

void ColumnTables::check_any_rows() const {
  if (rows_ == 0 && !rows_before_)
    throw DataError(no_rows_left(file_->label(), sieve_.omitted(), sieve_.filtered(), false));
}

Table ColumnTables::take() {
  Loaded loaded(columns_, file_->names());
  std::vector<Labels> labels;
  for (LabelBuilder& builder : labels_) labels.push_back(builder.finish());
  const std::uint64_t filtered =
      sieve_.filtered() - std::exchange(filtered_taken_, sieve_.filtered());
  TableParts parts{file_->names(),
                   std::move(loaded.view),
                   std::exchange(omitted_rows_, {}),
                   std::move(loaded.storage),
                   loaded.bytes,
                   std::move(labels),
                   std::move(texts_),
                   {},
                   static_cast<std::size_t>(filtered)};
  fulfilled_ = 0;
  start_texts();
  return std::move(parts).table();
}

Table load_columns(std::shared_ptr<const ColumnFile> file, const Where& where,
                   const ReadOptions& options, std::optional<std::uint64_t> rows_before,
                   RowSpan rows) {
  ColumnTables tables(std::move(file), where, options.nan, rows_before, rows);
  while (tables.add_batch()) {
  }
  if (!options.may_be_empty) tables.check_any_rows();
  return tables.take();
}

}  // namespace bootfold::data
