#include "interval/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bootfold/error.h"
#include "numeric/normal.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::interval {

namespace {

/// Calls see with `values[i]`, i = first, first + step, ..., a piece at a time, after `change`.
template <class Change>
numeric::Scan scan_of(std::size_t size, std::size_t first, std::size_t step, Change change) {
  return [=](const std::function<void(std::span<const double>)>& see) {
    constexpr std::size_t kPiece = 4096;
    std::vector<double> piece;
    piece.reserve(kPiece);
    for (std::size_t i = first; i < size; i += step) {
      piece.push_back(change(i));
      if (piece.size() < kPiece) continue;
      see(piece);
      piece.clear();
    }
    see(piece);
  };
}

}  // namespace

Context::Context(const Result& r, const Options& o)
    : result(r),
      options(o),
      output(o.output),
      estimate(r.estimate(o.output)),
      balance(r, o.output),
      defined(r.replicates().size() / r.outputs() - r.undefined(o.output)) {
  const bool one_sided = options.alternative != Alternative::two_sided;
  const double tail = one_sided ? 1 - options.confidence : (1 - options.confidence) / 2;
  if (options.alternative != Alternative::less) low = tail;
  if (options.alternative != Alternative::greater) high = 1 - tail;
}

Ordered Context::replicates() const {
  const std::span<const double> all = result.replicates();
  if (!result.as_drawn(output))
    return {scan_of(all.size(), output, result.outputs(),
                    [all, rescale = result.plan().rescale, t = estimate,
                     centre = result.centre(output)](std::size_t i) {
                      return t + rescale * (all[i] - centre);
                    }),
            defined, options.convention};
  if (result.outputs() == 1)
    return {[all](const std::function<void(std::span<const double>)>& see) { see(all); }, defined,
            options.convention};
  return {scan_of(all.size(), output, result.outputs(), [all](std::size_t i) { return all[i]; }),
          defined, options.convention};
}

Ordered Context::pivots() const {
  const std::span<const double> all = result.replicates();
  const std::span<const double> errors = result.companions().replicate_errors;
  // A resample without spread puts its pivot at infinity, on the side where it lies; R leaves it
  // out.
  const bool finite = options.convention == Convention::r;
  const numeric::Scan scan = scan_of(
      all.size(), output, result.outputs(),
      [all, errors, finite, centre = result.centre(output)](std::size_t i) {
        const double pivot = (all[i] - centre) / errors[i];
        return finite && std::isinf(pivot) ? std::numeric_limits<double>::quiet_NaN() : pivot;
      });
  std::uint64_t count = 0;
  scan([&](std::span<const double> values) {
    for (const double value : values) count += value == value ? 1 : 0;
  });
  return {scan, count, options.convention};
}

/// A quantile p of value(i), with the error that balance leaves of it.
template <class Value>
Limit balanced_quantile(const Context& context, const Ordered& ordered, double p, Value&& value) {
  Limit limit = ordered.quantile(p);
  const double covariance =
      context.balance.covariance([&](std::size_t i) { return value(i) <= limit.value; });
  limit.error = Balance::reduced(limit.error, p * (1 - p), covariance);
  return limit;
}

Found percentile_limits(const Context& context) {
  const Ordered replicates = context.replicates();
  return both(context, [&](double p) {
    return balanced_quantile(context, replicates, p,
                             [&](std::size_t i) { return context.replicate(i); });
  });
}

Found basic_limits(const Context& context) {
  if (!std::isfinite(context.estimate)) return {.trouble = "the estimate is undefined"};
  const Ordered replicates = context.replicates();
  return both(context, [&](double p) {
    const Limit mirrored = balanced_quantile(context, replicates, 1 - p,
                                             [&](std::size_t i) { return context.replicate(i); });
    return Limit{2 * context.estimate - mirrored.value, mirrored.error, mirrored.extreme};
  });
}

