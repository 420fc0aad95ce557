// data/batch.h: files of columns (.npy, raw, Parquet, Arrow), batch by batch.
//
// A ColumnFile knows the columns that were chosen and hands out batches of rows as they lie in the
// file. What all formats share is done behind it, once: the condition, missing values and row
// numbers in messages (sieve.h), chunks of a source (column_source.h) and tables (table_builder.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/data.h"
#include "data/columns.h"
#include "data/computed.h"
#include "data/where.h"

namespace bootfold::data {

/// Positions of the columns that are meant, from 0.
struct Selection {
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> labels;
  std::vector<std::size_t> texts;
  std::vector<std::size_t> condition;  ///< of the condition, then of computed columns
  std::vector<Computed> computed;
};

/// Finds the columns of `options` and `where` among those of `file`. Throws InvalidArgument.
[[nodiscard]] Selection select(const ColumnNames& columns, const ReadOptions& options,
                               const Where& where, const std::string& file);

/// Values of a column that may be text.
struct Cells {
  bool is_text = false;
  ColumnView numbers = {};                   ///< if it is not text; NaN is missing
  std::vector<std::string_view> texts = {};  ///< if it is text
  std::vector<char> missing = {};            ///< of texts; empty if none is
  bool are_times = false;                    ///< texts are dates or times
};

/// Rows that were read together.
struct Batch {
  std::size_t rows = 0;
  std::vector<ColumnView> numbers = {};
  std::vector<Cells> labels = {};
  std::vector<Cells> texts = {};
  std::vector<Cells> condition = {};
  std::shared_ptr<const void> owner = {};  ///< keeps all values alive
};

/// One way through the rows of a file.
class Batches {
 public:
  virtual ~Batches() = default;
  /// Returns false after the last batch. Throws DataError.
  virtual bool next(Batch& batch) = 0;
};

/// Rows first .. last - 1 of a file.
struct RowSpan {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
};

/// A file of columns, of which some were chosen.
class ColumnFile {
 public:
  virtual ~ColumnFile() = default;
  /// What messages call it.
  [[nodiscard]] virtual const std::string& label() const noexcept = 0;
  /// The chosen columns of numbers.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<Type>& types() const noexcept = 0;
  /// The names of the label columns and of the text columns.
  [[nodiscard]] virtual const std::vector<std::string>& label_names() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<std::string>& text_names() const noexcept = 0;
  /// The number of rows in the file, if it is known.
  [[nodiscard]] virtual std::optional<std::uint64_t> rows() const noexcept = 0;
  /// Whether the chosen columns can hold NaN, as far as it is known.
  [[nodiscard]] virtual bool may_be_missing() const noexcept = 0;
  /// Numbers for text in the chosen columns; null if there are none.
  [[nodiscard]] virtual FieldCodes* codes() const noexcept = 0;
  /// What a missing number is in such a file.
  [[nodiscard]] virtual const char* missing_word() const noexcept { return "NaN"; }
  /// The rows that a slice has: `rows`, or the groups that begin there if rows are stored in
  /// groups. std::nullopt if the file can only be read from its beginning.
  [[nodiscard]] virtual std::optional<RowSpan> cut(RowSpan rows) const noexcept = 0;
  /// Starts to read `rows`, which are all or come from cut(). Throws DataError if the file changed
  /// since it was opened.
  [[nodiscard]] virtual std::unique_ptr<Batches> read(RowSpan rows) const = 0;
  /// Adds the computed columns to a batch that was read. Throws InvalidArgument if text is used as
  /// numbers or numbers as text.
  virtual void compute(Batch& batch) const = 0;
};

/// The names and types of the columns that were chosen.
class ChosenColumns : public ColumnFile {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const noexcept final { return names_; }
  [[nodiscard]] const std::vector<Type>& types() const noexcept final { return types_; }
  [[nodiscard]] const std::vector<std::string>& label_names() const noexcept final {
    return labels_;
  }
  [[nodiscard]] const std::vector<std::string>& text_names() const noexcept final { return texts_; }
  void compute(Batch& batch) const final { add_computed(computed_, label(), batch); }
  [[nodiscard]] FieldCodes* codes() const noexcept final { return codes_.get(); }

 protected:
  /// `name_of` and `type_of`: functions of the position of a column.
  template <class NameOf, class TypeOf>
  ChosenColumns(const Selection& selection, const NameOf& name_of, const TypeOf& type_of,
                std::shared_ptr<FieldCodes> codes)
      : computed_(selection.computed), codes_(std::move(codes)) {
    ColumnChoice{selection.numbers, selection.computed}.visit(
        [&](std::size_t column) {
          names_.push_back(name_of(column));
          types_.push_back(type_of(column));
        },
        [&](const Computed& column) {
          names_.push_back(column.name);
          types_.push_back(Type::float64);
        });
    for (const std::size_t column : selection.labels) labels_.push_back(name_of(column));
    for (const std::size_t column : selection.texts) texts_.push_back(name_of(column));
    if (codes_ != nullptr) codes_->start(names_);
  }

 private:
  std::vector<std::string> names_;
  std::vector<Type> types_;
  std::vector<std::string> labels_;
  std::vector<std::string> texts_;
  std::vector<Computed> computed_;
  std::shared_ptr<FieldCodes> codes_;
};

}  // namespace bootfold::data
