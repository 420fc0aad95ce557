#include "data/typed_column.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "data/typed.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kCopyTile = 1024;

bool is_wide_integer(Type type) { return type == Type::int64 || type == Type::uint64; }

// Every type but 64-bit integers is exact as a double.
void store_values(std::span<const double> values, Type as, std::byte* out) {
  with_type(as, [&](auto kind) {
    using T = decltype(kind);
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value;
      if constexpr (std::is_same_v<T, Boolean>)
        value = Boolean{static_cast<std::uint8_t>(values[i] != 0)};
      else
        value = static_cast<T>(values[i]);
      std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
  });
}

}  // namespace

void copy_values(const ColumnView& column, std::span<const std::uint32_t> rows, Type as,
                 std::byte* out) {
  if (is_wide_integer(as)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::int64_t value = 0;
      column.read_integers(rows[i], {&value, 1});
      std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
    return;
  }
  std::array<double, kCopyTile> tile;
  for (std::size_t done = 0; done < rows.size(); done += kCopyTile) {
    const std::span<double> values(tile.data(), std::min(kCopyTile, rows.size() - done));
    column.gather(rows.subspan(done, values.size()), values);
    store_values(values, as, out + done * size_of(as));
  }
}

void copy_values(const ColumnView& column, Type as, std::byte* out) {
  std::array<double, kCopyTile> tile;
  std::array<std::int64_t, kCopyTile> integers;
  for (std::size_t done = 0; done < column.rows(); done += kCopyTile) {
    const std::size_t rows = std::min(kCopyTile, column.rows() - done);
    if (is_wide_integer(as)) {
      column.read_integers(done, std::span(integers).first(rows));
      std::memcpy(out + done * sizeof(std::int64_t), integers.data(), rows * sizeof(std::int64_t));
      continue;
    }
    column.read(done, std::span(tile).first(rows));
    store_values(std::span(tile).first(rows), as, out + done * size_of(as));
  }
}

void TypedColumn::accept(Type type) {
  if (!started_) type_ = type;
  started_ = true;
  if (type == type_ || type_ == Type::float64) return;
  Buffer doubles;
  copy_values(
      ColumnView(values_.bytes(), type_, rows(), static_cast<std::ptrdiff_t>(size_of(type_))),
      Type::float64, doubles.extend(rows() * sizeof(double)));
  values_ = std::move(doubles);
  type_ = Type::float64;
}

void TypedColumn::add(const ColumnView& column) {
  if (column.rows() == 0) return;
  accept(column.type());
  copy_values(column, type_, values_.extend(column.rows() * size_of(type_)));
}

void TypedColumn::add(const ColumnView& column, std::span<const std::uint32_t> rows) {
  if (rows.empty()) return;
  accept(column.type());
  copy_values(column, rows, type_, values_.extend(rows.size() * size_of(type_)));
}

Buffer TypedColumn::take() {
  started_ = false;
  values_.shrink();
  return std::exchange(values_, Buffer());
}

}  // namespace bootfold::data
