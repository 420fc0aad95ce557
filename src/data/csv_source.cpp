// Delimited text as a source: every pass parses the file again.
#include <algorithm>
#include <utility>

#include "data/csv.h"
#include "data/csv_reader.h"
#include "data/file_state.h"

namespace bootfold::data {
namespace {

struct CsvFile {
  std::string path;
  std::optional<char> usual;
  ReadOptions options;
  Where where;
  std::size_t chunk_bytes;
  FileState state;
};

class CsvPass final : public FilePass {
 public:
  CsvPass(std::shared_ptr<const CsvFile> file, std::optional<std::uint64_t> rows_before)
      : file_(std::move(file)),
        reader_(file_->path, file_->usual, file_->options, file_->where, rows_before) {
    check_unchanged(file_->state, state_of(file_->path), file_->path);
    reader_.forget_omitted();
    const std::size_t width = sizeof(double) * reader_.names().size();
    chunk_rows_ = std::max<std::size_t>(1, file_->chunk_bytes / width);
  }

  std::optional<Chunk> next() override {
    if (done_) return std::nullopt;
    done_ = !reader_.fill(chunk_rows_);
    Chunk chunk = reader_.take();
    if (done_) {
      reader_.check_first_line();
      check_unchanged(file_->state, state_of(file_->path), file_->path);
    }
    return chunk;
  }

  [[nodiscard]] std::uint64_t rows_read() const noexcept override { return reader_.rows_read(); }
  [[nodiscard]] std::uint64_t omitted() const noexcept override { return reader_.omitted(); }
  [[nodiscard]] std::uint64_t filtered() const noexcept override { return reader_.filtered(); }

 private:
  std::shared_ptr<const CsvFile> file_;
  CsvReader reader_;
  std::size_t chunk_rows_ = 1;
  bool done_ = false;
};

class CsvSource final : public FileSource {
 public:
  explicit CsvSource(CsvFile file) : file_(std::make_shared<const CsvFile>(std::move(file))) {
    const CsvReader reader(file_->path, file_->usual, file_->options, file_->where, std::nullopt);
    names_ = reader.names();
    note_ = reader.note();
    types_.assign(names_.size(), Type::float64);
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return types_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return std::nullopt; }
  [[nodiscard]] std::string note() const override { return note_; }
  [[nodiscard]] std::unique_ptr<FilePass> open_behind(
      std::optional<std::uint64_t> rows_before) const override {
    return std::make_unique<CsvPass>(file_, rows_before);
  }

 private:
  std::shared_ptr<const CsvFile> file_;
  std::vector<std::string> names_;
  std::vector<Type> types_;
  std::string note_;
};

}  // namespace

std::unique_ptr<FileSource> csv_source(const std::string& path, std::optional<char> usual,
                                       const ReadOptions& options, const Where& where,
                                       std::size_t chunk_bytes) {
  return std::make_unique<CsvSource>(
      CsvFile{path, usual, options, where, chunk_bytes, state_of(path)});
}

}  // namespace bootfold::data
