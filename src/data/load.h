// data/load.h: the rows of a file of columns in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bootfold/data.h"
#include "data/batch.h"
#include "data/label_builder.h"
#include "data/sieve.h"
#include "data/typed_column.h"
#include "data/where.h"

namespace bootfold::data {

/// The rows of a file that are kept, each column in its type, with labels and texts: all of them,
/// or some at a time. `rows_before` are those of the files before this one, if there are several;
/// `rows` are all rows or come from ColumnFile::cut().
class ColumnTables {
 public:
  ColumnTables(std::shared_ptr<const ColumnFile> file, const Where& where, NanPolicy nan,
               std::optional<std::uint64_t> rows_before, RowSpan rows = {});
  ColumnTables(const ColumnTables&) = delete;  // the sieve refers to the condition
  ColumnTables& operator=(const ColumnTables&) = delete;

  /// Reads some more rows. Returns false at the end of the file.
  bool add_batch();
  /// The rows at hand, of which there may be none.
  [[nodiscard]] Table take();
  /// Throws DataError if no row was kept so far, unless there are several files.
  void check_any_rows() const;

 private:
  void start_texts();

  std::shared_ptr<const ColumnFile> file_;
  std::optional<std::uint64_t> rows_before_;
  Where where_;
  Sieve sieve_;
  std::unique_ptr<Batches> batches_;
  std::vector<TypedColumn> columns_;
  std::vector<LabelBuilder> labels_;
  std::vector<Texts> texts_;
  std::vector<std::size_t> omitted_rows_;
  std::size_t fulfilled_ = 0;  // rows at hand, with those that are omitted
  std::uint64_t rows_ = 0;     // kept so far
  std::uint64_t filtered_taken_ = 0;
};

/// All rows at once. Throws DataError if no row is left and there are no other files, unless
/// ReadOptions::may_be_empty.
[[nodiscard]] Table load_columns(std::shared_ptr<const ColumnFile> file, const Where& where,
                                 const ReadOptions& options,
                                 std::optional<std::uint64_t> rows_before, RowSpan rows = {});

}  // namespace bootfold::data
