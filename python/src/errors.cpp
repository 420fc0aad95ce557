// Errors of the library: options and data that cannot be used are a ValueError.
//
// The library names options by key and counts rows from 1; messages get the words of Python:
// nan='omit', and rows and replicates that count from 0.
#include <algorithm>
#include <array>
#include <exception>
#include <regex>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "modules.h"
#include "text/option_names.h"
#include "text/quantity.h"

namespace bootfold::python {

namespace {

/// "1,235" -> "1,234".
std::string one_less(const std::string& written) {
  std::uint64_t number = 0;
  for (const char c : written)
    if (c != ',') number = number * 10 + static_cast<std::uint64_t>(c - '0');
  if (number == 0) return written;
  const bool commas = written.find(',') != written.npos;
  return commas ? text::grouped(number - 1) : std::to_string(number - 1);
}

/// "row 1,235 is nan" -> "row 1,234 is nan"; "rows 3 and 7" and "replicates 1 to 20" too. Texts in
/// quotes stay as they are.
std::string rows_from_zero(const std::string& message) {
  static const std::regex kRows(
      "'[^']*'|\\brow ([0-9]+(?:,[0-9]{3})*)|"
      "\\b(rows|replicates(?=[^a-z]* to )) ([0-9]+(?:,[0-9]{3})*)( and | to )"
      "([0-9]+(?:,[0-9]{3})*)|\\(counted from 1\\)");
  std::string text;
  auto end = message.begin();
  for (std::sregex_iterator it(message.begin(), message.end(), kRows), last; it != last; ++it) {
    const std::smatch& found = *it;
    text.append(end, found[0].first);
    if (found[1].matched)
      text += "row " + one_less(found[1]);
    else if (found[2].matched)
      text += found[2].str() + " " + one_less(found[3]) + found[4].str() + one_less(found[5]);
    else
      text += found[0].str().front() == '(' ? "(counted from 0)" : found[0].str();
    end = found[0].second;
  }
  return text.append(end, message.end());
}

/// Text files have options that csv() takes: says so behind the sentence that names some of them.
std::string with_csv(std::string text) {
  static const std::regex kOptions("\\b(decimal|delimiter|header|missing|thousands|where)=");
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line = text.substr(0, end);
  std::vector<std::string> named;
  for (std::sregex_iterator it(line.begin(), line.end(), kOptions), last; it != last; ++it)
    if (std::find(named.begin(), named.end(), (*it)[1]) == named.end()) named.push_back((*it)[1]);
  if (named.empty()) return text;
  std::string call = "; bf.csv(path";
  for (const std::string& name : named) call += ", " + name + "=...";
  call += named.size() == 1 ? ") takes this option" : ") takes these options";
  return text.insert(end, call);
}

}  // namespace

std::string in_words_of_python(std::string_view message) {
  static constexpr auto kNames = std::to_array<text::OptionName>({
      {"decimal", "decimal"},
      {"delimiter", "delimiter"},
      {"difference", "difference"},
      {"groups", "groups"},
      {"header", "header"},
      {"interval", "interval"},
      {"missing", "missing"},
      {"nan", "nan"},
      {"replicates", "replicates"},
      {"thousands", "thousands"},
  });
  return with_csv(text::with_option_names(
      rows_from_zero(std::string(message)), kNames,
      [](std::string_view name, std::string_view value) {
        const std::string text(value);
        const std::string begin = std::string(name) + "=";
        if (name == "header") return begin + (value == "yes" ? "True" : "False");
        if (value.find_first_not_of("0123456789") == value.npos || value.front() == '\'')
          return begin + text;
        return begin + (name == "groups" ? "['" + text + "']" : "'" + text + "'");
      }));
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const InvalidArgument& bad) {
      PyErr_SetString(PyExc_ValueError, in_words_of_python(bad.what()).c_str());
    } catch (const DataError& bad) {
      PyErr_SetString(PyExc_ValueError, in_words_of_python(bad.what()).c_str());
    } catch (const Cancelled&) {
      // Only the end of the interpreter stops work without an error of its own.
      PyErr_SetString(PyExc_SystemExit, "bootfold stopped: the interpreter ends");
    }
  });
}

}  // namespace bootfold::python
