// data/arrow_values.h: values of Arrow's arrays as numbers and text.
//
// The format strings and the layout of buffers are those of the Arrow C data interface and of the
// Arrow columnar format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bootfold/arrow_c.h"
#include "bootfold/data.h"
#include "data/batch.h"

namespace bootfold::data {

/// How values lie in memory.
enum class ArrowLayout { numbers, bits, decimals, text32, text64, views, days, moments, other };

struct ArrowKind {
  ArrowLayout layout = ArrowLayout::other;
  Type type = Type::float64;  ///< as which numbers are read
  std::int64_t unit = 1;      ///< decimals: digits behind the point; moments: how many in a second

  /// Numbers, booleans and decimals.
  [[nodiscard]] bool is_number() const noexcept {
    return layout == ArrowLayout::numbers || layout == ArrowLayout::bits ||
           layout == ArrowLayout::decimals;
  }
  [[nodiscard]] bool is_text() const noexcept {
    return layout == ArrowLayout::text32 || layout == ArrowLayout::text64 ||
           layout == ArrowLayout::views;
  }
  /// Dates and time stamps, which are read as text: 2024-01-28, 2024-01-28 13:05:00.25. A time
  /// stamp at midnight is its date.
  [[nodiscard]] bool is_date() const noexcept {
    return layout == ArrowLayout::days || layout == ArrowLayout::moments;
  }
};

/// The kind that a format string stands for.
[[nodiscard]] ArrowKind arrow_kind(const char* format);

/// A column of a schema.
struct ArrowField {
  std::string name;
  std::string format;
  ArrowKind kind;        ///< of the values, or of the codes of a dictionary
  ArrowKind dictionary;  ///< of its texts, if there is one
  bool has_dictionary = false;

  [[nodiscard]] bool is_number() const noexcept { return !has_dictionary && kind.is_number(); }
  [[nodiscard]] bool is_text() const noexcept {
    return has_dictionary ? dictionary.is_text() && kind.layout == ArrowLayout::numbers
                          : kind.is_text() || kind.is_date();
  }
  /// "text", "int32", "a time": what messages call it.
  [[nodiscard]] std::string words() const;
};

/// Rows of a column.
struct ArrowPiece {
  const ArrowArray& array;
  std::int64_t first;  ///< counted from the start of the buffers
  std::size_t rows;

  [[nodiscard]] bool valid(std::size_t row) const noexcept;
  [[nodiscard]] bool has_nulls() const noexcept;
};

/// Values that had to be copied.
struct ArrowCopies {
  std::vector<std::unique_ptr<std::byte[]>> bytes = {};
  std::deque<std::string> texts = {};
};

/// The numbers of a column of kind is_number(), where they lie if they are plain and without nulls.
/// A null is NaN, which makes integers and booleans doubles.
[[nodiscard]] ColumnView arrow_numbers(const ArrowPiece& piece, const ArrowKind& kind,
                                       ArrowCopies& copies);

/// The texts of a column of which is_text() holds. `label` names the stream in messages.
[[nodiscard]] Cells arrow_texts(const ArrowPiece& piece, const ArrowField& field,
                                const std::string& label, ArrowCopies& copies);

}  // namespace bootfold::data
