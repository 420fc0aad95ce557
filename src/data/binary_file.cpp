#include "data/binary_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/block_pool.h"
#include "data/coded_numbers.h"
#include "data/columns.h"
#include "data/file_state.h"
#include "data/npy_header.h"
#include "data/typed.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kMostChunkRows = std::size_t{1} << 30;  // rows of a batch have 32 bits

/// An array, and the distinct columns of it that are read, from left to right.
struct ArrayFile {
  std::string path;
  FileState state = {};
  NpyHeader array = {};
  Selection selection = {};
  std::shared_ptr<FieldCodes> codes = nullptr;
  std::vector<std::size_t> read = {};
  std::size_t chunk_rows = 1;

  [[nodiscard]] std::size_t place(std::size_t column) const {
    const auto at = std::lower_bound(read.begin(), read.end(), column);
    return static_cast<std::size_t>(at - read.begin());
  }
};

// Whole rows are read only if they are not much more than what is kept of them; a block is theirs.
class ArrayBatches final : public Batches {
 public:
  ArrayBatches(std::shared_ptr<const ArrayFile> file, RowSpan rows)
      : array_(std::move(file)),
        file_(array_->path),
        size_(size_of(array_->array.type)),
        pool_(array_->chunk_rows * array_->read.size() * size_),
        done_(rows.first),
        last_(std::min<std::uint64_t>(rows.last, array_->array.rows)) {
    check_unchanged(array_->state, state_of(file_.number(), array_->path), array_->path);
#ifdef POSIX_FADV_SEQUENTIAL
    ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    if (!whole_rows() && !array_->array.fortran_order)
      rows_.resize(array_->chunk_rows * array_->array.columns * size_);
  }

  bool next(Batch& batch) override {
    if (done_ >= last_) return false;
    batch = {};
    batch.rows = std::min(array_->chunk_rows, last_ - done_);
    const std::shared_ptr<std::byte> block = pool_.take();
    if (array_->array.fortran_order)
      read_columns(batch.rows, block.get());
    else
      read_rows(batch.rows, block.get());
    done_ += batch.rows;
    const auto column = [&](std::size_t number) {
      const std::size_t place = array_->place(number);
      const std::size_t step = whole_rows() ? array_->array.columns * size_ : size_;
      const std::size_t first = whole_rows() ? place * size_ : place * batch.rows * size_;
      return ColumnView(block.get() + first, array_->array.type, batch.rows,
                        static_cast<std::ptrdiff_t>(step));
    };
    auto owner = std::make_shared<Owner>(Owner{block, {}});
    const std::vector<std::size_t>& numbers = array_->selection.numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      batch.numbers.push_back(
          array_->codes != nullptr && array_->codes->use(i) == FieldUse::all
              ? coded_numbers({false, column(numbers[i])},
                              {*array_->codes, i, array_->path, std::to_string(numbers[i] + 1),
                               done_ - batch.rows},
                              batch.rows, owner->coded)
              : column(numbers[i]));
    for (const auto& [others, cells] : {std::pair(&array_->selection.labels, &batch.labels),
                                        std::pair(&array_->selection.texts, &batch.texts),
                                        std::pair(&array_->selection.condition, &batch.condition)})
      for (const std::size_t number : *others) cells->push_back({false, column(number)});
    batch.owner = std::move(owner);
    if (done_ == last_)
      check_unchanged(array_->state, state_of(file_.number(), array_->path), array_->path);
    return true;
  }

 private:
  struct Owner {
    std::shared_ptr<std::byte> block;
    std::vector<std::unique_ptr<std::byte[]>> coded;
  };

  // All columns are used, row by row: a block has the layout of the file.
  [[nodiscard]] bool whole_rows() const {
    return !array_->array.fortran_order && array_->read.size() == array_->array.columns;
  }

  void read_columns(std::size_t rows, std::byte* out) {
    for (const std::size_t column : array_->read) {
      const std::uint64_t first = std::uint64_t{column} * array_->array.rows + done_;
      read_at(file_.number(), array_->array.offset + first * size_, out, rows * size_,
              array_->path);
      out += rows * size_;
    }
  }

  void read_rows(std::size_t rows, std::byte* out) {
    const std::size_t width = array_->array.columns * size_;
    const std::uint64_t offset = array_->array.offset + std::uint64_t{done_} * width;
    if (whole_rows()) return read_at(file_.number(), offset, out, rows * width, array_->path);
    read_at(file_.number(), offset, rows_.data(), rows * width, array_->path);
    for (const std::size_t column : array_->read) {
      const std::byte* from = rows_.data() + column * size_;
      with_type(array_->array.type, [&](auto kind) {
        for (std::size_t row = 0; row < rows; ++row)
          std::memcpy(out + row * sizeof kind, from + row * width, sizeof kind);
      });
      out += rows * size_;
    }
  }

