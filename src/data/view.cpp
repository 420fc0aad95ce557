// Views: a first byte, a type and a stride, or a source. Values become double as they are read.
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/typed.h"
#include "text/concat.h"

namespace bootfold {
namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<TypeInfo, 11> kTypes = {{{"float64", 8},
                                              {"float32", 4},
                                              {"int64", 8},
                                              {"int32", 4},
                                              {"int16", 2},
                                              {"int8", 1},
                                              {"uint64", 8},
                                              {"uint32", 4},
                                              {"uint16", 2},
                                              {"uint8", 1},
                                              {"boolean", 1}}};

using data::load;
using data::with_type;

template <class T, class Out>
void convert(const std::byte* first, std::ptrdiff_t stride, std::span<Out> out) noexcept {
  if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {  // a constant stride vectorizes
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = load<T, Out>(first + i * sizeof(T));
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = load<T, Out>(first + static_cast<std::ptrdiff_t>(i) * stride);
}

template <class T, class Row>
void pick(const std::byte* first, std::ptrdiff_t stride, std::size_t column_rows,
          std::span<const Row> rows, std::span<double> out) noexcept {
  if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
    // In a column beyond the caches, more rows are under way than a processor looks ahead.
    constexpr std::size_t kAhead = 64;
    constexpr std::size_t kCacheBytes = std::size_t{2} << 20;
    const bool far = column_rows * sizeof(T) > kCacheBytes && rows.size() > kAhead;
    const std::size_t ahead = far ? rows.size() - kAhead : 0;
    for (std::size_t i = 0; i < ahead; ++i) {
      __builtin_prefetch(first + rows[i + kAhead] * sizeof(T), 0, 2);
      out[i] = load<T>(first + rows[i] * sizeof(T));
    }
    for (std::size_t i = ahead; i < rows.size(); ++i) out[i] = load<T>(first + rows[i] * sizeof(T));
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = load<T>(first + static_cast<std::ptrdiff_t>(rows[i]) * stride);
}

template <class Row>
void read_each(const data::ColumnSource& source, std::size_t first, std::span<const Row> rows,
               std::span<double> out) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) source.read(first + rows[i], out.subspan(i, 1));
}

template <class T>
const std::byte* bytes_of(const T* values) {
  return reinterpret_cast<const std::byte*>(values);
}

}  // namespace

std::string_view data::name(Type type) noexcept {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::size_t data::size_of(Type type) noexcept {
  return kTypes[static_cast<std::size_t>(type)].size;
}

data::Type data::ColumnSource::type() const noexcept { return Type::float64; }

void data::ColumnSource::read_integers(std::size_t first,
                                       std::span<std::int64_t> out) const noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    double value = 0;
    read(first + i, {&value, 1});
    out[i] = static_cast<std::int64_t>(value);
  }
}

void data::ColumnSource::gather(std::size_t first, std::span<const std::uint64_t> rows,
                                std::span<double> out) const noexcept {
  read_each(*this, first, rows, out);
}

void data::ColumnSource::gather(std::size_t first, std::span<const std::uint32_t> rows,
                                std::span<double> out) const noexcept {
  read_each(*this, first, rows, out);
}

std::span<const double> data::ColumnSource::doubles(std::size_t /*first*/,
                                                    std::size_t /*rows*/) const noexcept {
  return {};
}

ColumnView::ColumnView(std::span<const double> values)
    : first_(bytes_of(values.data())), rows_(values.size()), stride_(sizeof(double)) {}

ColumnView::ColumnView(std::span<const float> values)
    : first_(bytes_of(values.data())),
      rows_(values.size()),
      stride_(sizeof(float)),
      type_(data::Type::float32) {}

ColumnView::ColumnView(const std::vector<double>& values)
    : ColumnView(std::span<const double>(values)) {}

ColumnView::ColumnView(const std::vector<float>& values)
    : ColumnView(std::span<const float>(values)) {}

ColumnView::ColumnView(const void* first, data::Type type, std::size_t rows, std::ptrdiff_t stride)
    : first_(static_cast<const std::byte*>(first)), rows_(rows), stride_(stride), type_(type) {
  if (first == nullptr && rows > 0)
    throw InvalidArgument(
        text::concat("a ColumnView of ", rows,
                     " rows needs a pointer to its first value, but the pointer is null"));
}

