// data/archive.h: values as bytes, for files that other processes and machines read.
//
// A type that is written has one function that names its members for both directions:
//
//     template <class Archive>
//     void visit(Archive& archive) { archive(first_, counts_); }
//
// A file has a frame: what it is, versions, the length and a checksum (docs/shards.md).
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bootfold/error.h"

namespace bootfold::data {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <class Value>
concept PlainNumber =
    std::is_arithmetic_v<Value> || std::is_enum_v<Value> || std::same_as<Value, __int128>;

/// Writes values one behind the other.
class ArchiveWriter {
 public:
  static constexpr bool kReads = false;

  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }

  /// A list of `length` numbers that are mostly 0, or an empty one if all are.
  template <class Number>
  void sparse(std::vector<Number>& values, std::uint64_t /*length*/) {
    std::uint64_t some = 0;
    for (const Number& value : values) some += value != 0 ? 1 : 0;
    std::uint64_t size = some == 0 ? 0 : values.size();
    (*this)(size, some);
    for (std::uint64_t i = 0; i < size; ++i)
      if (values[i] != 0) (*this)(i, values[i]);
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <PlainNumber Number>
  void put(const Number& number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class Value>
  void put(std::vector<Value>& values) {
    put(std::uint64_t{values.size()});
    if constexpr (PlainNumber<Value>)
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    else
      for (Value& value : values) put(value);
  }
  template <class Value, std::size_t kSize>
  void put(std::array<Value, kSize>& values) {
    for (Value& value : values) put(value);
  }
  template <class Value>
  void put(std::optional<Value>& value) {
    put(static_cast<std::uint8_t>(value.has_value()));
    if (value) put(*value);
  }
  void put(std::map<std::string, std::string>& words) {
    put(std::uint64_t{words.size()});
    for (const auto& [word, meaning] : words) {
      put(word);
      put(meaning);
    }
  }
  template <class Value>
  requires requires(Value& value, ArchiveWriter& writer) { value.visit(writer); }
  void put(Value& value) { value.visit(*this); }

  std::string bytes_;
};

/// Reads what a writer wrote. Throws DataError where bytes are missing or cannot be right.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;

  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

  template <class Number>
  void sparse(std::vector<Number>& values, std::uint64_t length) {
    std::uint64_t size = 0;
    std::uint64_t some = 0;
    (*this)(size, some);
    if (some > size || (size != 0 && size != length) || (size == 0) != (some == 0)) refuse();
    need(some, sizeof(std::uint64_t) + sizeof(Number));
    values.assign(size, 0);
    for (; some > 0; --some) {
      std::uint64_t at = 0;
      get(at);
      if (at >= size) refuse();
      get(values[at]);
    }
  }

  [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }
  [[noreturn]] static void refuse() {
    throw DataError("its contents are damaged: lengths or numbers are not possible");
  }

 private:
  /// So many items of so many bytes at least have to follow.
  void need(std::uint64_t items, std::size_t bytes) const {
    if (items > bytes_.size() / bytes) refuse();
  }
  template <PlainNumber Number>
  void get(Number& number) {
    need(1, sizeof number);
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
  }
  void get(bool& flag) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) refuse();
    flag = byte == 1;
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    need(size, 1);
    text.assign(bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  template <class Value>
  void get(std::vector<Value>& values) {
    std::uint64_t size = 0;
    get(size);
    if constexpr (PlainNumber<Value>) {
      need(size, sizeof(Value));
      values.resize(size);
      if (size > 0) std::memcpy(values.data(), bytes_.data(), size * sizeof(Value));
      bytes_.remove_prefix(size * sizeof(Value));
    } else {
      need(size, 1);
      values.clear();
      for (; size > 0; --size) {
        values.emplace_back();
        get(values.back());
      }
    }
  }
  template <class Value, std::size_t kSize>
  void get(std::array<Value, kSize>& values) {
    for (Value& value : values) get(value);
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    bool there = false;
    get(there);
    value.reset();
    if (there) get(value.emplace());
  }
  void get(std::map<std::string, std::string>& words) {
    std::uint64_t size = 0;
    get(size);
    need(size, 1);
    words.clear();
    for (; size > 0; --size) {
      std::string word;
      std::string meaning;
      get(word);
      get(meaning);
      words.emplace(std::move(word), std::move(meaning));
    }
  }
  template <class Value>
  requires requires(Value& value, ArchiveReader& reader) { value.visit(reader); }
  void get(Value& value) { value.visit(*this); }

  std::string_view bytes_;
};

/// Puts the frame around contents. `kind`: "look", "plan" or "part".
[[nodiscard]] std::string framed(std::string_view kind, std::string contents);

/// The contents of a frame. Throws DataError if it is another kind of file, of another version of
/// the format or of the random streams, or damaged.
[[nodiscard]] std::string_view unframed(std::string_view kind, std::string_view bytes);

/// The kind of the file that begins with these bytes; empty if it has no frame.
[[nodiscard]] std::string kind_of_frame(std::string_view bytes);

}  // namespace bootfold::data