  std::shared_ptr<const ArrayFile> array_;
  OpenFile file_;
  std::size_t size_;
  BlockPool pool_;
  std::vector<std::byte> rows_;  // rows of the file, of which some columns are kept
  std::size_t done_;
  std::size_t last_;
};

class ArrayColumns final : public ChosenColumns {
 public:
  ArrayColumns(ArrayFile file, std::size_t chunk_bytes)
      : ChosenColumns(
            file.selection,
            [all = ColumnNames(file.array.columns)](std::size_t column) { return all[column]; },
            [&](std::size_t) { return file.array.type; }, file.codes) {
    const Selection& selection = file.selection;
    const std::size_t columns = file.array.columns;
    for (const auto* numbers :
         {&selection.numbers, &selection.labels, &selection.texts, &selection.condition})
      file.read.insert(file.read.end(), numbers->begin(), numbers->end());
    std::sort(file.read.begin(), file.read.end());
    file.read.erase(std::unique(file.read.begin(), file.read.end()), file.read.end());
    const std::size_t width =
        size_of(file.array.type) * (file.array.fortran_order ? file.read.size() : columns);
    file.chunk_rows = std::clamp<std::size_t>(
        chunk_bytes / width, 1, std::clamp<std::size_t>(file.array.rows, 1, kMostChunkRows));
    file_ = std::make_shared<const ArrayFile>(std::move(file));
  }

  [[nodiscard]] const std::string& label() const noexcept override { return file_->path; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return file_->array.rows;
  }
  [[nodiscard]] bool may_be_missing() const noexcept override {
    return file_->array.type == Type::float64 || file_->array.type == Type::float32 ||
           !file_->selection.computed.empty();
  }
  [[nodiscard]] std::optional<RowSpan> cut(RowSpan rows) const noexcept override { return rows; }
  [[nodiscard]] std::unique_ptr<Batches> read(RowSpan rows) const override {
    return std::make_unique<ArrayBatches>(file_, rows);
  }

 private:
  std::shared_ptr<const ArrayFile> file_;
};

std::shared_ptr<const ColumnFile> open_array(const std::string& path, const FileState& state,
                                             const NpyHeader& array, const ReadOptions& options,
                                             const Where& where, std::size_t chunk_bytes) {
  ArrayFile file{path, state, array, select(ColumnNames(array.columns), options, where, path),
                 options.codes};
  return std::make_shared<ArrayColumns>(std::move(file), chunk_bytes);
}

}  // namespace

std::shared_ptr<const ColumnFile> npy_columns(const std::string& path, const ReadOptions& options,
                                              const Where& where, std::size_t chunk_bytes) {
  check_no_missing_words(options, path);
  const OpenFile file(path);
  const FileState state = state_of(file.number(), path);
  if (state.size == 0) throw DataError(text::concat(path, " is empty"));
  std::vector<std::byte> start(std::min<std::uint64_t>(state.size, kLongestHeader));
  read_at(file.number(), 0, start.data(), start.size(), path);
  return open_array(path, state, parse_npy_header(start, state.size, path), options, where,
                    chunk_bytes);
}

std::shared_ptr<const ColumnFile> raw_columns(const std::string& path, const RawFormat& format,
                                              const ReadOptions& options, const Where& where,
                                              std::size_t chunk_bytes) {
  check_no_missing_words(options, path);
  if (format.columns == 0)
    throw InvalidArgument("columns of the raw format is 0 but must be at least 1");
  const OpenFile file(path);
  const FileState state = state_of(file.number(), path);
  if (format.offset > state.size)
    throw DataError(text::concat(path, " has ", state.size, " bytes but its values begin behind ",
                                 format.offset, "; check the offset"));
  const std::uint64_t width = size_of(format.type) * std::uint64_t{format.columns};
  const std::uint64_t bytes = state.size - format.offset;
  if (format.columns > state.size || bytes % width != 0)
    throw DataError(text::concat(path, " has ", bytes, " bytes of values, which are no whole ",
                                 "number of rows of ", format.columns, " ", name(format.type),
                                 " values (", width, " bytes); check type, columns and offset"));
  const NpyHeader array{format.type, static_cast<std::size_t>(bytes / width), format.columns, false,
                        static_cast<std::size_t>(format.offset)};
  return open_array(path, state, array, options, where, chunk_bytes);
}

}  // namespace bootfold::data
