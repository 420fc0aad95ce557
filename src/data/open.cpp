// Files as a source of rows.
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/binary_file.h"
#include "data/column_source.h"
#include "data/csv.h"
#include "data/format.h"
#include "data/parquet.h"
#include "data/where.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

Where where_of(const ReadOptions& options) {
  return options.where.empty() ? Where() : Where(options.where);
}

void check_for_source(const ReadOptions& options, std::size_t chunk_bytes) {
  if (!options.labels.empty() || !options.texts.empty())
    throw InvalidArgument(
        "labels and texts are given but a source has columns of numbers only; read() reads them");
  if (chunk_bytes == 0) throw InvalidArgument("chunk_bytes is 0 but must be at least 1");
}

// What can be read once only is kept in memory.
std::unique_ptr<Source> in_memory(const std::string& path, const ReadOptions& options,
                                  std::size_t chunk_bytes) {
  auto table = std::make_shared<const Table>(read(path, options));
  const DataView view = table->view();
  const std::size_t rows = chunk_bytes / (sizeof(double) * view.columns());
  return std::make_unique<MemorySource>(view, rows == 0 ? 1 : rows, std::move(table));
}

std::unique_ptr<Source> open_file(const std::string& path, const ReadOptions& options,
                                  const Where& where, std::size_t chunk_bytes) {
  const Format format = find_format(path, options);
  if (read_once(path)) return in_memory(path, options, chunk_bytes);
  switch (format) {
    case Format::npy:
      return column_source(open_npy(path, options, where, chunk_bytes), where, options.nan);
    case Format::parquet:
      return column_source(open_parquet(path, options, where, chunk_bytes), where, options.nan);
    case Format::tsv:
      return csv_source(path, '\t', options, where, chunk_bytes);
    default:
      return csv_source(path, std::nullopt, options, where, chunk_bytes);
  }
}

}  // namespace

std::unique_ptr<Source> open(const std::string& path, const ReadOptions& options,
                             std::size_t chunk_bytes) {
  return open(std::vector{path}, options, chunk_bytes);
}

std::unique_ptr<Source> open(const std::vector<std::string>& paths, const ReadOptions& options,
                             std::size_t chunk_bytes) {
  check_for_source(options, chunk_bytes);
  const Where where = where_of(options);
  std::vector<Concatenated::Part> parts;
  for (const std::string& path : expand(paths))
    parts.push_back({path, open_file(path, options, where, chunk_bytes)});
  if (parts.empty()) throw InvalidArgument("there is no file to read; name at least one");
  return std::make_unique<Concatenated>(std::move(parts), options.may_be_empty);
}

std::unique_ptr<Source> open(const std::string& path, const RawFormat& format,
                             const ReadOptions& options, std::size_t chunk_bytes) {
  check_for_source(options, chunk_bytes);
  const Where where = where_of(options);
  std::vector<Concatenated::Part> parts;
  parts.push_back({path, column_source(open_raw(path, format, options, where, chunk_bytes), where,
                                       options.nan)});
  return std::make_unique<Concatenated>(std::move(parts), options.may_be_empty);
}

ReadNotes notes(const Source& source) {
  if (const auto* files = dynamic_cast<const Concatenated*>(&source)) return files->notes();
  if (const auto* stream = dynamic_cast<const ArrowSource*>(&source)) return stream->notes();
  return {};
}

}  // namespace bootfold::data
