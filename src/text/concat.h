// Messages from text and numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bootfold::text {

/// One piece of a message: text or a number. Doubles have six significant digits ("0.25", "1e+06")
/// in every locale.
class Piece {
 public:
  Piece(std::string_view text) : kind_(Kind::text), text_(text) {}     // NOLINT
  Piece(const std::string& text) : kind_(Kind::text), text_(text) {}   // NOLINT
  Piece(const char* text) : kind_(Kind::text), text_(text) {}          // NOLINT
  Piece(const char& letter) : kind_(Kind::text), text_(&letter, 1) {}  // NOLINT
  Piece(double number) : kind_(Kind::real), real_(number) {}           // NOLINT
  template <std::signed_integral Number>
  Piece(Number number) : kind_(Kind::whole), whole_(number) {}  // NOLINT
  template <std::unsigned_integral Number>
  Piece(Number number) : kind_(Kind::natural), natural_(number) {}  // NOLINT

  void append_to(std::string& message) const;

 private:
  enum class Kind { text, real, whole, natural };
  Kind kind_;
  std::string_view text_;
  union {
    double real_ = 0;
    std::int64_t whole_;
    std::uint64_t natural_;
  };
};

[[nodiscard]] std::string join(std::initializer_list<Piece> pieces);

/// Joins values into one message: `concat("threads is ", 0, " but must be at least 1")`.
template <class... Values>
[[nodiscard]] std::string concat(const Values&... values) {
  return join({Piece(values)...});
}

}  // namespace bootfold::text
