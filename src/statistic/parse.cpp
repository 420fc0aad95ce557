// Statistics by name: "quantile:0.9".
#include <charconv>
#include <optional>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "expression/other_words.h"
#include "expression/parser.h"
#include "statistic/named.h"
#include "text/concat.h"
#include "text/nearest.h"

namespace bootfold::statistic {

namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::string list;
  for (const Entry& entry : entries()) list += (list.empty() ? "" : ", ") + usage(entry);
  std::string close = expression::other_word(name);
  if (close.empty() || close.find('(') != close.npos) close = text::nearest(name, known_names());
  throw InvalidArgument(text::concat(
      "unknown statistic '", name, "'",
      close.empty() ? text::concat("; of a column write, for example, mean(", name, ")")
                    : "; did you mean '" + close + "'?",
      " (there are: ", list, ")"));
}

}  // namespace

Statistic parse(std::string_view text) {
  if (text.find('(') != text.npos) return expression(text);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const Named named = find_named(name);
  if (named.entry == nullptr) {
    // An expression without a function of all rows, which is told at its place.
    if (expression::looks_like_expression(name) && text::nearest(name, known_names()).empty())
      return expression(text);
    throw_unknown(name);
  }
  const Entry& entry = *named.entry;
  if (colon == std::string_view::npos) {
    if (entry.required && !named.number)
      throw InvalidArgument(text::concat("statistic '", name, "' needs a number: ",
                                         named.in_percent ? "percentile:P" : usage(entry),
                                         ", such as ", name, named.in_percent ? ":90" : ":0.1"));
    return entry.make(named.number);
  }
  if (entry.parameter.empty() || named.number)
    throw InvalidArgument(
        text::concat("statistic '", text, "' takes no number: write '", name, "'"));
  const std::optional<double> value = number(text.substr(colon + 1));
  if (!value)
    throw InvalidArgument(text::concat("statistic '", text, "': '", text.substr(colon + 1),
                                       "' is not a number; write ", usage(entry)));
  return entry.make(named.in_percent ? share_of_percent(*value) : *value);
}

const std::vector<Listing>& listings() {
  static const std::vector<Listing> list = [] {
    std::vector<Listing> rows;
    for (const Entry& entry : entries())
      rows.push_back({usage(entry), entry.columns, entry.meaning});
    return rows;
  }();
  return list;
}

}  // namespace bootfold::statistic
