// data/typed_column.h: columns that are copied, and columns that grow, in the type of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bootfold/data.h"
#include "data/storage.h"

namespace bootfold::data {

/// Copies the given rows to `out` as values of type `as`, which is the type of the column or
/// float64.
void copy_values(const ColumnView& column, std::span<const std::uint32_t> rows, Type as,
                 std::byte* out);
/// The same for all rows.
void copy_values(const ColumnView& column, Type as, std::byte* out);

/// A column that grows chunk by chunk. If a chunk has another type than the one before, all values
/// become float64.
class TypedColumn {
 public:
  void add(const ColumnView& column);
  void add(const ColumnView& column, std::span<const std::uint32_t> rows);

  [[nodiscard]] Type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t rows() const noexcept { return values_.size() / size_of(type_); }
  /// The values; the column is empty afterwards.
  [[nodiscard]] Buffer take();

 private:
  void accept(Type type);

  Buffer values_;
  Type type_ = Type::float64;
  bool started_ = false;
};

}  // namespace bootfold::data
