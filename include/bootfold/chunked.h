// bootfold/chunked.h: columns in several pieces.
//
//     std::vector<double> monday = ..., tuesday = ...;
//     data::Chunked week({monday, tuesday});
//     bootstrap(ColumnView(week), statistic::mean());   // as on one vector
//
// The chunks are read where they lie, so that a file of several row groups or a table of several
// record batches needs no copy in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold::data {

/// A column whose rows are those of several columns, one after the other. All that is computed from
/// it has the bits of a column in one piece. Does not own the values.
///
/// A row is found in constant time if the chunks are about equally long, and in the logarithm of
/// the number of chunks otherwise.
class BOOTFOLD_API Chunked final : public ColumnSource {
 public:
  /// Chunks may be empty. Throws InvalidArgument if their types differ.
  explicit Chunked(std::vector<ColumnView> chunks);

  [[nodiscard]] std::size_t rows() const noexcept override { return begins_.back(); }
  [[nodiscard]] Type type() const noexcept override { return type_; }
  /// The number of chunks that have rows.
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_.size(); }

  void read(std::size_t first, std::span<double> out) const noexcept override;
  void read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept override;
  void gather(std::size_t first, std::span<const std::uint64_t> rows,
              std::span<double> out) const noexcept override;
  void gather(std::size_t first, std::span<const std::uint32_t> rows,
              std::span<double> out) const noexcept override;
  /// Empty also if the rows are in different chunks.
  [[nodiscard]] std::span<const double> doubles(std::size_t first,
                                                std::size_t rows) const noexcept override;

 private:
  [[nodiscard]] std::size_t chunk_of(std::size_t row) const noexcept;
  template <class Number>
  void read_rows(std::size_t first, std::span<Number> out) const noexcept;
  template <class Row>
  void gather_rows(std::size_t first, std::span<const Row> rows,
                   std::span<double> out) const noexcept;

  /// Where the chunks of rows i << shift_ .. ((i + 1) << shift_) - 1 are found.
  struct Entry {
    std::size_t end = 0;      // row behind the chunk of the first of these rows
    std::uint32_t chunk = 0;  // this chunk
    std::uint32_t more = 0;   // chunks that begin behind this row and among these rows
  };

  Type type_ = Type::float64;
  std::vector<ColumnView> chunks_;   // without the empty ones
  std::vector<std::size_t> begins_;  // first row of each chunk, and the number of rows
  unsigned shift_ = 0;
  std::vector<Entry> entries_;
  // Row r of a chunk is at origin + r * stride_; none if strides differ, or if a chunk is a source.
  std::vector<std::uintptr_t> origins_;
  std::ptrdiff_t stride_ = 0;
};

}  // namespace bootfold::data
