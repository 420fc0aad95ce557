// Few distinct rows among many: counted until there are too many to be of use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/statistic.h"

namespace bootfold::study {

/// Distinct rows and how many rows each stands for, most frequent first; of equally frequent ones
/// the one that occurs first in the data.
struct DistinctRows {
  std::vector<std::vector<double>> columns;
  std::vector<std::uint64_t> weights;
  std::vector<std::uint64_t> first_rows;

  [[nodiscard]] std::size_t count() const noexcept { return weights.size(); }
  [[nodiscard]] bool operator==(const DistinctRows&) const = default;
};

/// Counts distinct rows. Equal bits make equal rows (-0 counts as 0). Tables merge, and it does not
/// matter how the rows were cut.
class DistinctTable {
 public:
  DistinctTable() = default;
  /// Rows of `width` columns; with more than `most` distinct ones the table closes.
  DistinctTable(std::size_t width, std::size_t most);

  /// Whether there are more than `most` distinct rows.
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::size_t count() const noexcept { return weights_.size(); }
  /// What a table that is nearly full takes.
  [[nodiscard]] std::size_t most_bytes() const noexcept {
    return most_ * (width_ + 3) * sizeof(std::uint64_t);
  }
  void close();
  /// Whether the rows counted are `rows` in all, or there are too many distinct ones.
  [[nodiscard]] bool counts_all(std::uint64_t rows) const;

  /// Counts the rows of a tile, which are rows first, first + 1, ... of the data.
  void add(const statistic::Tile& tile, std::uint64_t first);
  /// The same for one value that occurs so often, if there is one column.
  void add(double value, std::uint64_t times, std::uint64_t first);
  void merge(const DistinctTable& other);
  /// Moves the rows seen by so many rows.
  void shift(std::uint64_t rows);

  /// The rows in their order; nothing once closed.
  [[nodiscard]] DistinctRows rows() const;

  template <class Archive>
  void visit(Archive& archive) {
    if constexpr (!Archive::kReads) sort();
    archive(width_, most_, closed_, rows_, weights_, first_rows_);
    if constexpr (Archive::kReads) {
      if (weights_.size() != first_rows_.size() || weights_.size() > most_ ||
          width_ > (std::size_t{1} << 32) || rows_.size() != width_ * weights_.size() ||
          (!weights_.empty() && (closed_ || width_ == 0)))
        archive.refuse();
      restore();
    }
  }

  [[nodiscard]] bool operator==(const DistinctTable& other) const {
    return closed_ == other.closed_ && (closed_ || rows() == other.rows());
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  /// Counts one row `weight` times.
  void count(const std::uint64_t* row, std::uint64_t weight, std::uint64_t first_row);
  [[nodiscard]] std::size_t hash(const std::uint64_t* row) const;
  void grow();
  /// Puts the rows in the order of the data, so that equal tables have equal bytes.
  void sort();
  /// Fills the slots with rows that were read.
  void restore();

  std::size_t width_ = 0;
  std::size_t most_ = 0;
  bool closed_ = true;
  std::vector<std::uint32_t> slots_;  // open addressing, at most half full
  std::vector<std::uint64_t> rows_;   // bits of the values: [row][column]
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint64_t> first_rows_;
  std::vector<std::uint64_t> scratch_;
  std::size_t last_ = 0;  // the row that was counted last
};

}  // namespace bootfold::study
