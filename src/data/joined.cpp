#include "data/joined.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bootfold/chunked.h"
#include "bootfold/error.h"
#include "data/label_builder.h"
#include "data/same_columns.h"
#include "data/sieve.h"
#include "data/storage.h"
#include "data/typed_column.h"

namespace bootfold::data {
namespace {

// A column of several tables, where it lies. If a part of it became double, all of it does.
ColumnView join_column(const std::vector<FileTable>& tables, std::size_t column, Storage& storage) {
  std::vector<ColumnView> chunks;
  for (const FileTable& each : tables)
    if (each.table.view().rows() > 0) chunks.push_back(each.table.view().column(column));
  if (chunks.empty()) return tables[0].table.view().column(column);
  const bool alike = std::all_of(chunks.begin(), chunks.end(), [&](const ColumnView& chunk) {
    return chunk.type() == chunks[0].type();
  });
  if (alike) {
    auto joined = std::make_shared<const Chunked>(std::move(chunks));
    storage.owners.push_back(joined);
    return ColumnView(*joined);
  }
  TypedColumn copied;
  for (const ColumnView& chunk : chunks) copied.add(chunk);
  const std::size_t rows = copied.rows();
  auto values = std::make_shared<Buffer>(copied.take());
  storage.owners.push_back(values);
  return {values->bytes(), Type::float64, rows, sizeof(double)};
}

Labels join_labels(const std::vector<FileTable>& tables, std::size_t index) {
  LabelBuilder builder(tables[0].table.labels(index).column);
  for (const FileTable& each : tables) {
    const Labels& labels = each.table.labels(index);
    for (const std::uint32_t code : labels.codes) builder.add(labels.names[code]);
  }
  return builder.finish();
}

Texts join_texts(const std::vector<FileTable>& tables, std::size_t index) {
  Texts joined(tables[0].table.texts(index).column());
  for (const FileTable& each : tables) {
    const Texts& texts = each.table.texts(index);
    for (std::size_t row = 0; row < texts.rows(); ++row) joined.add(texts[row]);
  }
  return joined;
}

}  // namespace

void Joined::add(const std::string& file, FileTable table) {
  if (tables_.empty()) {
    first_ = file;
  } else {
    check_same_names(first_, tables_[0].table.names(), file, table.table.names());
    check_same_types(first_, tables_[0].types, file, table.types, table.table.names());
  }
  rows_read_ += table.table.view().rows() + table.table.omitted() + table.table.filtered();
  tables_.push_back(std::move(table));
}

Table Joined::finish() {
  TableParts parts;
  std::uint64_t rows = 0;
  std::size_t fulfilled = 0;
  for (const FileTable& each : tables_) {
    const Table& table = each.table;
    rows += table.view().rows();
    for (const std::size_t row : table.omitted_rows())
      parts.omitted_rows.push_back(fulfilled + row);
    fulfilled += table.view().rows() + table.omitted();
    parts.filtered += table.filtered();
    parts.bytes += table.bytes();
    if (parts.note.empty()) parts.note = table.note();
  }
  if (rows == 0 && !may_be_empty_)
    throw DataError(no_rows_left(name_of_all(first_, tables_.size()), parts.omitted_rows.size(),
                                 parts.filtered, false));
  auto storage = std::make_shared<Storage>();
  parts.names = tables_[0].table.names();
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < parts.names.size(); ++c)
    columns.push_back(join_column(tables_, c, *storage));
  parts.view = DataView(std::move(columns), parts.names);
  for (std::size_t l = 0; l < labels_; ++l) {
    parts.labels.push_back(join_labels(tables_, l));
    parts.bytes -= parts.labels.back().codes.size() * sizeof(std::uint32_t);  // counted again
  }
  for (std::size_t t = 0; t < texts_; ++t) parts.texts.push_back(join_texts(tables_, t));
  storage->owners.push_back(std::make_shared<std::vector<FileTable>>(std::move(tables_)));
  parts.storage = std::move(storage);
  return std::move(parts).table();
}

}  // namespace bootfold::data
