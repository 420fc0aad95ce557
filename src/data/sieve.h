// data/sieve.h: which rows of a batch are kept: those that fulfil the condition and have no NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "data/batch.h"
#include "data/where.h"

namespace bootfold::data {

/// ", row 1003 of all files" for row 3 of a file behind 1000 rows of others; empty if the file is
/// the only one.
[[nodiscard]] std::string row_of_all(std::optional<std::uint64_t> rows_before, std::uint64_t row);

/// The message for a file, or several, of which no row is left.
[[nodiscard]] std::string no_rows_left(const std::string& label, std::uint64_t omitted,
                                       std::uint64_t filtered, bool has_header);

/// Passes over one file, batch by batch.
class Sieve {
 public:
  /// `rows_before` are those of the files before this one, if there are several; `first` is the row
  /// of the file with which the first batch begins.
  Sieve(const ColumnFile& file, const Where& where, NanPolicy nan,
        std::optional<std::uint64_t> rows_before, std::uint64_t first = 0);

  /// Looks at the next batch. Throws DataError for infinite values, and for missing ones under
  /// NanPolicy::error; rows that the condition leaves out are not looked at. `texts` of the batch
  /// play no part.
  void look(const Batch& batch);

  /// Of this batch: whether all rows are kept; those that are, in ascending order; and those that
  /// fulfil the condition, also if they hold NaN.
  [[nodiscard]] bool all_kept() const noexcept { return fates_.empty(); }
  [[nodiscard]] std::vector<std::uint32_t> kept() const { return rows_below(Fate::incomplete); }
  [[nodiscard]] std::vector<std::uint32_t> fulfilling() const { return rows_below(Fate::filtered); }

  /// All rows so far and those before the first batch, those that hold NaN and those that the
  /// condition left out.
  [[nodiscard]] std::uint64_t rows_read() const noexcept { return rows_read_; }
  [[nodiscard]] std::uint64_t omitted() const noexcept { return omitted_; }
  [[nodiscard]] std::uint64_t filtered() const noexcept { return filtered_; }

 private:
  enum class Fate : char { kept, incomplete, filtered };

  void choose(const Batch& batch);
  void drop(std::size_t row, Fate fate);
  [[nodiscard]] bool is_filtered(std::size_t row) const {
    return !fates_.empty() && fates_[row] == Fate::filtered;
  }
  [[nodiscard]] std::vector<std::uint32_t> rows_below(Fate fate) const;
  void check_numbers(const ColumnView& column, std::size_t number);
  void check_label(const Cells& cells, std::size_t number);
  [[noreturn]] void fail(std::size_t row, const std::string& column, const char* problem,
                         const char* remedy) const;

  const ColumnFile& file_;
  const Where& where_;
  NanPolicy nan_;
  std::optional<std::uint64_t> rows_before_;
  std::uint64_t rows_read_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t first_ = 0;  // row of the file that is row 0 of this batch
  std::size_t batch_rows_ = 0;
  std::vector<Fate> fates_;  // of the rows of this batch; empty if all are kept
  expression::Scratch scratch_;
};

}  // namespace bootfold::data