Found normal_limits(const Context& context) {
  const double deviation = context.result.standard_error(context.output);
  if (!std::isfinite(context.estimate)) return {.trouble = "the estimate is undefined"};
  const bool random = !context.result.companions().jackknife;
  if (!std::isfinite(deviation))
    return {.trouble = random ? "the standard error is undefined"
                              : context.result.companions().influences[context.output].problem};
  const double centre = context.estimate - context.result.bias(context.output);
  const double skewness = context.result.skewness(context.output);
  const double kurtosis = context.result.kurtosis(context.output);
  const double shift = context.result.plan().rescale;  // of the bias, beside that of deviations
  const double mean = context.estimate + context.result.bias(context.output) / shift;
  return both(context, [&](double p) {
    // Mean and deviation of R replicates have variances s^2 / R and (kurtosis - 1) s^2 / (4 R) and
    // covariance skewness s^2 / (2 R).
    const double z = normal::quantile(p);
    const double fixed = context.balance.covariance([&](std::size_t i) {
      const double d = (context.replicate(i) - mean) / deviation;
      return z * d * d / 2 - shift * d;
    });
    const double spread =
        shift * shift + z * z * (kurtosis - 1) / 4 - shift * z * skewness - fixed * fixed;
    return Limit{
        centre + z * deviation,
        random ? deviation * std::sqrt(std::max(0.0, spread) / static_cast<double>(context.defined))
               : 0.0,
        false};
  });
}

Found bca_limits(const Context& context) {
  const Influence& influence = context.result.companions().influences[context.output];
  if (!std::isfinite(context.estimate)) return {.trouble = "the estimate is undefined"};
  if (!influence.usable()) return {.trouble = influence.problem};
  const Ordered replicates = context.replicates();
  const Ordered::Share share =
      replicates.share_below(context.estimate, context.result.resolution(context.output));
  const double tie = context.options.convention == Convention::numpy ? 0.5 : 0;
  const double ties = tie * share.equal;
  const double below = share.below + ties;
  if (below <= 0 || below >= 1)
    return {.trouble = "all replicates lie on one side of the estimate, so z0 is infinite"};
  const double z0 = normal::quantile(below);
  const double a = influence.acceleration();
  const auto count = static_cast<double>(replicates.count());
  std::string trouble;
  Found found = both(context, [&](double p) {
    const double shifted = z0 + normal::quantile(p);
    const double stretch = 1 - a * shifted;
    if (!(stretch > 0)) {
      trouble = text::concat("the acceleration ", a, " is too large for this confidence");
      return Limit{};
    }
    const double z = z0 + shifted / stretch;
    const double corrected = normal::probability(z);
    // z0 is as uncertain as the share below the estimate, and the two ranks move together.
    const double slope = normal::density(z) * (1 + 1 / (stretch * stretch)) / normal::density(z0);
    const double share_variance = share.below + ties / 2 - below * below;
    const double together = std::min(below, corrected) - below * corrected;
    const double variance =
        corrected * (1 - corrected) + slope * slope * share_variance - 2 * slope * together;
    Limit limit = replicates.quantile(corrected, std::sqrt(std::max(0.0, variance) / count));
    const double width = context.result.resolution(context.output);
    const double covariance = context.balance.covariance([&](std::size_t i) {
      const double value = context.replicate(i);
      const double under = value < context.estimate - width    ? 1
                           : value <= context.estimate + width ? tie
                                                               : 0;
      return (value <= limit.value ? 1 : 0) - slope * under;
    });
    limit.error = Balance::reduced(limit.error, variance, covariance);
    return limit;
  });
  found.trouble = trouble;
  return found;
}

Found studentized_limits(const Context& context) {
  const double error = context.result.companions().estimate_errors[context.output];
  if (!std::isfinite(context.estimate)) return {.trouble = "the estimate is undefined"};
  if (!std::isfinite(error)) return {.trouble = "the standard error of the estimate is undefined"};
  if (!(error > 0)) return {.trouble = "the standard error of the estimate is 0"};
  const Ordered pivots = context.pivots();
  if (pivots.count() == 0) return {.trouble = "the standard error is undefined on every resample"};
  // By a nested bootstrap the estimate's own error is that of the replicates.
  const bool nested = error == context.result.standard_error(context.output);
  const double error_error = nested ? context.result.standard_error_error(context.output) : 0.0;
  Found found = both(context, [&](double p) {
    const Limit pivot =
        balanced_quantile(context, pivots, 1 - p, [&](std::size_t i) { return context.pivot(i); });
    return Limit{context.estimate - error * pivot.value,
                 std::hypot(error * pivot.error, pivot.value * error_error), pivot.extreme};
  });
  const bool low_infinite = context.low && !std::isfinite(found.low.value);
  const bool high_infinite = context.high && !std::isfinite(found.high.value);
  if (low_infinite || high_infinite)
    found.trouble = "too many resamples have a standard error of 0";
  if (pivots.count() < context.defined)
    found.note = text::concat(context.options.convention == Convention::r
                                  ? "the standard error is 0 or undefined on "
                                  : "the standard error is undefined on ",
                              text::grouped(context.defined - pivots.count()), " of ",
                              text::grouped(context.defined), " resamples, which are left out");
  return found;
}

}  // namespace bootfold::interval
