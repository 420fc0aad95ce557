#include "scheme.h"

#include <array>
#include <cmath>
#include <string_view>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::python {

namespace {

using std::string;

constexpr std::array<std::string_view, 11> kNames = {
    "iid",     "stratified", "cluster",  "moving",   "circular", "stationary",
    "poisson", "bayesian",   "balanced", "weighted", "jackknife"};

bool is_block(std::string_view name) {
  return name == "moving" || name == "circular" || name == "stationary";
}

/// The scheme that the other arguments mean where none is named.
string implied(const SchemeArguments& arguments) {
  if (arguments.strata) return "stratified";
  if (arguments.clusters) return "cluster";
  if (arguments.weights) return "weighted";
  if (arguments.block_length) return "stationary";
  return "iid";
}

void check_name(const string& name) {
  string list;
  for (const std::string_view known : kNames) {
    if (known == name) return;
    list += (list.empty() ? "" : ", ") + string(known);
  }
  throw InvalidArgument(text::concat("scheme is '", name, "' but must be one of ", list));
}

/// An argument that is there must belong to the scheme; one that the scheme needs must be there.
void check_argument(const string& scheme, const char* argument, bool given, bool belongs,
                    bool needed = false) {
  if (given && !belongs)
    throw InvalidArgument(
        text::concat(argument, " does not go with scheme '", scheme, "'; leave one of them out"));
  if (needed && !given)
    throw InvalidArgument(
        text::concat("scheme '", scheme, "' needs ", argument, ", one entry for each row"));
}

std::uint64_t whole_length(const SchemeArguments& arguments) {
  const double length = arguments.block_length.value_or(0);
  if (length != std::floor(length))
    throw InvalidArgument(text::concat(
        "block_length is ", length, " but moving and circular blocks have a whole number of rows"));
  return static_cast<std::uint64_t>(length);
}

std::span<const std::uint32_t> span(const Codes& codes) { return {codes.data(), codes.size()}; }

}  // namespace

Scheme make_scheme(const SchemeArguments& a) {
  const string name = a.name.value_or(implied(a));
  check_name(name);
  const bool labels = name == "cluster" || name == "jackknife";
  check_argument(name, "strata", a.strata.has_value(), name == "stratified", name == "stratified");
  check_argument(name, "clusters", a.clusters.has_value(), labels, name == "cluster");
  check_argument(name, "weights", a.weights.has_value(), name == "weighted", name == "weighted");
  check_argument(name, "block_length", a.block_length.has_value(), is_block(name));
  check_argument(name, "two_stage", a.two_stage, name == "cluster");
  check_argument(name, "size", a.size != 0, name == "iid" || name == "weighted");
  if (a.block_length && !(*a.block_length >= 1 && std::isfinite(*a.block_length)))
    throw InvalidArgument(text::concat("block_length is ", *a.block_length,
                                       " but must be at least 1; leave it out to have it chosen"));
  if (name == "stratified") return scheme::Stratified{span(*a.strata)};
  if (name == "cluster") return scheme::Cluster{span(*a.clusters), a.two_stage};
  if (name == "moving") return scheme::MovingBlocks{whole_length(a)};
  if (name == "circular") return scheme::CircularBlocks{whole_length(a)};
  if (name == "stationary") return scheme::StationaryBlocks{a.block_length.value_or(0)};
  if (name == "poisson") return scheme::Poisson{};
  if (name == "bayesian") return scheme::Bayesian{};
  if (name == "balanced") return scheme::Balanced{};
  if (name == "weighted") return scheme::Weighted{{a.weights->data(), a.weights->size()}, a.size};
  if (name == "jackknife")
    return a.clusters ? scheme::Jackknife{span(*a.clusters)} : scheme::Jackknife{};
  return scheme::Iid{a.size};
}

}  // namespace bootfold::python
