#include <algorithm>

#include "bootfold/contrasts.h"
#include "bootfold/error.h"
#include "comparison/options_check.h"
#include "text/concat.h"
#include "text/nearest.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::comparison {
namespace {

using text::grouped;

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 20;
  const std::size_t shown = std::min(names.size(), kListed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + text::quoted(names[i]);
  if (shown < names.size()) text += text::concat(" and ", names.size() - shown, " more");
  return text;
}

/// " of column 'variant'", or nothing for labels that came from no column.
std::string of_column(const data::Labels& labels) {
  return labels.column.empty() ? "" : " of column " + text::quoted(labels.column);
}

/// The code of a group somebody asked for.
std::uint32_t find_group(const data::Labels& labels, const std::string& name,
                         std::string_view option) {
  if (const auto code = labels.find(name)) return *code;
  std::string message = text::concat(option, " is ", text::quoted(name), " but the labels",
                                     of_column(labels), " do not contain this group");
  const std::string near = text::nearest(name, labels.names);
  if (!near.empty()) message += text::concat("; did you mean ", text::quoted(near), "?");
  throw InvalidArgument(
      text::concat(message, near.empty() ? "; there are " : " There are ", list(labels.names)));
}

std::uint32_t find_control(const data::Labels& labels, const Options& options) {
  if (options.control) return find_group(labels, *options.control, "control");
  constexpr std::string_view kControl = "control";
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a + 32 == b); };
  for (std::uint32_t code = 0; code < labels.size(); ++code)
    if (std::equal(labels.names[code].begin(), labels.names[code].end(), kControl.begin(),
                   kControl.end(), same))
      return code;
  return 0;
}

/// A statistic must give one number, or there is no one difference.
void check_single(const Statistic& statistic, std::size_t columns) {
  const bool each = statistic.of_each_column();
  if (columns < statistic.fewest_columns() || (!each && columns > statistic.most_columns()))
    return;  // bootstrap() says what it needs
  const std::size_t weights = statistic.weighted() ? 1 : 0;
  const std::size_t outputs = each
                                  ? (columns - weights) * statistic.bind(1 + weights).outputs.size()
                                  : statistic.bind(columns).outputs.size();
  if (outputs != 1)
    throw InvalidArgument(text::concat(
        "statistic '", statistic.name(), "' gives ", outputs, " values on ", columns,
        columns == 1 ? " column" : " columns", " but a comparison needs one value; choose ",
        each ? "one column" : "a statistic with one value"));
}

}  // namespace

std::vector<std::uint32_t> choose_groups(const data::Labels& labels,
                                         std::span<const std::uint64_t> rows,
                                         const Statistic& statistic, std::size_t columns,
                                         const Options& options) {
  check(options);
  check_single(statistic, columns);
  const std::uint32_t control = find_control(labels, options);
  std::vector<bool> wanted(labels.size(), options.groups.empty());
  for (const std::string& name : options.groups) wanted[find_group(labels, name, "groups")] = true;
  std::vector<std::uint32_t> codes = {control};
  for (std::uint32_t code = 0; code < labels.size(); ++code)
    if (code != control && wanted[code] && rows[code] > 0) codes.push_back(code);
  if (codes.size() == 1)
    throw InvalidArgument(text::concat("there is only one group, ",
                                       text::quoted(labels.names[control]), ", among the labels",
                                       of_column(labels), "; a comparison needs at least two"));
  if (codes.size() > kMostGroups)
    throw InvalidArgument(text::concat("there are ", grouped(codes.size()), " groups",
                                       of_column(labels), " but at most ", grouped(kMostGroups),
                                       " can be compared; check the column, or choose groups with "
                                       "groups=NAME"));
  for (const std::uint32_t code : codes)
    if (rows[code] < 2)
      throw InvalidArgument(text::concat(
          "group ", text::quoted(labels.names[code]), " has ", rows[code],
          rows[code] == 1 ? " row" : " rows", " but needs at least 2 to have a standard error; ",
          code == control ? "control=NAME chooses another control"
                          : "groups=NAME chooses the groups to compare"));
  return codes;
}

}  // namespace bootfold::comparison
