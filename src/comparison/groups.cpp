#include "comparison/groups.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/random.h"
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

/// Codes of the groups, the control first.
std::vector<std::uint32_t> choose_groups(const data::Labels& labels,
                                         const std::vector<std::uint64_t>& counts,
                                         const Options& options) {
  const std::uint32_t control = find_control(labels, options);
  std::vector<bool> wanted(labels.size(), options.groups.empty());
  for (const std::string& name : options.groups) wanted[find_group(labels, name, "groups")] = true;
  std::vector<std::uint32_t> codes = {control};
  for (std::uint32_t code = 0; code < labels.size(); ++code)
    if (code != control && wanted[code] && counts[code] > 0) codes.push_back(code);
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
    if (counts[code] < 2)
      throw InvalidArgument(text::concat(
          "group ", text::quoted(labels.names[code]), " has ", counts[code],
          counts[code] == 1 ? " row" : " rows",
          " but needs at least 2 to have a standard error; groups=NAME chooses the groups to "
          "compare"));
  return codes;
}

/// A statistic must give one number, or there is no one difference.
const Statistic& single(const Statistic& statistic, std::size_t columns) {
  const bool each = statistic.most_columns() == 1;  // applied to every column
  if (!each && (columns < statistic.fewest_columns() || columns > statistic.most_columns()))
    return statistic;  // bootstrap() says what it needs
  const std::size_t outputs =
      each ? columns * statistic.bind(1).outputs.size() : statistic.bind(columns).outputs.size();
  if (outputs != 1)
    throw InvalidArgument(text::concat(
        "statistic '", statistic.name(), "' gives ", outputs, " values on ", columns,
        columns == 1 ? " column" : " columns", " but a comparison needs one value; choose ",
        each ? "one column" : "a statistic with one value"));
  return statistic;
}

}  // namespace

Groups::Groups(const DataView& values, const data::Labels& labels, const Statistic& statistic,
               const Options& options)
    : labels_(labels),
      statistic_(single(statistic, values.columns())),
      options_(options),
      design_(resample::design(options.scheme)),
      counts_(labels.counts()),
      codes_(choose_groups(labels, counts_, options)),
      rows_(values, labels, places(), sizes(), options.execution.stop) {
  for (const std::uint64_t size : sizes()) total_ += work(size);
  const auto check = [&](std::size_t there) {
    if (there != labels.rows())
      throw InvalidArgument(text::concat("scheme '", design_->name(), "' has ", grouped(there),
                                         " labels or weights but the data have ",
                                         grouped(labels.rows()),
                                         " rows; every row needs exactly one"));
  };
  if (!design_->labels().empty()) {
    check(design_->labels().size());
    codes_in_order_ = rows_.arrange(design_->labels(), code_copies_);
  }
  if (!design_->weights().empty()) {
    check(design_->weights().size());
    weights_in_order_ = rows_.arrange(design_->weights(), weight_copies_);
  }
}

Scheme Groups::scheme_of(std::size_t group) const {
  if (codes_in_order_.empty() && weights_in_order_.empty()) return options_.scheme;
  const auto own = [&](const auto& in_order) {
    return in_order.empty() ? in_order : rows_.of_group(in_order, group);
  };
  return design_->subset(own(codes_in_order_), own(weights_in_order_));
}

Result Groups::run(std::size_t group) {
  bootfold::Options options{.replicates = options_.replicates,
                            .seed = group_seed(options_.seed, name(group)),
                            .scheme = scheme_of(group),
                            .memory = options_.memory,
                            .tolerance = options_.tolerance,
                            .influence = options_.interval == interval::Method::bca,
                            .standard_errors = options_.interval == interval::Method::studentized,
                            .nested_replicates = options_.nested_replicates,
                            .rescale = options_.rescale,
                            .execution = options_.execution};
  if (options_.execution.progress)
    options.execution.progress = [this, before = done_](execution::Progress progress) {
      options_.execution.progress({before + progress.done, total_});
    };
  Result result = bootstrap_group(group, options);
  if (!std::isfinite(result.estimate()))
    throw InvalidArgument(
        text::concat("the ", result.plan().outputs[0], " of group ", text::quoted(name(group)),
                     " is undefined on its ", grouped(result.plan().rows),
                     " rows; choose the other groups with groups=NAME, or another statistic"));
  done_ += work(result.plan().rows);
  return result;
}

Result Groups::bootstrap_group(std::size_t group, const bootfold::Options& options) const {
  try {
    return bootstrap(rows_.view(group), statistic_, options);
  } catch (const DataError& error) {
    throw DataError(text::concat("group ", text::quoted(name(group)),
                                 ", counting its own rows: ", error.what()));
  }
}

std::vector<std::uint32_t> Groups::places() const {
  std::vector<std::uint32_t> places(labels_.size(), GroupedRows::kLeftOut);
  for (std::uint32_t group = 0; group < codes_.size(); ++group) places[codes_[group]] = group;
  return places;
}

std::vector<std::uint64_t> Groups::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t code : codes_) sizes.push_back(counts_[code]);
  return sizes;
}

std::uint64_t group_seed(std::uint64_t seed, std::string_view group) {
  // Eight bytes of the name at a time; the length goes in, so that zeros at the end count.
  std::uint64_t state = seed;
  for (std::size_t at = 0; at <= group.size(); at += 8) {
    std::uint64_t piece = 0;
    for (std::size_t i = at; i < std::min(at + 8, group.size()); ++i)
      piece |= std::uint64_t{static_cast<unsigned char>(group[i])} << (8 * (i - at));
    const auto words = random::block({state, piece, random::Purpose::group}, group.size());
    state = std::uint64_t{words[1]} << 32 | words[0];
  }
  return state;
}

}  // namespace bootfold::comparison
