#include "data/delimiter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "data/dialect.h"
#include "data/number.h"
#include "data/number_forms.h"
#include "data/records.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kLines = 64;  // enough to tell; a wrong line among them must not decide

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r") == text.npos; }

// Where the record at the beginning of `text` ends if `delimiter` is between its fields: its line
// feed, or the end of `text`.
std::size_t record_end(std::string_view text, char delimiter) {
  bool quoted = false;
  bool field_starts = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && (quoted || field_starts)) {
      quoted = !quoted;
      field_starts = false;
      continue;
    }
    if (quoted) continue;
    if (c == '\n') return at;
    field_starts = c == delimiter;
  }
  return text.size();
}

// How the first lines are split by one delimiter.
struct Split {
  char delimiter;
  std::size_t records = 0;
  std::size_t first = 0;     // delimiters of the first record
  std::size_t agreeing = 0;  // records below it that have as many
  std::size_t texts = 0;     // fields below it that are no numbers
  bool numbers = true;       // every record below it has a number

  [[nodiscard]] bool likely() const { return first > 0 && (agreeing > 0 || records == 1); }
};

bool has_inner_tab(std::string_view text) {
  const std::string_view inner = text.substr(0, text.find_last_not_of("\t \r") + 1);
  const std::size_t begin = inner.find_first_not_of("\t ");
  return begin != inner.npos && inner.find('\t', begin) != inner.npos;
}

Split split(std::string_view text, bool complete, char delimiter, const ReadOptions& options) {
  Split found{delimiter};
  NumberForms forms(options, delimiter);
  std::string scratch;
  while (!text.empty() && found.records < kLines) {
    const std::size_t end = record_end(text, delimiter);
    if (end == text.size() && !complete && found.records > 0) break;
    const Record record{text.substr(0, end), 0, true};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (blank(record.text)) continue;
    if (delimiter == '\t' && found.records == 0 && !has_inner_tab(record.text)) return found;
    std::size_t texts = 0;
    Record fed = record;
    if (!fed.text.empty() && fed.text.back() == '\r') fed.text.remove_suffix(1);
    Fields fields(fed, delimiter);
    while (fields.next()) texts += forms.is_number(fields.text(scratch)) ? 0U : 1U;
    if (found.records++ == 0) {
      found.first = fields.count() - 1;
      continue;
    }
    found.agreeing += fields.count() - 1 == found.first ? 1U : 0U;
    found.texts += texts;
    found.numbers = found.numbers && texts < fields.count();
  }
  return found;
}

}  // namespace

char find_delimiter(std::string_view start, bool complete, const ReadOptions& options) {
  std::vector<Split> likely;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    if (options.decimal == delimiter) continue;
    const Split found = split(start, complete, delimiter, options);
    if (found.likely()) likely.push_back(found);
  }
  const char otherwise = options.decimal == ',' ? ';' : ',';
  if (likely.empty()) {
    if (options.thousands == ' ') return otherwise;
    const Split spaces = split(start, complete, ' ', options);
    const bool all = spaces.records > 1 && spaces.agreeing == spaces.records - 1;
    return spaces.first > 0 && all && spaces.numbers ? ' ' : otherwise;
  }
  const auto better = [](const Split& a, const Split& b) {
    return a.agreeing != b.agreeing ? a.agreeing > b.agreeing : a.texts < b.texts;
  };
  std::stable_sort(likely.begin(), likely.end(), better);
  // Two that are as likely: the comma, or neither.
  if (likely.size() > 1 && !better(likely[0], likely[1])) return otherwise;
  return likely[0].delimiter;
}

std::optional<char> other_delimiter(std::string_view field, char delimiter,
                                    std::optional<char> decimal) {
  for (const char other : {';', '\t', '|', ','})
    if (other != delimiter && other != decimal.value_or('.') && field.find(other) != field.npos)
      return other;
  return std::nullopt;
}

}  // namespace bootfold::data
