#include "scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "arguments.h"
#include "bootfold/error.h"
#include "number.h"

namespace bootfold::cli {
namespace {

constexpr std::array kNames = {"iid",      "stratified", "cluster",  "moving",
                               "circular", "stationary", "poisson",  "bayesian",
                               "balanced", "weighted",   "jackknife"};

bool is_block(std::string_view name) {
  return name == "moving" || name == "circular" || name == "stationary";
}

/// The scheme that the other options mean where --scheme is left out.
std::string implied(const SchemeArguments& arguments) {
  if (!arguments.strata.empty()) return "stratified";
  if (!arguments.cluster.empty()) return "cluster";
  if (!arguments.weights.empty()) return "weighted";
  if (!arguments.block_length.empty()) return "stationary";
  return "iid";
}

/// An option that is there must belong to the scheme; one that the scheme needs must be there.
void check_option(const std::string& scheme, const char* option, bool given, bool belongs,
                  bool needed = false) {
  if (given && !belongs)
    throw InvalidArgument(
        fmt::format("{} does not go with --scheme {}; leave one of them out", option, scheme));
  if (needed && !given)
    throw InvalidArgument(fmt::format("--scheme {} needs {} COLUMN", scheme, option));
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
  add_text(command, "--strata", arguments.strata, "COLUMN",
           "Draw within each stratum as many rows as it has")
      ->group(group);
  add_text(command, "--cluster", arguments.cluster, "COLUMN",
           "Draw (or leave out) whole clusters of rows")
      ->group(group);
  command.add_flag("--two-stage", arguments.two_stage, "Draw the rows within clusters as well")
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
    : name_(arguments.scheme.empty() ? implied(arguments) : arguments.scheme),
      labels_(arguments.strata.empty() ? arguments.cluster : arguments.strata),
      weights_(arguments.weights),
      two_stage_(arguments.two_stage) {
  if (std::find(kNames.begin(), kNames.end(), name_) == kNames.end())
    throw InvalidArgument(fmt::format("--scheme is '{}' but must be one of {}", name_,
                                      fmt::join(kNames.begin(), kNames.end(), ", ")));
  check_option(name_, "--strata", !arguments.strata.empty(), name_ == "stratified",
               name_ == "stratified");
  check_option(name_, "--cluster", !arguments.cluster.empty(),
               name_ == "cluster" || name_ == "jackknife", name_ == "cluster");
  check_option(name_, "--two-stage", arguments.two_stage, name_ == "cluster");
  check_option(name_, "--weights", !arguments.weights.empty(), name_ == "weighted",
               name_ == "weighted");
  check_option(name_, "--block-length", !arguments.block_length.empty(), is_block(name_));
  check_option(name_, "--size", !arguments.size.empty(), name_ == "iid" || name_ == "weighted");
  if (!arguments.size.empty()) size_ = parse_whole("--size", arguments.size, 1);
  if (arguments.block_length.empty() || arguments.block_length == "auto") return;
  block_length_ =
      name_ == "stationary"
          ? parse_between("--block-length", arguments.block_length, 0,
                          std::numeric_limits<double>::infinity(), "20, or auto")
          : static_cast<double>(parse_whole("--block-length", arguments.block_length, 1));
}

void SchemeRequest::extend(data::ReadOptions& options) const {
  if (!labels_.empty()) options.labels.push_back(labels_);
  if (weights_.empty()) return;
  if (options.columns.empty())
    throw InvalidArgument("--weights needs --column as well: what shall be computed?");
  options.columns.push_back(weights_);
}

std::vector<std::string> SchemeRequest::View::columns() const {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < data_.columns(); ++c) names.push_back(data_.name(c));
  return names;
}

SchemeRequest::View::View(const SchemeRequest& request, const data::Table& table)
    : data_(table.view()) {
  const std::string& name = request.name_;
  const auto whole_length = static_cast<std::uint64_t>(request.block_length_);
  if (name == "iid") scheme_ = scheme::Iid{request.size_};
  if (name == "poisson") scheme_ = scheme::Poisson{};
  if (name == "bayesian") scheme_ = scheme::Bayesian{};
  if (name == "balanced") scheme_ = scheme::Balanced{};
  if (name == "moving") scheme_ = scheme::MovingBlocks{whole_length};
  if (name == "circular") scheme_ = scheme::CircularBlocks{whole_length};
  if (name == "stationary") scheme_ = scheme::StationaryBlocks{request.block_length_};
  if (name == "stratified") scheme_ = scheme::Stratified{table.labels().codes};
  if (name == "cluster") scheme_ = scheme::Cluster{table.labels().codes, request.two_stage_};
  if (name == "jackknife") {
    scheme_ = scheme::Jackknife{};
    if (!request.labels_.empty()) scheme_ = scheme::Jackknife{table.labels().codes};
  }
  if (name == "weighted") {
    // The last column holds the weights; the statistic sees those before it.
    const std::size_t columns = data_.columns() - 1;
    weights_.resize(data_.rows());
    data_.column(columns).read(0, weights_);
    std::vector<ColumnView> seen;
    for (std::size_t c = 0; c < columns; ++c) seen.push_back(table.view().column(c));
    data_ = DataView(std::move(seen), {table.names().begin(), table.names().end() - 1});
    scheme_ = scheme::Weighted{weights_, request.size_};
  }
}

}  // namespace bootfold::cli
