#include "bootfold/precision.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "numeric/normal.h"
#include "resample/design.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

/// The largest error of a limit of any output, as a share of the standard error.
double worst_error(const Result& result, const Precision& wanted) {
  double worst = 0;
  for (std::size_t output = 0; output < result.outputs(); ++output) {
    interval::Options options = wanted.interval;
    options.output = output;
    options.strict = false;  // that is for the interval in the end
    const Interval found = interval::make(wanted.method, result, options);
    const double error = result.standard_error(output);
    // Without spread, or without a defined replicate, more replicates change nothing.
    if (!(error > 0) || std::isnan(found.low_error) || std::isnan(found.high_error)) continue;
    worst = std::max({worst, found.low_error / error, found.high_error / error});
  }
  return worst;
}

void check(const Precision& wanted, const Scheme& scheme) {
  if (!(wanted.precision > 0 && wanted.precision < 1))
    throw InvalidArgument(
        text::concat("precision is ", wanted.precision,
                     " but must be above 0 and below 1: the Monte Carlo error of a "
                     "limit as a share of the standard error; 0.01 is usual"));
  const auto design = resample::design(scheme);
  const resample::Traits traits = design->traits(0);
  if (traits.deletes)
    throw InvalidArgument(
        "a jackknife has no Monte Carlo error, so replicates=auto has no meaning; omit it, or use "
        "another scheme");
  if (!traits.endless)
    throw InvalidArgument(
        text::concat("a run of scheme '", design->name(),
                     "' cannot be extended, so replicates=auto is not available; give a number, or "
                     "use another scheme"));
  if (wanted.most < 2)
    throw InvalidArgument(
        text::concat("most is ", wanted.most, " but must be at least 2 replicates"));
}

}  // namespace

std::uint64_t first_replicates(double precision, interval::Method method,
                               const interval::Options& options) {
  constexpr double kFewest = 1000;
  const bool two_sided = options.alternative == interval::Alternative::two_sided;
  const double tail = (1 - options.confidence) / (two_sided ? 2 : 1);
  const double z = normal::quantile(tail);
  // The variance of a limit of normal replicates, times their number, in squared standard errors.
  const double variance = method == interval::Method::normal
                              ? 1 + z * z / 2
                              : tail * (1 - tail) / std::pow(normal::density(z), 2);
  const double count = std::clamp(variance / (precision * precision), kFewest, 1e15);
  return static_cast<std::uint64_t>(std::ceil(count));
}

std::uint64_t first_replicates(const Precision& wanted, const Scheme& scheme) {
  check(wanted, scheme);
  return std::min(wanted.most, first_replicates(wanted.precision, wanted.method, wanted.interval));
}

Reached bootstrap_to_precision(
    const std::function<Result(std::uint64_t first, std::uint64_t count)>& make,
    const Precision& wanted, const Scheme& scheme) {
  Reached reached{make(0, first_replicates(wanted, scheme))};
  for (;;) {
    const std::uint64_t count = reached.result.plan().replicates;
    reached.rounds.push_back(count);
    reached.precision = worst_error(reached.result, wanted);
    reached.met = reached.precision <= wanted.precision;
    if (reached.met || count >= wanted.most) return reached;
    // The error falls with the square root; it is itself uncertain, so aim a little lower.
    const double ratio = reached.precision / wanted.precision;
    const double needed = static_cast<double>(count) * std::max(1.05, 1.05 * ratio * ratio);
    const auto more =
        static_cast<std::uint64_t>(std::min(needed, static_cast<double>(wanted.most))) - count;
    reached.result.append(make(count, std::max<std::uint64_t>(more, 1)));
  }
}

Reached bootstrap_to_precision(const DataView& data, std::span<const Statistic> statistics,
                               const Precision& wanted, const Options& asked) {
  using interval::Method;
  Options options = asked;
  if (wanted.method == Method::studentized) options.standard_errors = true;
  const bool influence =
      asked.influence || wanted.method == Method::bca || wanted.method == Method::abc;
  return bootstrap_to_precision(
      [&](std::uint64_t first, std::uint64_t count) {
        options.first_replicate = asked.first_replicate + first;
        options.replicates = count;
        options.influence = influence && first == 0;  // it does not depend on the replicates
        return bootstrap(data, statistics, options);
      },
      wanted, options.scheme);
}

Reached bootstrap_to_precision(const DataView& data, const Statistic& statistic,
                               const Precision& wanted, const Options& options) {
  return bootstrap_to_precision(data, std::span<const Statistic>(&statistic, 1), wanted, options);
}

}  // namespace bootfold
