// The module that decodes and encodes Parquet files, with Arrow C++.
#include "data/parquet_module.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

// Of the compressed bytes of a column that are read at once.
constexpr std::int64_t kReadAtOnce = std::int64_t{1} << 20;

void check_status(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

template <class Value>
Value value_of(arrow::Result<Value> result) {
  check_status(result.status());
  return std::move(result).ValueUnsafe();
}

/// Calls `act`, and turns exceptions into text.
template <class Act>
int guarded(char* error, Act&& act) noexcept {
  try {
    act();
    return 0;
  } catch (const std::exception& problem) {
    std::string text = problem.what();
    text = text.substr(0, std::min(text.find('\n'), bootfold::data::kParquetError - 1));
    std::memcpy(error, text.c_str(), text.size() + 1);
    return 1;
  }
}

/// Reads nothing ahead, with the thread of the caller.
std::shared_ptr<parquet::arrow::FileReader> open_reader(const std::string& path,
                                                        std::size_t batch_rows) {
  const auto file = value_of(arrow::io::ReadableFile::Open(path));
  parquet::ReaderProperties properties;
  properties.enable_buffered_stream();
  properties.set_buffer_size(kReadAtOnce);
  parquet::ArrowReaderProperties batches(/*use_threads=*/false);
  batches.set_pre_buffer(false);
  batches.set_batch_size(static_cast<std::int64_t>(batch_rows));
  parquet::arrow::FileReaderBuilder builder;
  check_status(builder.Open(file, properties));
  return value_of(builder.properties(batches)->Build());
}

/// The batches of a file, which lives as long as they do.
class FileBatches final : public arrow::RecordBatchReader {
 public:
  FileBatches(std::shared_ptr<parquet::arrow::FileReader> file,
              std::shared_ptr<arrow::RecordBatchReader> batches)
      : file_(std::move(file)), batches_(std::move(batches)) {}

  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override {
    return batches_->schema();
  }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    try {
      return batches_->ReadNext(batch);
    } catch (const parquet::ParquetException& error) {
      return arrow::Status::IOError(error.what());
    }
  }

 private:
  std::shared_ptr<parquet::arrow::FileReader> file_;
  std::shared_ptr<arrow::RecordBatchReader> batches_;
};

std::shared_ptr<arrow::RecordBatchReader> batches_of(const std::string& path,
                                                     const std::size_t* columns, std::size_t count,
                                                     std::size_t first_group,
                                                     std::size_t last_group,
                                                     std::size_t batch_rows) {
  auto file = open_reader(path, batch_rows);
  if (columns == nullptr) {
    std::shared_ptr<arrow::Schema> schema;
    check_status(file->GetSchema(&schema));
    return value_of(arrow::RecordBatchReader::Make({}, schema));
  }
  std::vector<int> groups(last_group - first_group);
  std::iota(groups.begin(), groups.end(), static_cast<int>(first_group));
  std::vector<int> leaves;
  for (std::size_t c = 0; c < count; ++c)
    leaves.push_back(file->manifest().schema_fields.at(columns[c]).column_index);
  std::shared_ptr<arrow::RecordBatchReader> batches =
      value_of(file->GetRecordBatchReader(groups, leaves));
  return std::make_shared<FileBatches>(std::move(file), std::move(batches));
}

struct OpenedFile {
  std::string path;
  std::vector<std::uint64_t> group_rows;
};

int open_file(const char* path, void** file, std::uint64_t* rows, std::size_t* groups,
              char* error) {
  return guarded(error, [&] {
    const auto reader = open_reader(path, 1);
    const auto metadata = reader->parquet_reader()->metadata();
    auto opened = std::make_unique<OpenedFile>(OpenedFile{path, {}});
    for (int group = 0; group < metadata->num_row_groups(); ++group)
      opened->group_rows.push_back(
          static_cast<std::uint64_t>(metadata->RowGroup(group)->num_rows()));
    *rows = static_cast<std::uint64_t>(metadata->num_rows());
    *groups = opened->group_rows.size();
    *file = opened.release();
  });
}

void close_file(void* file) { delete static_cast<OpenedFile*>(file); }

int group_rows(void* file, std::uint64_t* rows, char* error) {
  return guarded(error, [&] {
    const auto& groups = static_cast<const OpenedFile*>(file)->group_rows;
    std::copy(groups.begin(), groups.end(), rows);
  });
}

int open_stream(void* file, const std::size_t* columns, std::size_t count, std::size_t first_group,
                std::size_t last_group, std::size_t batch_rows, ArrowArrayStream* stream,
                char* error) {
  return guarded(error, [&] {
    const auto& path = static_cast<const OpenedFile*>(file)->path;
    check_status(arrow::ExportRecordBatchReader(
        batches_of(path, columns, count, first_group, last_group, batch_rows), stream));
  });
}

/// The values of a column; those of numbers stay where they are.
std::shared_ptr<arrow::Array> array_of(const BootfoldColumn& column, std::size_t rows) {
  const auto length = static_cast<std::int64_t>(rows);
  if (column.texts != nullptr) {
    arrow::StringBuilder builder;
    for (std::size_t row = 0; row < rows; ++row) check_status(builder.Append(column.texts[row]));
    return value_of(builder.Finish());
  }
  const void* values = column.numbers;
  if (values == nullptr) values = column.integers;
  const auto bytes = std::make_shared<arrow::Buffer>(
      static_cast<const std::uint8_t*>(values),
      length * static_cast<std::int64_t>(sizeof(double)));  // as that of an integer
  if (column.numbers == nullptr) return std::make_shared<arrow::Int64Array>(length, bytes);
  return std::make_shared<arrow::DoubleArray>(length, bytes);
}

int write_table(const BootfoldColumn* columns, std::size_t count, std::size_t rows,
                void (*take)(void*, const void*, std::size_t), void* context, char* error) {
  return guarded(error, [&] {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (std::size_t c = 0; c < count; ++c) {
      arrays.push_back(array_of(columns[c], rows));
      fields.push_back(arrow::field(columns[c].name, arrays.back()->type(), /*nullable=*/false));
    }
    const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
    const auto output = value_of(arrow::io::BufferOutputStream::Create());
    check_status(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), output));
    const auto written = value_of(output->Finish());
    take(context, written->data(), static_cast<std::size_t>(written->size()));
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const BootfoldParquet* bootfold_parquet_4() {
  static constexpr BootfoldParquet kModule{open_file, close_file, group_rows, open_stream,
                                           write_table};
  return &kModule;
}
