// Files as a source of rows.
#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/binary_file.h"
#include "data/column_source.h"
#include "data/csv.h"
#include "data/file_source.h"
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
class TableSource final : public FileSource {
 public:
  TableSource(Table table, std::size_t chunk_bytes)
      : table_(std::make_shared<const Table>(std::move(table))),
        source_(table_->view(),
                std::max<std::size_t>(1, chunk_bytes / (sizeof(double) * table_->view().columns())),
                table_),
        types_(table_->view().columns(), Type::float64) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return source_.names();
  }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return types_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return source_.rows();
  }
  [[nodiscard]] std::string note() const override { return table_->note(); }
  [[nodiscard]] std::unique_ptr<FilePass> open_behind(std::optional<std::uint64_t>) const override {
    return std::make_unique<TablePass>(*table_, source_.open());
  }

 private:
  class TablePass final : public FilePass {
   public:
    TablePass(const Table& table, std::unique_ptr<Pass> pass)
        : rows_(table.view().rows()),
          omitted_(table.omitted()),
          filtered_(table.filtered()),
          pass_(std::move(pass)) {}
    std::optional<Chunk> next() override { return pass_->next(); }
    [[nodiscard]] std::uint64_t rows_read() const noexcept override {
      return rows_ + omitted_ + filtered_;
    }
    [[nodiscard]] std::uint64_t omitted() const noexcept override { return omitted_; }
    [[nodiscard]] std::uint64_t filtered() const noexcept override { return filtered_; }

   private:
    std::uint64_t rows_;
    std::uint64_t omitted_;
    std::uint64_t filtered_;
    std::unique_ptr<Pass> pass_;
  };

  std::shared_ptr<const Table> table_;
  MemorySource source_;
  std::vector<Type> types_;
};

std::unique_ptr<Source> open_file(const std::string& path, const ReadOptions& options,
                                  const Where& where, std::size_t chunk_bytes) {
  const Format format = find_format(path, options);
  if (read_once(path)) return std::make_unique<TableSource>(read(path, options), chunk_bytes);
  switch (format) {
    case Format::npy:
      return column_source(npy_columns(path, options, where, chunk_bytes), where, options.nan);
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

std::unique_ptr<Source> open_raw(const std::string& path, const RawFormat& format,
                                 const ReadOptions& options, std::size_t chunk_bytes) {
  check_for_source(options, chunk_bytes);
  const Where where = where_of(options);
  std::vector<Concatenated::Part> parts;
  parts.push_back({path, column_source(raw_columns(path, format, options, where, chunk_bytes),
                                       where, options.nan)});
  return std::make_unique<Concatenated>(std::move(parts), options.may_be_empty);
}

ReadNotes notes(const Source& source) {
  if (const auto* files = dynamic_cast<const Concatenated*>(&source)) return files->notes();
  if (const auto* stream = dynamic_cast<const ArrowSource*>(&source)) return stream->notes();
  return {};
}

}  // namespace bootfold::data
