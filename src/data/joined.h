// data/joined.h: tables of several files as one, without a copy of the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::data {

/// A table, and the types that its file gives to the columns. A column of integers with missing
/// values has become one of doubles.
struct FileTable {
  Table table;
  std::vector<Type> types;
};

class Joined {
 public:
  /// All tables are read with these options.
  explicit Joined(const ReadOptions& options)
      : labels_(options.labels.size()),
        texts_(options.texts.size()),
        may_be_empty_(options.may_be_empty) {}

  /// Throws DataError that names `file` if its columns or types are not those of the first.
  void add(const std::string& file, FileTable table);

  /// All rows of the files so far, also those that were left out.
  [[nodiscard]] std::uint64_t rows_read() const noexcept { return rows_read_; }

  /// The rows of all files. Throws DataError if there are none, unless ReadOptions::may_be_empty.
  [[nodiscard]] Table finish();

 private:
  std::size_t labels_;
  std::size_t texts_;
  bool may_be_empty_;
  std::string first_;
  std::vector<FileTable> tables_;
  std::uint64_t rows_read_ = 0;
};

}  // namespace bootfold::data
