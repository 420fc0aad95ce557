#include "data/column_source.h"

#include <utility>

#include "data/sieve.h"
#include "data/slice.h"
#include "data/typed_column.h"

namespace bootfold::data {
namespace {

class ColumnPass final : public FilePass {
 public:
  ColumnPass(std::shared_ptr<const ColumnFile> file, const Where& where, NanPolicy nan,
             RowSpan rows, std::optional<std::uint64_t> rows_before)
      : file_(std::move(file)),
        where_(where),
        sieve_(*file_, where_, nan, rows_before, rows.first),
        batches_(file_->read(rows)) {}

  std::optional<Chunk> next() override {
    Batch batch;
    if (!batches_->next(batch)) return std::nullopt;
    file_->compute(batch);
    sieve_.look(batch);
    if (!sieve_.all_kept()) return copy_rows(batch.numbers, file_->names(), sieve_.kept());
    return Chunk{DataView(std::move(batch.numbers), file_->names()), std::move(batch.owner)};
  }

  [[nodiscard]] std::uint64_t rows_read() const noexcept override { return sieve_.rows_read(); }
  [[nodiscard]] std::uint64_t omitted() const noexcept override { return sieve_.omitted(); }
  [[nodiscard]] std::uint64_t filtered() const noexcept override { return sieve_.filtered(); }

 private:
  std::shared_ptr<const ColumnFile> file_;
  Where where_;
  Sieve sieve_;
  std::unique_ptr<Batches> batches_;
};

class ColumnFileSource final : public FileSource {
 public:
  ColumnFileSource(std::shared_ptr<const ColumnFile> file, Where where, NanPolicy nan,
                   std::optional<RowSpan> slice = std::nullopt)
      : file_(std::move(file)), where_(std::move(where)), nan_(nan), slice_(slice) {
    if (slice_) rows_ = file_->cut(*slice_).value();
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return file_->names();
  }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return file_->types(); }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    if (!where_.empty() || (nan_ == NanPolicy::omit && file_->may_be_missing()))
      return std::nullopt;
    return slice_ ? rows_.last - rows_.first : file_->rows();
  }
  [[nodiscard]] std::unique_ptr<FilePass> open_behind(
      std::optional<std::uint64_t> rows_before) const override {
    return std::make_unique<ColumnPass>(file_, where_, nan_, rows_, rows_before);
  }
  [[nodiscard]] std::optional<std::uint64_t> stored_rows() const noexcept override {
    if (slice_) return slice_->last - slice_->first;
    return file_->cut({}) ? file_->rows() : std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<Source> slice(std::uint64_t first,
                                              std::uint64_t count) const override {
    check_slice(*this, first, count);
    const std::uint64_t begin = (slice_ ? slice_->first : 0) + first;
    return std::make_unique<ColumnFileSource>(file_, where_, nan_, RowSpan{begin, begin + count});
  }

 private:
  std::shared_ptr<const ColumnFile> file_;
  Where where_;
  NanPolicy nan_;
  std::optional<RowSpan> slice_;  // as asked for
  RowSpan rows_;                  // that are read
};

}  // namespace

Chunk copy_rows(const std::vector<ColumnView>& columns, const std::vector<std::string>& names,
                std::span<const std::uint32_t> rows) {
  std::size_t bytes = 0;
  for (const ColumnView& column : columns) bytes += rows.size() * size_of(column.type());
  const std::shared_ptr<std::byte[]> owner(new std::byte[bytes + 1]);
  std::vector<ColumnView> copies;
  std::byte* at = owner.get();
  for (const ColumnView& column : columns) {
    const std::size_t size = size_of(column.type());
    copy_values(column, rows, column.type(), at);
    copies.emplace_back(at, column.type(), rows.size(), static_cast<std::ptrdiff_t>(size));
    at += rows.size() * size;
  }
  return {DataView(std::move(copies), names), owner};
}

std::unique_ptr<FileSource> column_source(std::shared_ptr<const ColumnFile> file, Where where,
                                          NanPolicy nan) {
  return std::make_unique<ColumnFileSource>(std::move(file), std::move(where), nan);
}

}  // namespace bootfold::data
