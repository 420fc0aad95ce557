#include "group_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.h"
#include "bootfold/error.h"

namespace bootfold::cli {
namespace {

/// A label among others: in quotes if it has the comma that separates them.
std::string part_of_name(const std::string& label) {
  if (label.find_first_of(",\"") == label.npos) return label;
  std::string quoted = "\"";
  for (const char each : label) quoted += each == '"' ? std::string("\"\"") : std::string(1, each);
  return quoted + "\"";
}

}  // namespace

void check_by(const std::vector<std::string>& by) {
  for (const std::string& column : by)
    if (std::ranges::count(by, column) > 1)
      throw InvalidArgument(fmt::format("--by names column '{}' twice; name it once", column));
}

std::vector<data::Labels> labels_of_groups(const SchemeRequest::View& view,
                                           const data::Table& table, std::size_t all,
                                           std::size_t count) {
  std::vector<data::Labels> found;
  for (std::size_t i = all - count; i < all; ++i) found.push_back(view.labels(table.labels(i)));
  return found;
}

std::vector<std::string> names_of_groups(const std::vector<std::string>& items, std::size_t columns,
                                         const char* option) {
  if (columns == 1) return items;
  std::vector<std::string> parts;
  for (const std::string& item : items) {
    const std::vector<std::string> inner = split_list({item});
    if (inner.size() == columns)
      parts.insert(parts.end(), inner.begin(), inner.end());
    else
      parts.push_back(item);
  }
  if (parts.size() % columns != 0)
    throw InvalidArgument(fmt::format(
        "{} is '{}' but --by names {} columns; give one label for each of them, such as 'UA, 1'",
        option, fmt::join(items, ", "), columns));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = part_of_name(parts[i]);
    if (i % columns == 0)
      names.push_back(part);
    else
      names.back() += ", " + part;
  }
  return names;
}

}  // namespace bootfold::cli
