#include "planning/ways.h"

#include "bootfold/error.h"
#include "resample/groups.h"
#include "resample/rows.h"
#include "resample/scheme.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

using text::grouped;

/// Strata smaller than this on average are drawn row by row.
constexpr double kStreamedStratum = 256;

}  // namespace

Ways ways_of(const Scheme& scheme, std::uint64_t rows) {
  Ways ways;
  ways.plain = std::holds_alternative<scheme::Iid>(scheme);
  ways.stream = (ways.plain && resample::draws_of(scheme, rows) <= rows) ||
                std::holds_alternative<scheme::Poisson>(scheme);
  if (const auto* s = std::get_if<scheme::Stratified>(&scheme))
    ways.stream = static_cast<double>(rows) >=
                  kStreamedStratum * static_cast<double>(resample::Groups(s->strata).count());
  ways.blocks = resample::block_length_of(scheme).has_value();
  ways.weights = std::holds_alternative<scheme::Bayesian>(scheme);
  const auto* jackknife = std::get_if<scheme::Jackknife>(&scheme);
  ways.deletion = jackknife != nullptr && jackknife->clusters.empty();
  return ways;
}

bool one_column_of_quantiles(const Problem& problem) {
  if (!problem.all<statistic::Order>()) return false;
  for (const Part& part : problem.parts)
    if (part.columns != problem.parts[0].columns) return false;
  return true;
}

bool sums_or_quantiles(const Problem& problem) {
  for (const Part& part : problem.parts)
    if (!std::holds_alternative<statistic::Sums>(part.bound.body) &&
        !std::holds_alternative<statistic::Order>(part.bound.body))
      return false;
  return true;
}

void throw_cannot_serve(Path path, const std::string& why) {
  throw InvalidArgument(text::concat("path '", name(path), "' cannot serve: ", why,
                                     "; leave the path out and the plan chooses one"));
}

void check_path(const Problem& problem, const Scheme& scheme, Path path) {
  const bool sums = problem.all<statistic::Sums>();
  const Ways ways = ways_of(scheme, problem.data.rows());
  const auto check_scheme = [&](bool serves) {
    if (!serves)
      throw_cannot_serve(path, text::concat("it has no way for scheme '", name(scheme), "'"));
  };
  switch (path) {
    case Path::stream:
      if (problem.all<statistic::Fold>())
        check_scheme(ways.plain &&
                     resample::draws_of(scheme, problem.data.rows()) == problem.data.rows());
      if (!sums && !problem.all<statistic::Fold>())
        throw_cannot_serve(path,
                           "it takes functions of sums or accumulators only, not both and "
                           "not quantiles or functions of the resample");
      check_scheme(ways.stream);
      break;
    case Path::distinct:
      if (!sums) throw_cannot_serve(path, "it takes functions of sums only");
      check_scheme(ways.plain);
      break;
    case Path::blocks:
      if (!sums) throw_cannot_serve(path, "it takes functions of sums only");
      check_scheme(ways.blocks);
      break;
    case Path::weights:
      if (!sums) throw_cannot_serve(path, "it takes functions of sums only");
      check_scheme(ways.weights);
      break;
    case Path::deletion:
      check_scheme(ways.deletion);
      if (!sums_or_quantiles(problem))
        throw_cannot_serve(path, "it takes functions of sums and quantiles only");
      break;
    case Path::order:
      check_scheme(ways.plain);
      if (!one_column_of_quantiles(problem))
        throw_cannot_serve(path, "it takes quantiles of one column only");
      break;
    case Path::gather:
      check_scheme(!ways.weights);
      if (problem.data.rows() > resample::kMostGatherRows)
        throw_cannot_serve(
            path, text::concat("it draws from at most ", grouped(resample::kMostGatherRows),
                               " rows and there are ", grouped(problem.data.rows())));
      break;
  }
}

void check_run(const Options& options, std::uint64_t rows) {
  if (rows > resample::kMostGatherRows && !std::holds_alternative<scheme::Iid>(options.scheme) &&
      !std::holds_alternative<scheme::Poisson>(options.scheme) &&
      !std::holds_alternative<scheme::Bayesian>(options.scheme))
    throw InvalidArgument(text::concat("scheme '", name(options.scheme), "' takes at most ",
                                       grouped(resample::kMostGatherRows), " rows and there are ",
                                       grouped(rows)));
  if (std::holds_alternative<scheme::Jackknife>(options.scheme) && options.first_replicate != 0)
    throw InvalidArgument(text::concat("first_replicate is ", grouped(options.first_replicate),
                                       " but a jackknife is one whole: it starts at 0"));
  if (!std::holds_alternative<scheme::Balanced>(options.scheme)) return;
  if (options.first_replicate != 0)
    throw InvalidArgument(
        text::concat("first_replicate is ", grouped(options.first_replicate),
                     " but scheme 'balanced' balances a run as a whole: it starts at 0"));
  if (static_cast<double>(rows) * static_cast<double>(options.replicates) > 0x1p62)
    throw InvalidArgument(
        text::concat("replicates is ", grouped(options.replicates), " but with ", grouped(rows),
                     " rows scheme 'balanced' would draw more than 2^62 of them"));
}

}  // namespace bootfold::planning
