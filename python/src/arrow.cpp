// Columns of anything that speaks the Arrow C data interface: Arrow, polars, DuckDB, ...
//
// Chunks of numbers without nulls are used where they lie. Others (nulls, booleans, which Arrow
// packs into bits) are copied; a null becomes NaN. Only in a column of doubles does NaN leave the
// type as it is, so that chunks with nulls alone are copied; the chunks of one column have one
// type.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bootfold/arrow_c.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "modules.h"
#include "text/concat.h"

namespace bootfold::python {

namespace {

using Numbers = nb::ndarray<nb::numpy, nb::ro>;

/// Takes a structure over from who made it, and releases it in the end.
template <class Structure>
std::shared_ptr<Structure> owned(Structure& given) {
  auto* const moved = new Structure(given);
  given.release = nullptr;
  return {moved, [](Structure* structure) {
            if (structure->release != nullptr) structure->release(structure);
            delete structure;
          }};
}

template <class Structure>
Structure& inside(nb::handle capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<Structure*>(pointer);
}

/// A schema and the chunks that follow it.
struct Chunks {
  std::shared_ptr<ArrowSchema> schema;
  std::vector<std::shared_ptr<ArrowArray>> arrays;

  [[nodiscard]] bool table() const { return std::strcmp(schema->format, "+s") == 0; }
};

Chunks from_stream(const nb::object& capsule) {
  const auto stream = owned(inside<ArrowArrayStream>(capsule, "arrow_array_stream"));
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* const text = stream->get_last_error(stream.get());
    throw DataError(text::concat("the Arrow stream ended with an error: ",
                                 text == nullptr ? std::strerror(code) : text));
  };
  Chunks chunks;
  ArrowSchema schema{};
  check(stream->get_schema(stream.get(), &schema));
  chunks.schema = owned(schema);
  while (true) {
    ArrowArray array{};
    check(stream->get_next(stream.get(), &array));
    if (array.release == nullptr) return chunks;
    chunks.arrays.push_back(owned(array));
  }
}

Chunks from_object(const nb::object& object) {
  if (nb::hasattr(object, "__arrow_c_stream__"))
    return from_stream(object.attr("__arrow_c_stream__")());
  const nb::object pair = object.attr("__arrow_c_array__")();
  return {owned(inside<ArrowSchema>(pair[0], "arrow_schema")),
          {owned(inside<ArrowArray>(pair[1], "arrow_array"))}};
}

/// Types as the format strings have them; others are no numbers.
struct Kind {
  char format;
  data::Type type;
  nb::dlpack::dtype dtype;
};

const Kind* kind_of(const char* format) {
  using data::Type;
  static const Kind kinds[] = {{'g', Type::float64, nb::dtype<double>()},
                               {'f', Type::float32, nb::dtype<float>()},
                               {'l', Type::int64, nb::dtype<std::int64_t>()},
                               {'i', Type::int32, nb::dtype<std::int32_t>()},
                               {'s', Type::int16, nb::dtype<std::int16_t>()},
                               {'c', Type::int8, nb::dtype<std::int8_t>()},
                               {'L', Type::uint64, nb::dtype<std::uint64_t>()},
                               {'I', Type::uint32, nb::dtype<std::uint32_t>()},
                               {'S', Type::uint16, nb::dtype<std::uint16_t>()},
                               {'C', Type::uint8, nb::dtype<std::uint8_t>()},
                               {'b', Type::boolean, nb::dtype<bool>()}};
  for (const Kind& kind : kinds)
    if (format[0] == kind.format && format[1] == '\0') return &kind;
  return nullptr;
}

bool bit(const void* bits, std::int64_t index) {
  return (static_cast<const std::uint8_t*>(bits)[index / 8] >> (index % 8) & 1) != 0;
}

/// A column of one chunk: the array itself, or a child of a struct.
struct Piece {
  const ArrowArray* array;
  std::int64_t first;  // row of the array's buffers
  std::int64_t rows;
  const void* parent_valid;  // bits of the struct, or null
  std::int64_t parent_first;

  [[nodiscard]] bool null(std::int64_t row) const {
    const void* const valid = array->n_buffers > 0 ? array->buffers[0] : nullptr;
    return (valid != nullptr && !bit(valid, first + row)) ||
           (parent_valid != nullptr && !bit(parent_valid, parent_first + row));
  }

  [[nodiscard]] bool nulls() const {
    if (array->null_count == 0 && parent_valid == nullptr) return false;
    for (std::int64_t row = 0; row < rows; ++row)
      if (null(row)) return true;
    return false;
  }

