// expression/tokens.h: the words of an expression, one after the other, with their places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "expression/tree.h"

namespace bootfold::expression {

struct Token {
  enum class Kind : char {
    end,
    open,
    close,
    comma,
    assign,     ///< a single =
    operation,  ///< Token::operation: arithmetic or comparison
    word,       ///< a name or a keyword
    column,     ///< a name in backticks
    number,
    text,
  };
  Kind kind = Kind::end;
  std::size_t at = 0;      ///< the first character
  std::size_t end = 0;     ///< behind the last
  std::string text = {};   ///< of a name or text, without quotes
  std::string lower = {};  ///< a word in lower case
  double number = 0;
  Operation operation = Operation::number;
};

/// Reads an expression from left to right.
class Tokens {
 public:
  /// `what` is the option that the text was given for: "where". Both must outlive the tokens.
  Tokens(std::string_view text, std::string_view what);

  [[nodiscard]] const Token& current() const noexcept { return token_; }
  [[nodiscard]] bool is(Token::Kind kind) const noexcept { return token_.kind == kind; }
  [[nodiscard]] bool is_word(std::string_view lower) const noexcept {
    return token_.kind == Token::Kind::word && token_.lower == lower;
  }
  /// Whether the next character behind the current token and blanks is this one.
  [[nodiscard]] bool followed_by(char c) const noexcept;
  void advance();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view what() const noexcept { return what_; }

  /// Throws InvalidArgument that points at the current token, or at some characters.
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_at(std::size_t at, std::size_t end, const std::string& problem) const;

 private:
  [[nodiscard]] std::size_t behind_blanks(std::size_t at) const noexcept;
  void read_quoted(char quote);
  void read_word();
  void read_number();
  void read_operation();

  std::string_view text_;
  std::string_view what_;
  Token token_;
};

/// The message of an InvalidArgument about characters at .. end - 1 of an expression, with the
/// expression and a mark below it on lines of their own.
[[nodiscard]] std::string complaint(std::string_view what, std::string_view text, std::size_t at,
                                    std::size_t end, const std::string& problem);

/// Two lines, each after a line break: the expression and a mark below characters at .. end - 1.
/// Empty for long or unusual text, in which a mark would stand elsewhere.
[[nodiscard]] std::string mark(std::string_view text, std::size_t at, std::size_t end);

}  // namespace bootfold::expression
