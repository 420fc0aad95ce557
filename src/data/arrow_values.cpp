#include "data/arrow_values.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "bootfold/error.h"
#include "data/typed.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kSecondsOfDay = 86'400;

bool bit_at(const void* bits, std::int64_t index) {
  return ((static_cast<const std::uint8_t*>(bits)[index / 8] >> (index % 8)) & 1) != 0;
}

// "d:10,2" and "d:10,2,128": decimals of 128 bits with 2 digits behind the point.
ArrowKind decimal_kind(std::string_view format) {
  const std::size_t comma = format.find(',');
  if (comma == format.npos) return {};
  const char* last = format.data() + format.size();
  std::int64_t scale = 0;
  const auto [stop, error] = std::from_chars(format.data() + comma + 1, last, scale);
  const std::string_view rest(stop, static_cast<std::size_t>(last - stop));
  if (error != std::errc() || scale < 0 || scale > 38 || (!rest.empty() && rest != ",128"))
    return {};
  return {ArrowLayout::decimals, Type::float64, scale};
}

// Exact where the digits and the power of ten are, which is up to 15 digits.
double decimal_value(const std::byte* at, std::int64_t scale) {
  Wide digits = 0;
  std::memcpy(&digits, at, sizeof digits);
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  auto value = static_cast<double>(digits);
  for (; scale > 22; scale -= 22) value /= kPowers[22];
  return value / kPowers[static_cast<std::size_t>(scale)];
}

std::byte* new_bytes(ArrowCopies& copies, std::size_t bytes) {
  copies.bytes.emplace_back(new std::byte[bytes + 1]);
  return copies.bytes.back().get();
}

// Value after value as doubles or floats, with NaN for nulls.
ColumnView converted(const ArrowPiece& piece, const ArrowKind& kind, ArrowCopies& copies) {
  const bool narrow = kind.type == Type::float32;
  const std::size_t size = narrow ? sizeof(float) : sizeof(double);
  std::byte* const out = new_bytes(copies, piece.rows * size);
  const bool nulls = piece.has_nulls();
  const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
  const auto store = [&](const auto& value_at) {
    for (std::size_t row = 0; row < piece.rows; ++row) {
      const double value = nulls && !piece.valid(row)
                               ? std::numeric_limits<double>::quiet_NaN()
                               : value_at(piece.first + static_cast<std::int64_t>(row));
      const auto small = static_cast<float>(value);
      std::memcpy(out + row * size, narrow ? static_cast<const void*>(&small) : &value, size);
    }
  };
  if (kind.layout == ArrowLayout::bits) {
    store([&](std::int64_t at) { return bit_at(values, at) ? 1.0 : 0.0; });
  } else if (kind.layout == ArrowLayout::decimals) {
    store([&](std::int64_t at) { return decimal_value(values + at * sizeof(Wide), kind.unit); });
  } else {
    with_type(kind.type, [&](auto sample) {
      using T = decltype(sample);
      store([&](std::int64_t at) { return load<T>(values + at * sizeof(T)); });
    });
  }
  return {out, narrow ? Type::float32 : Type::float64, piece.rows,
          static_cast<std::ptrdiff_t>(size)};
}

template <class Offset>
std::string_view text_between(const ArrowArray& array, std::int64_t at) {
  const auto* offsets = static_cast<const std::byte*>(array.buffers[1]);
  const Offset first = load<Offset, Offset>(offsets + at * sizeof(Offset));
  const Offset last = load<Offset, Offset>(offsets + (at + 1) * sizeof(Offset));
  if (first == last) return {};
  return {static_cast<const char*>(array.buffers[2]) + first,
          static_cast<std::size_t>(last - first)};
}