ColumnView::ColumnView(const data::ColumnSource& source)
    : rows_(source.rows()), type_(source.type()), source_(&source) {}

double ColumnView::operator[](std::size_t row) const noexcept {
  double value = 0;
  read(row, {&value, 1});
  return value;
}

void ColumnView::read(std::size_t first, std::span<double> out) const noexcept {
  if (out.empty()) return;
  if (source_ != nullptr) return source_->read(source_first_ + first, out);
  const std::byte* from = first_ + static_cast<std::ptrdiff_t>(first) * stride_;
  with_type(type_, [&](auto kind) { convert<decltype(kind)>(from, stride_, out); });
}

void ColumnView::read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept {
  if (out.empty()) return;
  if (source_ != nullptr) return source_->read_integers(source_first_ + first, out);
  const std::byte* from = first_ + static_cast<std::ptrdiff_t>(first) * stride_;
  with_type(type_, [&](auto kind) {
    if constexpr (!std::is_floating_point_v<decltype(kind)>)
      convert<decltype(kind)>(from, stride_, out);
  });
}

void ColumnView::gather(std::span<const std::uint64_t> rows, std::span<double> out) const noexcept {
  if (source_ != nullptr) return source_->gather(source_first_, rows, out);
  with_type(type_, [&](auto kind) { pick<decltype(kind)>(first_, stride_, rows_, rows, out); });
}

void ColumnView::gather(std::span<const std::uint32_t> rows, std::span<double> out) const noexcept {
  if (source_ != nullptr) return source_->gather(source_first_, rows, out);
  with_type(type_, [&](auto kind) { pick<decltype(kind)>(first_, stride_, rows_, rows, out); });
}

ColumnView ColumnView::slice(std::size_t first, std::size_t rows) const noexcept {
  ColumnView part = *this;
  if (source_ != nullptr) {
    part.source_first_ += first;
  } else {
    part.first_ += static_cast<std::ptrdiff_t>(first) * stride_;
  }
  part.rows_ = rows;
  return part;
}

std::span<const double> ColumnView::doubles(std::size_t first, std::size_t rows) const noexcept {
  if (source_ != nullptr) return source_->doubles(source_first_ + first, rows);
  // A mapped file may hold doubles at odd addresses; those are read through read().
  const bool aligned = reinterpret_cast<std::uintptr_t>(first_) % alignof(double) == 0;
  if (type_ != data::Type::float64 || !aligned) return {};
  if (stride_ != static_cast<std::ptrdiff_t>(sizeof(double)) && rows_ > 1) return {};
  return {reinterpret_cast<const double*>(first_) + first, rows};
}

DataView::DataView(ColumnView column) { columns_.push_back(column); }

DataView::DataView(std::span<const double> values) : DataView(ColumnView(values)) {}

DataView::DataView(std::span<const float> values) : DataView(ColumnView(values)) {}

DataView::DataView(const std::vector<double>& values) : DataView(ColumnView(values)) {}

DataView::DataView(const std::vector<float>& values) : DataView(ColumnView(values)) {}

DataView::DataView(std::vector<ColumnView> columns) : columns_(std::move(columns)) {
  for (std::size_t i = 1; i < columns_.size(); ++i)
    if (columns_[i].rows() != columns_[0].rows())
      throw InvalidArgument(text::concat("column ", i + 1, " has ", columns_[i].rows(),
                                         " rows but column 1 has ", columns_[0].rows(),
                                         "; the columns of one data set must be equally long"));
}

DataView::DataView(std::vector<ColumnView> columns, std::vector<std::string> names)
    : DataView(std::move(columns)) {
  if (names.size() != columns_.size())
    throw InvalidArgument(text::concat("there are ", names.size(), " names for ", columns_.size(),
                                       " columns; give every column one name"));
  names_ = std::move(names);
}

std::optional<std::size_t> DataView::find(std::string_view name, std::size_t columns) const {
  std::optional<std::size_t> found;
  for (std::size_t c = 0; c < columns; ++c) {
    if (this->name(c) != name) continue;
    if (found)
      throw InvalidArgument(text::concat("the data have several columns '", name,
                                         "', the first are number ", *found + 1, " and ", c + 1,
                                         "; give them different names"));
    found = c;
  }
  return found;
}

}  // namespace bootfold
