#include "expression/other_words.h"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "text/quantity.h"

namespace bootfold::expression {

namespace {

constexpr const char* kIsMissing = "missing(x)";
constexpr const char* kChoose = "if(condition, a, b)";
constexpr const char* kCount = "count(), the number of rows, or count(not missing(x))";

constexpr std::array<std::pair<std::string_view, const char*>, 27> kWords = {{
    {"isna", kIsMissing},
    {"isnull", kIsMissing},
    {"is_missing", kIsMissing},
    {"is_null", kIsMissing},
    {"is_na", kIsMissing},
    {"isnan", kIsMissing},
    {"is_nan", kIsMissing},
    {"is.na", kIsMissing},
    {"ifelse", kChoose},
    {"if_else", kChoose},
    {"iif", kChoose},
    {"where", kChoose},
    {"case", kChoose},
    {"case_when", kChoose},
    {"when", kChoose},
    {"n", kCount},
    {"len", kCount},
    {"length", kCount},
    {"nrow", kCount},
    {"size", kCount},
    {"rows", kCount},
    {"pctl", "percentile"},
    {"pct", "percentile"},
    {"ptile", "percentile"},
    {"prctile", "percentile"},
    {"power", "pow"},
    {"ceiling", "ceil"},
}};

/// "p90" of "q90" and "q0.9"; quartiles have 1 to 3.
std::string percentile_of(std::string_view word) {
  if (word.size() < 2 || word[0] != 'q') return {};
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + 1, end, number);
  if (error != std::errc() || stop != end || !(number > 0 && number <= 100)) return {};
  if (number < 1)
    number = text::parse_real(text::shortest(number) + "e2").value_or(100 * number);
  else if (number == 1 || number == 2 || number == 3)
    number *= 25;
  return "p" + text::shortest(number);
}

}  // namespace

std::string other_word(std::string_view word) {
  for (const auto& [other, here] : kWords)
    if (word == other) return here;
  return percentile_of(word);
}

}  // namespace bootfold::expression
