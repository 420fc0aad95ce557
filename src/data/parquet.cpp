// Parquet files, through the module that is linked with Arrow C++.
#include "data/parquet.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/write.h"
#include "data/arrow_columns.h"
#include "data/file_state.h"
#include "data/parquet_module.h"
#include "data/whole_rows.h"
#include "text/concat.h"
#include "text/output_file.h"

namespace bootfold::data {
namespace {

/// Loaded once, and never unloaded: Arrow has threads and memory of its own.
const BootfoldParquet& load_parquet(const std::string& path, const char* verb = "read") {
  static const BootfoldParquet* const module = [&]() -> const BootfoldParquet* {
    std::string reasons;
    for (const char* file :
         {BOOTFOLD_PARQUET_BUILT, BOOTFOLD_PARQUET_INSTALLED, BOOTFOLD_PARQUET_NAME}) {
      void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
      void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kParquetSymbol);
      if (symbol != nullptr) return reinterpret_cast<BootfoldParquetModule*>(symbol)();
      const char* const reason = ::dlerror();
      reasons += text::concat(reasons.empty() ? "" : "; ", reason == nullptr ? file : reason);
    }
    throw DataError(text::concat("cannot ", verb, " ", path,
                                 ": the module for Parquet files cannot be loaded (", reasons,
                                 ")"));
  }();
  return *module;
}

class ParquetFile {
 public:
  ParquetFile(std::string path, std::size_t chunk_bytes)
      : path_(std::move(path)),
        chunk_bytes_(chunk_bytes),
        state_(state_of(path_)),
        module_(load_parquet(path_)) {
    std::size_t groups = 0;
    check(module_.open(path_.c_str(), &file_, &rows_, &groups, error_.data()));
    std::vector<std::uint64_t> rows(groups);
    check(module_.group_rows(file_, rows.data(), error_.data()));
    groups_.resize(groups);
    std::exclusive_scan(rows.begin(), rows.end(), groups_.begin(), std::uint64_t{0});
  }
  ~ParquetFile() {
    if (file_ != nullptr) module_.close(file_);
  }
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// The first row of each group.
  [[nodiscard]] const std::vector<std::uint64_t>& groups() const noexcept { return groups_; }

  void open(const std::vector<std::size_t>* columns, RowSpan rows, ArrowArrayStream* stream) const {
    std::array<char, kParquetError> error{};
    const std::size_t count = columns == nullptr ? 0 : columns->size();
    if (columns != nullptr) check_unchanged(state_, state_of(path_), path_);
    const std::size_t width = sizeof(double) * std::max<std::size_t>(count, 1);
    const auto group_of = [&](std::uint64_t row) {
      const auto at = std::lower_bound(groups_.begin(), groups_.end(), row);
      return static_cast<std::size_t>(at - groups_.begin());
    };
    if (module_.stream(file_, columns == nullptr ? nullptr : columns->data(), count,
                       group_of(rows.first), group_of(rows.last),
                       std::max<std::size_t>(1, chunk_bytes_ / width), stream, error.data()) != 0)
      fail(error.data());
  }

 private:
  void check(int code) const {
    if (code != 0) fail(error_.data());
  }
  [[noreturn]] void fail(const char* reason) const {
    throw DataError(text::concat("cannot read ", path_, ": ", reason));
  }

  std::string path_;
  std::size_t chunk_bytes_;
  FileState state_;
  const BootfoldParquet& module_;
  std::array<char, kParquetError> error_{};
  void* file_ = nullptr;
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> groups_;
};

}  // namespace

std::shared_ptr<const ColumnFile> open_parquet(const std::string& path, const ReadOptions& options,
                                               const Where& where, std::size_t chunk_bytes) {
  const auto file = std::make_shared<const ParquetFile>(path, chunk_bytes);
  return arrow_columns(path,
                       [file](const std::vector<std::size_t>* columns, RowSpan rows,
                              ArrowArrayStream* stream) { file->open(columns, rows, stream); },
                       options, where, {file->rows(), file->groups()});
}

void check_parquet_writer(const std::string& path) { (void)load_parquet(path, "write"); }

namespace {

void write_columns(const std::string& path, const std::vector<BootfoldColumn>& columns,
                   std::size_t rows) {
  std::string bytes;
  const auto take = [](void* context, const void* piece, std::size_t size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(piece), size);
  };
  std::array<char, kParquetError> error{};
  if (load_parquet(path, "write")
          .write(columns.data(), columns.size(), rows, take, &bytes, error.data()) != 0)
    throw DataError(text::concat("cannot write ", path, ": ", error.data()));
  text::write_file(path, bytes);
}

}  // namespace

void write_parquet(const std::string& path, const std::vector<std::string>& names,
                   std::span<const double> values) {
  check_whole_rows(names, values.size());
  const std::size_t rows = values.size() / names.size();
  std::vector<std::vector<double>> columns(names.size(), std::vector<double>(rows));
  std::vector<BootfoldColumn> written;
  for (std::size_t c = 0; c < names.size(); ++c) {
    for (std::size_t row = 0; row < rows; ++row) columns[c][row] = values[row * names.size() + c];
    written.push_back({names[c].c_str(), columns[c].data(), nullptr, nullptr});
  }
  write_columns(path, written, rows);
}

void write_parquet(const std::string& path, const std::vector<NamedColumn>& columns) {
  std::vector<BootfoldColumn> written;
  std::vector<std::vector<const char*>> texts(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    written.push_back({columns[c].name.c_str(), nullptr, nullptr, nullptr});
    if (const auto* numbers = std::get_if<std::vector<double>>(&columns[c].values))
      written.back().numbers = numbers->data();
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&columns[c].values))
      written.back().integers = integers->data();
    if (const auto* strings = std::get_if<std::vector<std::string>>(&columns[c].values)) {
      for (const std::string& text : *strings) texts[c].push_back(text.c_str());
      written.back().texts = texts[c].data();
    }
  }
  write_columns(path, written, rows_of(columns));
}

}  // namespace bootfold::data
