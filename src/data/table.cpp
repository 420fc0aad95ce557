// Files as tables in memory; the ending of a name decides how a file is read.
#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/binary_file.h"
#include "data/computed.h"
#include "data/csv.h"
#include "data/format.h"
#include "data/joined.h"
#include "data/load.h"
#include "data/npy.h"
#include "data/parquet.h"
#include "data/storage.h"
#include "data/where.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

FileTable of_columns(const std::shared_ptr<const ColumnFile>& file, const Where& where,
                     const ReadOptions& options, std::optional<std::uint64_t> rows_before,
                     RowSpan rows = {}) {
  return {load_columns(file, where, options, rows_before, rows), file->types()};
}

FileTable with_own_types(Table table) {
  std::vector<Type> types;
  for (std::size_t c = 0; c < table.view().columns(); ++c)
    types.push_back(table.view().column(c).type());
  return {std::move(table), std::move(types)};
}

// `rows_before` are those of the files before this one, if there are several; the file may then
// have no rows.
FileTable read_file(const std::string& path, const ReadOptions& options, const Where& where,
                    std::optional<std::uint64_t> rows_before) {
  try {
    switch (find_format(path, options)) {
      case Format::npy:
        if (where.empty() && options.codes == nullptr &&
            std::ranges::none_of(options.columns, is_expression))
          return with_own_types(read_npy(path, options, rows_before));
        return of_columns(npy_columns(path, options, where, kChunkBytes), where, options,
                          rows_before);
      case Format::parquet:
        return of_columns(open_parquet(path, options, where, kChunkBytes), where, options,
                          rows_before);
      case Format::tsv:
        return with_own_types(read_csv(path, '\t', options, where, rows_before));
      default:
        return with_own_types(read_csv(path, std::nullopt, options, where, rows_before));
    }
  } catch (const std::bad_alloc&) {
    throw DataError(path +
                    ": not enough memory for the chosen columns; choose fewer, or convert to "
                    ".npy, which is mapped instead of copied");
  }
}

double bytes_of(const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : static_cast<double>(bytes);
}

}  // namespace

Table::Table(TableParts parts)
    : names_(std::move(parts.names)),
      view_(std::move(parts.view)),
      omitted_rows_(std::move(parts.omitted_rows)),
      note_(std::move(parts.note)),
      filtered_(parts.filtered),
      storage_(std::move(parts.storage)),
      bytes_(parts.bytes),
      labels_(std::move(parts.labels)),
      texts_(std::move(parts.texts)) {
  for (const Labels& each : labels_) bytes_ += each.codes.size() * sizeof(std::uint32_t);
}

void Table::check_unchanged() const {
  if (storage_) storage_->mapping.check_unchanged();
}

Table read(const std::string& path, const ReadOptions& options) {
  return read(std::vector{path}, options);
}

Table read(const std::vector<std::string>& paths, const ReadOptions& options) {
  const Where where = options.where.empty() ? Where() : Where(options.where);
  const std::vector<std::string> files = expand(paths);
  if (files.empty()) throw InvalidArgument("there is no file to read; name at least one");
  if (files.size() == 1) return read_file(files[0], options, where, std::nullopt).table;
  Joined joined(options);
  ReadOptions one = options;
  double before = 0;  // bytes of the files so far
  double total = 0;
  if (options.progress) {
    for (const std::string& file : files) total += bytes_of(file);
    one.progress = [&](execution::Progress part) { options.progress({before + part.done, total}); };
  }
  for (const std::string& file : files) {
    joined.add(file, read_file(file, one, where, joined.rows_read()));
    if (options.progress) before += bytes_of(file);
  }
  return joined.finish();
}

std::optional<Table> read_piece(const std::vector<std::string>& paths, const ReadOptions& options,
                                std::uint64_t piece, std::uint64_t pieces) {
  if (pieces == 0 || piece >= pieces)
    throw InvalidArgument(text::concat("piece is ", piece, " of ", pieces,
                                       " but must be from 0 to the number of pieces - 1"));
  const Where where = options.where.empty() ? Where() : Where(options.where);
  const std::vector<std::string> names = expand(paths);
  if (names.empty()) throw InvalidArgument("there is no file to read; name at least one");
  std::vector<std::shared_ptr<const ColumnFile>> files;
  std::uint64_t stored = 0;
  for (const std::string& name : names) {
    const Format format = find_format(name, options);
    if (read_once(name) || (format != Format::npy && format != Format::parquet))
      return std::nullopt;
    files.push_back(format == Format::npy ? npy_columns(name, options, where, kChunkBytes)
                                          : open_parquet(name, options, where, kChunkBytes));
    if (!files.back()->cut({}) || !files.back()->rows()) return std::nullopt;
    stored += *files.back()->rows();
  }
  const auto begin = [&](std::uint64_t number) {
    return stored / pieces * number + std::min(number, stored % pieces);
  };
  ReadOptions some = options;
  some.may_be_empty = true;
  if (files.size() == 1)
    return of_columns(files[0], where, some, std::nullopt,
                      files[0]->cut({begin(piece), begin(piece + 1)}).value())
        .table;
  Joined joined(some);
  std::uint64_t before = 0;  // rows that are stored in the files so far
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint64_t rows = *files[i]->rows();
    const auto within = [&](std::uint64_t row) { return std::clamp(row, before, before + rows); };
    const RowSpan span{within(begin(piece)) - before, within(begin(piece + 1)) - before};
    joined.add(names[i], of_columns(files[i], where, some, before, files[i]->cut(span).value()));
    before += rows;
  }
  return joined.finish();
}

}  // namespace bootfold::data
