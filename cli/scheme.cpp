#include "scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

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
           "balanced, weighted; jackknife [iid]")
      ->group(group);
  add_text(command, "--size", arguments.size, "M", "Rows a replicate draws [as many as there are]")
      ->group(group);
  add_text(command, "--rescale", arguments.rescale, "R",
           "With --size: standard errors and intervals for all n rows, by the factor (M / n)^R; "
           "sqrt is 0.5, none keeps those of M rows [sqrt]")
      ->group(group);
  add_text(command, "--strata", arguments.strata, "COLUMN",
           "Draw within each stratum as many rows as it has")
      ->group(group);
  add_text(command, "--cluster", arguments.cluster, "COLUMN",
           "Draw (or leave out) whole clusters of rows")
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
  add_text(command, "--weights", arguments.weights, "COLUMN",
           "Draw rows with probabilities in proportion to this column")
      ->group(group);
}

SchemeRequest::SchemeRequest(const SchemeArguments& arguments)
    : labels_(arguments.strata.empty() ? arguments.cluster : arguments.strata),
      weights_(arguments.weights) {
  if (!arguments.scheme.empty()) spec_.name = arguments.scheme;
  if (!arguments.strata.empty()) spec_.strata.emplace();
  if (!arguments.cluster.empty()) spec_.clusters.emplace();
  if (!arguments.weights.empty()) spec_.weights.emplace();
  if (!arguments.size.empty()) spec_.size = parse_whole("--size", arguments.size, 1);
  spec_.two_stage = arguments.two_stage;
  spec_.auto_block_length = arguments.block_length == "auto";
  if (!arguments.block_length.empty() && !spec_.auto_block_length)
    spec_.block_length = parse_between("--block-length", arguments.block_length, 0,
                                       std::numeric_limits<double>::infinity(), "20, or auto");
  without_data_ = make_scheme(spec_, option_of);
  name_ = bootfold::name(without_data_);
  facts_ = facts(without_data_);
}

void SchemeRequest::extend(data::ReadOptions& options) const {
  if (!labels_.empty()) options.labels.push_back(labels_);
  if (weights_.empty()) return;
  if (options.columns.empty())
    throw InvalidArgument(
        "--weights needs --column as well: name the column to compute the statistic of");
  options.columns.push_back(weights_);
}

std::vector<std::string> SchemeRequest::View::columns() const {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < data_.columns(); ++c) names.push_back(data_.name(c));
  return names;
}

SchemeRequest::View::View(const SchemeRequest& request, const data::Table& table)
    : data_(table.view()) {
  scheme::Spec spec = request.spec_;
  if (spec.strata) spec.strata = table.labels().codes;
  if (spec.clusters) spec.clusters = table.labels().codes;
  if (spec.weights) {
    // The last column holds the weights; the statistic sees those before it.
    const std::size_t columns = data_.columns() - 1;
    weights_.resize(data_.rows());
    data_.column(columns).read(0, weights_);
    std::vector<ColumnView> seen;
    for (std::size_t c = 0; c < columns; ++c) seen.push_back(table.view().column(c));
    data_ = DataView(std::move(seen), {table.names().begin(), table.names().end() - 1});
    spec.weights = weights_;
  }
  scheme_ = make_scheme(spec, option_of);
}

}  // namespace bootfold::cli
