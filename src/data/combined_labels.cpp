// Labels of combinations: month and day, carrier and origin.
#include <algorithm>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/labels.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::data {

namespace {

/// A part of a name; in quotes if it contains the comma that separates parts.
std::string part_of_name(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char each : text) quoted += each == '"' ? std::string("\"\"") : std::string(1, each);
  return quoted + "\"";
}

/// Renumbers keys 0, 1, ... in rising order; returns those that occur.
std::vector<std::uint64_t> renumber(const std::vector<std::uint64_t>& keys,
                                    std::vector<std::uint32_t>& codes) {
  std::vector<std::uint64_t> occurring = keys;
  std::sort(occurring.begin(), occurring.end());
  occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  for (std::size_t row = 0; row < keys.size(); ++row)
    codes[row] = static_cast<std::uint32_t>(
        std::lower_bound(occurring.begin(), occurring.end(), keys[row]) - occurring.begin());
  return occurring;
}

/// The same where there are few possible keys, by a table of them.
std::vector<std::uint64_t> renumber(const std::vector<std::uint64_t>& keys, std::uint64_t possible,
                                    std::vector<std::uint32_t>& codes) {
  std::vector<std::uint32_t> numbers(possible);
  for (const std::uint64_t key : keys) numbers[key] = 1;
  std::vector<std::uint64_t> occurring;
  for (std::uint64_t key = 0; key < possible; ++key)
    if (numbers[key] == 1) {
      numbers[key] = static_cast<std::uint32_t>(occurring.size());
      occurring.push_back(key);
    }
  for (std::size_t row = 0; row < keys.size(); ++row) codes[row] = numbers[keys[row]];
  return occurring;
}

}  // namespace

Labels combined(std::span<const Labels> labels, std::string_view separator) {
  if (labels.empty()) throw InvalidArgument("there are no labels to combine; give at least one");
  if (labels.size() == 1) return labels[0];
  Labels all = labels[0];
  const bool quotes = separator != kLabelParts;
  if (quotes)
    for (std::string& name : all.names) name = part_of_name(name);
  std::vector<std::uint64_t> keys(all.rows());
  for (const Labels& next : labels.subspan(1)) {
    if (next.rows() != all.rows())
      throw InvalidArgument(text::concat("labels of ", text::grouped(all.rows()), " and of ",
                                         text::grouped(next.rows()),
                                         " rows cannot be combined; each row needs one of both"));
    for (std::size_t row = 0; row < keys.size(); ++row)
      keys[row] = std::uint64_t{all.codes[row]} * next.size() + next.codes[row];
    const std::uint64_t possible = std::uint64_t{all.size()} * next.size();
    const std::vector<std::uint64_t> occurring = possible <= 4 * keys.size() + 1024
                                                     ? renumber(keys, possible, all.codes)
                                                     : renumber(keys, all.codes);
    std::vector<std::string> names;
    names.reserve(occurring.size());
    for (const std::uint64_t key : occurring)
      names.push_back(text::concat(
          all.names[key / next.size()], separator,
          quotes ? part_of_name(next.names[key % next.size()]) : next.names[key % next.size()]));
    all.names = std::move(names);
    if (!next.column.empty()) all.column += (all.column.empty() ? "" : ", ") + next.column;
  }
  return all;
}

}  // namespace bootfold::data
