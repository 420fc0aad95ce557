#include "columns.h"

#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::python {

namespace {

data::Type type_of(nb::dlpack::dtype type) {
  using data::Type;
  using nb::dlpack::dtype_code;
  const auto code = static_cast<dtype_code>(type.code);
  if (type.lanes == 1) {
    if (code == dtype_code::Bool && type.bits == 8) return Type::boolean;
    if (code == dtype_code::Float && type.bits == 64) return Type::float64;
    if (code == dtype_code::Float && type.bits == 32) return Type::float32;
    if (code == dtype_code::Int && type.bits == 64) return Type::int64;
    if (code == dtype_code::Int && type.bits == 32) return Type::int32;
    if (code == dtype_code::Int && type.bits == 16) return Type::int16;
    if (code == dtype_code::Int && type.bits == 8) return Type::int8;
    if (code == dtype_code::UInt && type.bits == 64) return Type::uint64;
    if (code == dtype_code::UInt && type.bits == 32) return Type::uint32;
    if (code == dtype_code::UInt && type.bits == 16) return Type::uint16;
    if (code == dtype_code::UInt && type.bits == 8) return Type::uint8;
  }
  throw InvalidArgument(text::concat("a column has numbers of a type that is not known (",
                                     type.bits, " bits); convert it with astype(float)"));
}

}  // namespace

ColumnView column(const Array& array) {
  const data::Type type = type_of(array.dtype());
  const std::size_t rows = array.shape(0);
  const auto size = static_cast<std::ptrdiff_t>(data::size_of(type));
  return {array.data(), type, rows, static_cast<std::ptrdiff_t>(array.stride(0)) * size};
}

DataView view_of(const MatrixInput& table, const std::vector<std::string>& names) {
  const bool wide = table.dtype() == nb::dtype<double>();
  if (!wide && table.dtype() != nb::dtype<float>())
    throw InvalidArgument("the numbers of a table must be float32 or float64; use astype(float)");
  const auto size = static_cast<std::ptrdiff_t>(wide ? sizeof(double) : sizeof(float));
  const auto* const first = static_cast<const std::byte*>(table.data());
  std::vector<ColumnView> columns;
  columns.reserve(table.shape(1));
  for (std::size_t c = 0; c < table.shape(1); ++c)
    columns.emplace_back(first + static_cast<std::ptrdiff_t>(c) *
                                     static_cast<std::ptrdiff_t>(table.stride(1)) * size,
                         wide ? data::Type::float64 : data::Type::float32, table.shape(0),
                         static_cast<std::ptrdiff_t>(table.stride(0)) * size);
  if (names.empty()) return DataView(std::move(columns));
  return DataView(std::move(columns), names);
}

Columns::Columns(std::vector<std::vector<Array>> columns, std::vector<std::string> names)
    : arrays_(std::move(columns)) {
  std::vector<ColumnView> views;
  views.reserve(arrays_.size());
  for (const std::vector<Array>& arrays : arrays_) {
    std::vector<ColumnView> chunks;
    chunks.reserve(arrays.size());
    for (const Array& array : arrays) chunks.push_back(column(array));
    if (chunks.size() == 1) {
      views.push_back(chunks[0]);
      continue;
    }
    chunked_.push_back(std::make_unique<const data::Chunked>(std::move(chunks)));
    views.emplace_back(*chunked_.back());
  }
  view_ = names.empty() ? DataView(std::move(views)) : DataView(std::move(views), std::move(names));
}

}  // namespace bootfold::python
