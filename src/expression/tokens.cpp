#include "expression/tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::expression {

namespace {

constexpr std::size_t kLongestMarked = 200;  // a longer text has no mark below it

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & '\x80') != 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool goes_on(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

std::string mark(std::string_view text, std::size_t at, std::size_t end) {
  const bool shown =
      !text.empty() && text.size() <= kLongestMarked &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!shown) return {};
  const std::size_t width = at >= text.size() ? 1 : std::max<std::size_t>(1, end - at);
  return text::concat("\n  ", text, "\n  ", std::string(std::min(at, text.size()), ' '), "^",
                      std::string(width - 1, '~'));
}

std::string complaint(std::string_view what, std::string_view text, std::size_t at, std::size_t end,
                      const std::string& problem) {
  const std::string place =
      at >= text.size()
          ? std::string("at its end")
          : text::concat("at character ", at + 1, ", ", text::quoted(text.substr(at, end - at)));
  return text::concat(what, " is ", text::quoted(text), " but ", place, ": ", problem,
                      mark(text, at, end));
}

Tokens::Tokens(std::string_view text, std::string_view what) : text_(text), what_(what) {
  advance();
}

void Tokens::fail(const std::string& problem) const { fail_at(token_.at, token_.end, problem); }

void Tokens::fail_at(std::size_t at, std::size_t end, const std::string& problem) const {
  throw InvalidArgument(complaint(what_, text_, at, end, problem));
}

std::size_t Tokens::behind_blanks(std::size_t at) const noexcept {
  while (at < text_.size() && (text_[at] == ' ' || (text_[at] >= '\t' && text_[at] <= '\r'))) ++at;
  return at;
}

bool Tokens::followed_by(char c) const noexcept {
  const std::size_t next = behind_blanks(token_.end);
  return next < text_.size() && text_[next] == c;
}

void Tokens::advance() {
  const std::size_t at = behind_blanks(token_.end);
  token_ = {};
  token_.at = token_.end = at;
  if (at == text_.size()) return;
  const char c = text_[at];
  token_.end = at + 1;
  if (c == '(' || c == ')' || c == ',') {
    token_.kind = c == '(' ? Token::Kind::open : c == ')' ? Token::Kind::close : Token::Kind::comma;
  } else if (c == '\'' || c == '"' || c == '`') {
    read_quoted(c);
  } else if (is_letter(c)) {
    read_word();
  } else if (is_digit(c) || (c == '.' && at + 1 < text_.size() && is_digit(text_[at + 1]))) {
    read_number();
  } else {
    read_operation();
  }
}

void Tokens::read_quoted(char quote) {
  token_.kind = quote == '`' ? Token::Kind::column : Token::Kind::text;
  std::size_t at = token_.at + 1;
  for (;; ++at) {
    if (at >= text_.size())
      fail_at(token_.at, text_.size(), "this quote is never closed; double quotes inside text");
    if (text_[at] == quote) {
      if (at + 1 >= text_.size() || text_[at + 1] != quote) break;
      ++at;
    }
    token_.text += text_[at];
  }
  token_.end = at + 1;
  if (quote == '`' && token_.text.empty()) fail("a column needs a name");
}

void Tokens::read_word() {
  std::size_t end = token_.at;
  while (end < text_.size() && goes_on(text_[end])) ++end;
  token_.kind = Token::Kind::word;
  token_.end = end;
  token_.text = text_.substr(token_.at, end - token_.at);
  token_.lower = lower_case(token_.text);
}

void Tokens::read_number() {
  const char* const first = text_.data() + token_.at;
  const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), token_.number);
  token_.end = std::max(token_.end, static_cast<std::size_t>(stop - text_.data()));
  if (error != std::errc() || !std::isfinite(token_.number))
    fail("this number is beyond the range of double");
  if (token_.end < text_.size() && goes_on(text_[token_.end])) {
    while (token_.end < text_.size() && goes_on(text_[token_.end])) ++token_.end;
    fail("this is no number; text goes in quotes, and a column with such a name in backticks");
  }
  token_.kind = Token::Kind::number;
}

void Tokens::read_operation() {
  using enum Operation;
  const std::string_view rest = text_.substr(token_.at);
  token_.kind = Token::Kind::operation;
  for (const auto& [sign, operation] : {std::pair<std::string_view, Operation>{"==", equal},
                                        {"!=", unequal},
                                        {"<>", unequal},
                                        {"<=", less_equal},
                                        {">=", greater_equal},
                                        {"<", less},
                                        {">", greater},
                                        {"**", power},
                                        {"^", power},
                                        {"+", add},
                                        {"-", subtract},
                                        {"*", multiply},
                                        {"/", divide},
                                        {"%", remainder}})
    if (rest.starts_with(sign)) {
      token_.operation = operation;
      token_.end = token_.at + sign.size();
      return;
    }
  if (rest.starts_with("=")) {
    token_.kind = Token::Kind::assign;
    return;
  }
  if (rest.starts_with("&")) fail("write 'and'");
  if (rest.starts_with("|")) fail("write 'or'");
  if (rest.starts_with("!")) fail("write 'not'");
  fail("this has no meaning here; a column with such a name goes in backticks: `a b`");
}

}  // namespace bootfold::expression
