#include "data/columns.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "bootfold/error.h"
#include "data/computed.h"
#include "text/concat.h"
#include "text/nearest.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kListed = 20;
constexpr std::size_t kMostOthers = 1'000'000;

std::string list(const ColumnNames& columns) {
  const std::size_t shown = std::min(columns.size(), kListed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + text::quoted(columns[i]);
  if (shown < columns.size()) text += text::concat(" and ", columns.size() - shown, " more");
  return text;
}

[[noreturn]] void throw_unknown(const ColumnNames& columns, const std::string& word,
                                const std::string& file) {
  std::string message = text::concat(file, " has no column ", text::quoted(word));
  const std::string near = text::nearest(word, columns.names());
  if (!near.empty()) message += text::concat("; did you mean ", text::quoted(near), "?");
  message += near.empty() ? "; it has " : " It has ";
  throw UnknownColumn(message + list(columns) + " (or by number, from 1)", word);
}

/// The position of the column that `word` numbers from 1.
std::optional<std::size_t> by_number(const ColumnNames& columns, const std::string& word) {
  std::size_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || number == 0 || number > columns.size())
    return std::nullopt;
  return number - 1;
}

std::size_t find(const ColumnNames& columns, const std::string& word, const std::string& file) {
  const std::vector<std::string>& names = columns.names();
  const auto named = std::find(names.begin(), names.end(), word);
  if (named != names.end()) {
    const auto again = std::find(named + 1, names.end(), word);
    if (again == names.end()) return static_cast<std::size_t>(named - names.begin());
    throw InvalidArgument(text::concat(file, " has several columns ", text::quoted(word),
                                       ", the first are number ", named - names.begin() + 1,
                                       " and ", again - names.begin() + 1,
                                       "; choose one by its number"));
  }
  const std::optional<std::size_t> number = by_number(columns, word);
  if (!number) throw_unknown(columns, word, file);
  return *number;
}

// The name or number in a word such as "`2`"; none of other words.
std::optional<std::string> in_backticks(const std::string& word) {
  if (word.size() < 3 || word.front() != '`' || word.find('`', 1) != word.size() - 1)
    return std::nullopt;
  return word.substr(1, word.size() - 2);
}

bool has_name(const ColumnNames& columns, const std::string& word) {
  const std::vector<std::string>& names = columns.names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

// Whether a word of a text is a column: "price +" is an expression that is not complete.
bool mentions_column(const ColumnNames& columns, const std::string& text) {
  constexpr std::string_view kSigns = " +-*/%^(),=!<>`'\"";
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kSigns, at)) != text.npos) {
    const std::size_t end = std::min(text.find_first_of(kSigns, at), text.size());
    if (has_name(columns, text.substr(at, end - at))) return true;
    at = end;
  }
  return false;
}

// The one column that is not a label, if there is exactly one.
std::optional<std::size_t> only_beside(std::size_t columns, std::vector<std::size_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  if (columns != labels.size() + 1) return std::nullopt;
  std::size_t column = 0;
  while (column < labels.size() && labels[column] == column) ++column;
  return column;
}

// Behind `chosen`, those that are neither there nor among `left_out`.
void add_others(const ColumnNames& columns, std::vector<std::size_t> left_out,
                const std::string& file, std::vector<std::size_t>& chosen) {
  if (columns.size() > kMostOthers)
    throw InvalidArgument(text::concat(file, " has ", columns.size(), " columns but at most ",
                                       kMostOthers, " can be taken without naming them"));
  left_out.insert(left_out.end(), chosen.begin(), chosen.end());
  std::sort(left_out.begin(), left_out.end());
  for (std::size_t column = 0; column < columns.size(); ++column)
    if (!std::binary_search(left_out.begin(), left_out.end(), column)) chosen.push_back(column);
}

}  // namespace

std::vector<std::size_t> find_columns(const ColumnNames& columns,
                                      const std::vector<std::string>& wanted,
                                      const std::string& file) {
  std::vector<std::size_t> found;
  found.reserve(wanted.size());
  for (const std::string& word : wanted) found.push_back(find(columns, word, file));
  return found;
}

bool has_column(const ColumnNames& columns, const std::string& word) {
  return has_name(columns, word) || by_number(columns, word).has_value();
}

ColumnChoice choose_columns(const ColumnNames& columns, const ReadOptions& options,
                            const std::string& file, const std::vector<std::size_t>& labels) {
  ColumnChoice found;
  std::vector<std::size_t>& chosen = found.numbers;
  for (const std::string& word : options.columns) {
    const std::optional<std::string> called = in_backticks(word);
    if (called && !has_name(columns, word)) {
      if (columns.names().empty() || has_name(columns, *called) || !by_number(columns, *called)) {
        chosen.push_back(find(columns, *called, file));
        continue;
      }
      // Expressions know it by its number, so it is called so, beside the name that it has.
      found.computed.push_back(compute_column(columns, word, file));
      found.computed.back().name = *called;
      found.computed.back().place = found.count() - 1;
      continue;
    }
    if (has_column(columns, word) || !is_expression(word)) {
      chosen.push_back(find(columns, word, file));
      continue;
    }
    try {
      found.computed.push_back(compute_column(columns, word, file));
    } catch (const UnknownColumn&) {
      throw;
    } catch (const InvalidArgument&) {  // no expression: perhaps a name with a mistake in it
      if (!mentions_column(columns, word) && !text::nearest(word, columns.names()).empty())
        throw_unknown(columns, word, file);
      throw;
    }
    found.computed.back().place = found.count() - 1;
  }
  if (options.all_but) {
    std::vector<std::size_t> left_out = find_columns(columns, *options.all_but, file);
    left_out.insert(left_out.end(), labels.begin(), labels.end());
    add_others(columns, std::move(left_out), file, chosen);
    if (found.count() == 0)
      throw InvalidArgument(
          text::concat(file, " has no columns other than those named; it has ", list(columns)));
  }
  if (found.count() > 0) return found;
  if (columns.size() == 1) return {{0}};
  if (const auto only = only_beside(columns.size(), labels)) return {{*only}};
  throw InvalidArgument(text::concat(file, " has ", columns.size(),
                                     " columns and none is chosen; columns=NAME chooses one of ",
                                     list(columns)));
}

}  // namespace bootfold::data