// A view is 16 bytes: a length, and the text itself or where it is.
std::string_view text_of_view(const ArrowArray& array, std::int64_t at) {
  const auto* view = static_cast<const std::byte*>(array.buffers[1]) + at * 16;
  const auto size = load<std::int32_t, std::size_t>(view);
  if (size <= 12) return {reinterpret_cast<const char*>(view + 4), size};
  const auto buffer = load<std::int32_t, std::size_t>(view + 8);
  const auto offset = load<std::int32_t, std::size_t>(view + 12);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, size};
}

std::string_view text_at(const ArrowArray& array, const ArrowKind& kind, std::int64_t at) {
  if (kind.layout == ArrowLayout::text32) return text_between<std::int32_t>(array, at);
  if (kind.layout == ArrowLayout::text64) return text_between<std::int64_t>(array, at);
  return text_of_view(array, at);
}

void add_digits(std::string& text, std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number < 0 ? -number : number);
  if (number < 0) text += '-';
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

std::string date_text(std::int64_t days) {
  using namespace std::chrono;
  const year_month_day date{sys_days{std::chrono::days{static_cast<int>(days)}}};
  std::string text;
  add_digits(text, static_cast<int>(date.year()), 4);
  text += '-';
  add_digits(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  add_digits(text, static_cast<unsigned>(date.day()), 2);
  return text;
}

// Rounds down, also below 0.
std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::string moment_text(std::int64_t value, std::int64_t per_second) {
  const std::int64_t seconds = floor_div(value, per_second);
  const std::int64_t fraction = value - seconds * per_second;
  const std::int64_t days = floor_div(seconds, kSecondsOfDay);
  const std::int64_t of_day = seconds - days * kSecondsOfDay;
  std::string text = date_text(days);
  if (of_day == 0 && fraction == 0) return text;  // so that == '2024-01-28' finds it
  text += ' ';
  add_digits(text, of_day / 3600, 2);
  text += ':';
  add_digits(text, of_day / 60 % 60, 2);
  text += ':';
  add_digits(text, of_day % 60, 2);
  if (fraction == 0) return text;
  text += '.';
  std::size_t width = 0;
  for (std::int64_t unit = per_second; unit > 1; unit /= 10) ++width;
  add_digits(text, fraction, width);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string date_at(const ArrowPiece& piece, const ArrowKind& kind, std::size_t row) {
  const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
  const std::int64_t at = piece.first + static_cast<std::int64_t>(row);
  if (kind.layout == ArrowLayout::days)
    return date_text(load<std::int32_t, std::int64_t>(values + at * sizeof(std::int32_t)));
  return moment_text(load<std::int64_t, std::int64_t>(values + at * sizeof(std::int64_t)),
                     kind.unit);
}

std::vector<std::int64_t> codes_of(const ArrowPiece& piece, Type type) {
  std::vector<std::int64_t> codes(piece.rows);
  with_type(type, [&](auto sample) {
    using T = decltype(sample);
    const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
    for (std::size_t row = 0; row < piece.rows; ++row)
      codes[row] = load<T, std::int64_t>(values + (piece.first + static_cast<std::int64_t>(row)) *
                                                      sizeof(T));
  });
  return codes;
}

}  // namespace

ArrowKind arrow_kind(const char* format) {
  using enum ArrowLayout;
  const std::string_view text = format;
  if (text == "u" || text == "z") return {text32};
  if (text == "U" || text == "Z") return {text64};
  if (text == "vu" || text == "vz") return {views};
  if (text == "tdD") return {days};
  if (text == "tdm" || text.starts_with("tsm:")) return {moments, Type::float64, 1'000};
  if (text.starts_with("tss:")) return {moments, Type::float64, 1};
  if (text.starts_with("tsu:")) return {moments, Type::float64, 1'000'000};
  if (text.starts_with("tsn:")) return {moments, Type::float64, 1'000'000'000};
  if (text.starts_with("d:")) return decimal_kind(text);
  if (text.size() != 1) return {};
  static constexpr std::pair<char, Type> kNumbers[] = {
      {'g', Type::float64}, {'f', Type::float32}, {'l', Type::int64},  {'i', Type::int32},
      {'s', Type::int16},   {'c', Type::int8},    {'L', Type::uint64}, {'I', Type::uint32},
      {'S', Type::uint16},  {'C', Type::uint8}};
  for (const auto& [letter, type] : kNumbers)
    if (text[0] == letter) return {numbers, type};
  if (text[0] == 'b') return {bits, Type::boolean};
  return {};
}

std::string ArrowField::words() const {
  if (!has_dictionary && kind.layout == ArrowLayout::days) return "a date";
  if (!has_dictionary && kind.layout == ArrowLayout::moments) return "a date with time";
  if (is_text()) return "text";
  if (is_number()) return std::string(data::name(kind.type));
  const std::string_view letters = format;
  if (letters.starts_with("tt")) return "a time";
  if (letters.starts_with("tD")) return "a duration";
  if (letters == "n") return "null";
  return text::concat("of Arrow's type ", text::quoted(letters));
}

bool ArrowPiece::valid(std::size_t row) const noexcept {
  return bit_at(array.buffers[0], first + static_cast<std::int64_t>(row));
}

bool ArrowPiece::has_nulls() const noexcept {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
  for (std::size_t row = 0; row < rows; ++row)
    if (!valid(row)) return true;
  return false;
}

ColumnView arrow_numbers(const ArrowPiece& piece, const ArrowKind& kind, ArrowCopies& copies) {
  if (kind.layout == ArrowLayout::decimals || piece.has_nulls())
    return converted(piece, kind, copies);
  if (kind.layout == ArrowLayout::bits) {
    std::byte* const out = new_bytes(copies, piece.rows);
    for (std::size_t row = 0; row < piece.rows; ++row)
      out[row] =
          std::byte{bit_at(piece.array.buffers[1], piece.first + static_cast<std::int64_t>(row))};
    return {out, Type::boolean, piece.rows, 1};
  }
  const std::size_t size = size_of(kind.type);
  const auto* values = static_cast<const std::byte*>(piece.array.buffers[1]);
  return {values + piece.first * static_cast<std::int64_t>(size), kind.type, piece.rows,
          static_cast<std::ptrdiff_t>(size)};
}

Cells arrow_texts(const ArrowPiece& piece, const ArrowField& field, const std::string& label,
                  ArrowCopies& copies) {
  Cells cells{true};
  cells.are_times = field.kind.is_date() && !field.has_dictionary;
  cells.texts.resize(piece.rows);
  const bool nulls = piece.has_nulls();
  const ArrowArray* dictionary = field.has_dictionary ? piece.array.dictionary : nullptr;
  const bool null_words =
      dictionary != nullptr && dictionary->null_count != 0 && dictionary->buffers[0] != nullptr;
  if (nulls || null_words) cells.missing.assign(piece.rows, 0);
  std::vector<std::int64_t> codes;
  if (dictionary != nullptr) codes = codes_of(piece, field.kind.type);
  for (std::size_t row = 0; row < piece.rows; ++row) {
    if (nulls && !piece.valid(row)) {
      cells.missing[row] = 1;
    } else if (dictionary != nullptr) {
      const std::int64_t code = codes[row];
      if (code < 0 || code >= dictionary->length)
        throw DataError(text::concat(label, ": column ", text::quoted(field.name),
                                     " has a code beyond its dictionary"));
      if (null_words && !bit_at(dictionary->buffers[0], dictionary->offset + code))
        cells.missing[row] = 1;
      else
        cells.texts[row] = text_at(*dictionary, field.dictionary, dictionary->offset + code);
    } else if (field.kind.is_date()) {
      cells.texts[row] = copies.texts.emplace_back(date_at(piece, field.kind, row));
    } else {
      cells.texts[row] =
          text_at(piece.array, field.kind, piece.first + static_cast<std::int64_t>(row));
    }
  }
  return cells;
}

}  // namespace bootfold::data
