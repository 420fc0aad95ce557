#include "scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.h"
#include "bootfold/error.h"
#include "number.h"

namespace bootfold::cli {
namespace {

/// What the command line calls a member of scheme::Spec.
std::string option_of(std::string_view key) {
  if (key == "clusters") return "--cluster";
  std::string option = fmt::format("--{}", key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

}  // namespace

void add_scheme_arguments(CLI::App& command, SchemeArguments& arguments) {
  const std::string group = "How rows are drawn";
  add_text(command, "--scheme", arguments.scheme, "NAME",
           "iid, stratified, cluster, moving, circular or stationary blocks, poisson, bayesian, "
           "balanced, unequal; jackknife [iid]")
      ->group(group);
  add_text(command, "--size", arguments.size, "M", "Rows a replicate draws [as many as there are]")
      ->group(group);
  add_text(command, "--rescale", arguments.rescale, "R",
           "With --size: standard errors and intervals for all n rows, by the factor (M / n)^R; "
           "sqrt is 0.5, none keeps those of M rows [sqrt]")
      ->group(group);
  add_text(command, "--strata", arguments.strata, "COLUMN",
           "Draw within each stratum as many rows (or clusters) as it has; several columns: "
           "region,sex")
      ->group(group);
  add_text(command, "--cluster", arguments.cluster, "COLUMN",
           "Draw (or leave out) whole clusters of rows; several columns: month,day")
      ->group(group);
  command
      .add_flag("--two-stage", arguments.two_stage,
                "Draw the rows within clusters as well: adds the variance within clusters a "
                "second time, so intervals are too wide")
      ->group(group)
      ->disable_flag_override();
  add_text(command, "--block-length", arguments.block_length, "L|auto",
           "Rows of a block, for time series [auto]")
      ->group(group);
  add_text(command, "--probabilities", arguments.probabilities, "COLUMN",
           "Draw rows with probabilities in proportion to this column (scheme unequal)")
      ->group(group);
  const std::string weights = "Weights of rows";
  add_text(command, "--weights", arguments.weights, "COLUMN",
           "Weights of the statistic: the mean is sum(w x) / sum(w); rows are drawn alike")
      ->group(weights);
  add_text(command, "--frequencies", arguments.frequencies, "COLUMN",
           "A row stands for so many equal rows, as in a table of counts")
      ->group(weights);
}

data::Labels all_labels(const data::Table& table, std::size_t count) {
  std::vector<data::Labels> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(table.labels(i));
  return data::combined(all, data::kLabelParts);
}

SchemeRequest::SchemeRequest(const SchemeArguments& arguments)
    : weights_(arguments.weights),
      frequencies_(arguments.frequencies),
      probabilities_(arguments.probabilities) {
  if (!arguments.scheme.empty()) spec_.name = arguments.scheme;
  if (!arguments.strata.empty()) {
    spec_.strata.emplace();
    strata_ = split_list({arguments.strata});
  }
  if (!arguments.cluster.empty()) {
    spec_.clusters.emplace();
    clusters_ = split_list({arguments.cluster});
  }
  if (!arguments.probabilities.empty()) spec_.probabilities.emplace();
  if (!arguments.size.empty()) spec_.size = parse_whole("--size", arguments.size, 1);
  spec_.two_stage = arguments.two_stage;
  spec_.auto_block_length = arguments.block_length == "auto";
  if (!arguments.block_length.empty() && !spec_.auto_block_length)
    spec_.block_length = parse_between("--block-length", arguments.block_length, 0,
                                       std::numeric_limits<double>::infinity(), "20, or auto");
  if (!frequencies_.empty() && !probabilities_.empty())
    throw InvalidArgument(
        "--frequencies and --probabilities do not go together; write the rows out");
  without_data_ = make_scheme(spec_, option_of);
  name_ = bootfold::name(without_data_);
  facts_ = facts(without_data_);
}

void SchemeRequest::extend(data::ReadOptions& options) const {
  options.labels.insert(options.labels.end(), strata_.begin(), strata_.end());
  options.labels.insert(options.labels.end(), clusters_.begin(), clusters_.end());
  const auto add = [&](const char* option, const std::string& column) {
    if (column.empty()) return;
    if (options.columns.empty())
      throw InvalidArgument(fmt::format(
          "{} needs --column as well: name the column to compute the statistic of", option));
    options.columns.push_back(column);
  };
  add("--weights", weights_);
  add("--frequencies", frequencies_);
  add("--probabilities", probabilities_);
}

SchemeRequest::View::View(const SchemeRequest& request, const data::Table& table)
    : columns_(table.names()), data_(table.view()) {
  // Behind the columns of the statistic, in this order: weights, frequencies, probabilities.
  const auto take_last = [&] {
    const std::size_t last = data_.columns() - 1;
    std::vector<double> values(data_.rows());
    data_.column(last).read(0, values);
    std::vector<ColumnView> others;
    for (std::size_t c = 0; c < last; ++c) others.push_back(data_.column(c));
    columns_.pop_back();
    data_ = DataView(std::move(others), columns_);
    return values;
  };
  scheme::Spec spec = request.spec_;
  if (spec.probabilities) {
    probabilities_ = take_last();
    spec.probabilities = probabilities_;
  }
  if (!request.frequencies_.empty()) {
    const std::vector<double> frequencies = take_last();
    repeated_.emplace(data_, frequencies);
    data_ = repeated_->view();
  }
  if (request.weighted()) columns_.pop_back();
  // Strata first, then clusters.
  const auto codes = [&](std::size_t first, std::size_t count, data::Labels& own) {
    if (count == 1 && !repeated_) return std::span(table.labels(first).codes);
    std::vector<data::Labels> several;
    for (std::size_t i = first; i < first + count; ++i) several.push_back(table.labels(i));
    own = labels(data::combined(several));
    return std::span(std::as_const(own.codes));
  };
  if (spec.strata) spec.strata = codes(0, request.strata_.size(), strata_);
  if (spec.clusters)
    spec.clusters = codes(request.strata_.size(), request.clusters_.size(), clusters_);
  if (spec.strata && spec.clusters) check_clusters(request, table);
  scheme_ = make_scheme(spec, option_of);
}

namespace {

// Of a cluster that has rows in several strata.
[[noreturn]] void fail_cluster(const data::Labels& clusters, const data::Labels& strata,
                               std::uint32_t cluster) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < clusters.rows(); ++row) {
    const std::string& name = strata.names[strata.codes[row]];
    if (clusters.codes[row] == cluster && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  throw InvalidArgument(fmt::format(
      "cluster '{}' of --cluster {} has rows in {} strata of --strata {}, '{}' and {}; clusters "
      "are "
      "drawn within strata, so all rows of a cluster need the same stratum: add the column of the "
      "strata to --cluster, or omit --strata",
      clusters.names[cluster], clusters.column,
      names.size() == 2 ? "two" : std::to_string(names.size()), strata.column, names[0],
      names.size() == 2 ? fmt::format("'{}'", names[1])
                        : fmt::format("{} more", names.size() - 1)));
}

}  // namespace

void SchemeRequest::View::check_clusters(const SchemeRequest& request, const data::Table& table) {
  std::vector<data::Labels> several;
  for (std::size_t i = 0; i < request.strata_.size() + request.clusters_.size(); ++i)
    several.push_back(table.labels(i));
  const auto split = several.begin() + static_cast<std::ptrdiff_t>(request.strata_.size());
  const data::Labels strata = data::combined({several.begin(), split});
  const data::Labels clusters = data::combined({split, several.end()});
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> stratum(clusters.size(), kNone);
  for (std::size_t row = 0; row < clusters.rows(); ++row) {
    std::uint32_t& known = stratum[clusters.codes[row]];
    if (known == kNone) known = strata.codes[row];
    if (known != strata.codes[row]) fail_cluster(clusters, strata, clusters.codes[row]);
  }
}

data::Labels SchemeRequest::View::labels(const data::Labels& of_table) const {
  data::Labels labels = of_table;
  if (repeated_) labels.codes = repeated_->codes(of_table.codes);
  return labels;
}

}  // namespace bootfold::cli