  [[nodiscard]] double value(const Kind& kind, std::int64_t row) const {
    if (kind.type == data::Type::boolean) return bit(array->buffers[1], first + row) ? 1 : 0;
    const ColumnView view(array->buffers[1], kind.type, static_cast<std::size_t>(first + rows),
                          static_cast<std::ptrdiff_t>(data::size_of(kind.type)));
    return view[static_cast<std::size_t>(first + row)];
  }
};

Piece piece_of(const ArrowArray& array, std::int64_t child) {
  if (child < 0) return {&array, array.offset, array.length, nullptr, 0};
  const ArrowArray& column = *array.children[child];
  return {&column, column.offset + array.offset, array.length,
          array.null_count != 0 && array.n_buffers > 0 ? array.buffers[0] : nullptr, array.offset};
}

/// The values as doubles in one piece.
Numbers copied(std::span<const Piece> pieces, const Kind& kind) {
  std::size_t rows = 0;
  for (const Piece& piece : pieces) rows += static_cast<std::size_t>(piece.rows);
  auto values = std::make_unique<double[]>(rows);
  double* next = values.get();
  for (const Piece& piece : pieces)
    for (std::int64_t row = 0; row < piece.rows; ++row)
      *next++ = piece.null(row) ? std::numeric_limits<double>::quiet_NaN() : piece.value(kind, row);
  double* const first = values.release();
  const nb::capsule owner(first, [](void* kept) noexcept { delete[] static_cast<double*>(kept); });
  return Numbers(first, 1, &rows, owner, nullptr, nb::dtype<double>());
}

/// The values where they lie; `memory` is kept alive.
Numbers in_place(const Piece& piece, const Kind& kind, const std::shared_ptr<ArrowArray>& memory) {
  const auto* const bytes = static_cast<const char*>(piece.array->buffers[1]);
  const auto rows = static_cast<std::size_t>(piece.rows);
  using Kept = std::shared_ptr<ArrowArray>;
  auto kept = std::make_unique<Kept>(memory);
  const nb::capsule owner(kept.get(),
                          [](void* given) noexcept { delete static_cast<Kept*>(given); });
  static_cast<void>(kept.release());
  const auto width = static_cast<std::int64_t>(data::size_of(kind.type));
  return Numbers(bytes + piece.first * width, 1, &rows, owner, nullptr, kind.dtype);
}

/// The arrays that make a column, one after the other; at least one.
std::vector<Numbers> column_of(const Chunks& chunks, std::int64_t child, const char* name) {
  const ArrowSchema& schema = child < 0 ? *chunks.schema : *chunks.schema->children[child];
  const Kind* const kind = schema.dictionary == nullptr ? kind_of(schema.format) : nullptr;
  if (kind == nullptr) {
    // Types of dates, times and durations begin with t.
    const bool times = schema.dictionary == nullptr && schema.format[0] == 't';
    throw nb::type_error(
        text::concat("column '", name == nullptr ? "" : name, "' ",
                     times ? "holds dates or times, " : "is ", "of Arrow's type '", schema.format,
                     "', but must be numbers; ",
                     times ? "convert them first, for example to seconds" : "select or cast it")
            .c_str());
  }
  std::vector<Piece> pieces;
  std::vector<bool> nulls;
  std::vector<std::shared_ptr<ArrowArray>> memory;
  for (const auto& array : chunks.arrays) {
    const Piece piece = piece_of(*array, child);
    if (piece.rows == 0) continue;
    pieces.push_back(piece);
    nulls.push_back(piece.nulls());
    memory.push_back(array);
  }
  const bool some_null = std::find(nulls.begin(), nulls.end(), true) != nulls.end();
  if (pieces.empty() || kind->type == data::Type::boolean ||
      (some_null && kind->type != data::Type::float64))
    return {copied(pieces, *kind)};
  std::vector<Numbers> found;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    found.push_back(nulls[p] ? copied({&pieces[p], 1}, *kind)
                             : in_place(pieces[p], *kind, memory[p]));
  return found;
}

using Arrays = nb::typed<nb::list, nb::any>;

/// Whether it is a table, and the names and values of its columns. The values of a column are those
/// of one or more arrays.
std::tuple<bool, std::vector<std::string>, nb::typed<nb::list, Arrays>> arrow_columns(
    const nb::object& object) {
  const Chunks chunks = from_object(object);
  std::vector<std::string> names;
  nb::typed<nb::list, Arrays> columns;
  const auto add = [&](std::int64_t child, const char* name) {
    names.emplace_back(name == nullptr ? "" : name);
    std::vector<Numbers> column = column_of(chunks, child, name);
    Arrays arrays;
    for (Numbers& array : column) arrays.append(array.cast());
    columns.append(arrays);
  };
  if (!chunks.table()) {
    add(-1, chunks.schema->name);
  } else {
    for (std::int64_t child = 0; child < chunks.schema->n_children; ++child)
      add(child, chunks.schema->children[child]->name);
  }
  return {chunks.table(), std::move(names), std::move(columns)};
}

}  // namespace

void bind_arrow(nb::module_& m) { m.def("arrow_columns", &arrow_columns); }

}  // namespace bootfold::python
