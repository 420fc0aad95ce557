// Parquet files: Arrow C++ decodes them, and its C stream interface hands the batches over.
#include "data/parquet.h"

#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/arrow_columns.h"
#include "data/file_state.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

// Of the compressed bytes of a column that are read at once.
constexpr std::int64_t kReadAtOnce = std::int64_t{1} << 20;

[[noreturn]] void throw_unreadable(const std::string& path, const std::string& reason) {
  throw DataError(text::concat("cannot read ", path, ": ", reason.substr(0, reason.find('\n'))));
}

void check_status(const arrow::Status& status, const std::string& path) {
  if (!status.ok()) throw_unreadable(path, status.message());
}

template <class Value>
Value value_of(arrow::Result<Value> result, const std::string& path) {
  check_status(result.status(), path);
  return std::move(result).ValueUnsafe();
}

/// Calls `act`; exceptions of Parquet become ours.
template <class Act>
auto guarded(const std::string& path, Act&& act) {
  try {
    return act();
  } catch (const parquet::ParquetException& error) {
    throw_unreadable(path, error.what());
  }
}

class ParquetFile {
 public:
  ParquetFile(std::string path, std::size_t chunk_bytes)
      : path_(std::move(path)), chunk_bytes_(chunk_bytes), state_(state_of(path_)) {}

  [[nodiscard]] std::uint64_t rows() const {
    return guarded(path_, [&] {
      const auto rows = reader(1)->parquet_reader()->metadata()->num_rows();
      return static_cast<std::uint64_t>(rows);
    });
  }

  /// Without `columns` a stream that has a schema and no rows.
  void open(const std::vector<std::size_t>* columns, ArrowArrayStream* stream) const {
    guarded(path_, [&] {
      std::shared_ptr<parquet::arrow::FileReader> file =
          reader(columns == nullptr ? 1 : std::max<std::size_t>(columns->size(), 1));
      std::shared_ptr<arrow::RecordBatchReader> batches;
      if (columns == nullptr) {
        std::shared_ptr<arrow::Schema> schema;
        check_status(file->GetSchema(&schema), path_);
        batches = value_of(arrow::RecordBatchReader::Make({}, schema), path_);
      } else {
        check_unchanged(state_, state_of(path_), path_);
        std::vector<int> groups(static_cast<std::size_t>(file->num_row_groups()));
        std::iota(groups.begin(), groups.end(), 0);
        std::vector<int> leaves;
        for (const std::size_t column : *columns)
          leaves.push_back(file->manifest().schema_fields.at(column).column_index);
        batches = keeping(file, value_of(file->GetRecordBatchReader(groups, leaves), path_));
      }
      check_status(arrow::ExportRecordBatchReader(std::move(batches), stream), path_);
    });
  }

 private:
  // The batches need the file as long as they are read.
  static std::shared_ptr<arrow::RecordBatchReader> keeping(
      std::shared_ptr<parquet::arrow::FileReader> file,
      std::shared_ptr<arrow::RecordBatchReader> batches) {
    auto* reader = batches.get();
    return {reader, [file = std::move(file), batches = std::move(batches)](void*) mutable {
              batches.reset();
              file.reset();
            }};
  }

  [[nodiscard]] std::unique_ptr<parquet::arrow::FileReader> reader(std::size_t columns) const {
    const auto file = value_of(arrow::io::ReadableFile::Open(path_), path_);
    parquet::ReaderProperties properties;
    properties.enable_buffered_stream();
    properties.set_buffer_size(kReadAtOnce);
    parquet::ArrowReaderProperties batches(/*use_threads=*/false);
    batches.set_pre_buffer(false);
    batches.set_batch_size(
        static_cast<std::int64_t>(std::max<std::size_t>(1, chunk_bytes_ / (8 * columns))));
    parquet::arrow::FileReaderBuilder builder;
    check_status(builder.Open(file, properties), path_);
    return value_of(builder.properties(batches)->Build(), path_);
  }

  std::string path_;
  std::size_t chunk_bytes_;
  FileState state_;
};

}  // namespace

std::shared_ptr<const ColumnFile> open_parquet(const std::string& path, const ReadOptions& options,
                                               const Where& where, std::size_t chunk_bytes) {
  const auto file = std::make_shared<const ParquetFile>(path, chunk_bytes);
  const std::uint64_t rows = file->rows();
  return arrow_columns(
      path,
      [file](const std::vector<std::size_t>* columns, ArrowArrayStream* stream) {
        file->open(columns, stream);
      },
      options, where, rows);
}

}  // namespace bootfold::data
