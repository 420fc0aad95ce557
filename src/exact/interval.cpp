// What a law answers: probabilities, quantiles, intervals.
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/exact.h"
#include "exact/law.h"
#include "text/concat.h"

namespace bootfold::exact {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double normal_cdf(double z) {
  return std::isinf(z) ? (z > 0 ? 1 : 0) : boost::math::cdf(boost::math::normal(), z);
}

double normal_quantile(double p) {
  if (p <= 0) return -kInfinity;
  if (p >= 1) return kInfinity;
  return boost::math::quantile(boost::math::normal(), p);
}

/// Probabilities below the limits; NaN where there is none.
std::pair<double, double> levels(const IntervalOptions& options) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(text::concat("confidence is ", options.confidence,
                                       " but must be above 0 and below 1; 0.95 is usual"));
  switch (options.alternative) {
    case Alternative::less:
      return {kNone, options.confidence};
    case Alternative::greater:
      return {1 - options.confidence, kNone};
    case Alternative::two_sided:
      break;
  }
  return {(1 - options.confidence) / 2, (1 + options.confidence) / 2};
}

/// limit(p) at both levels, infinite where there is none.
template <class Limit>
Interval interval_of(std::string method, const IntervalOptions& options, Limit&& limit) {
  const auto [low, high] = levels(options);
  Interval interval;
  interval.method = std::move(method);
  interval.confidence = options.confidence;
  interval.low = std::isnan(low) ? -kInfinity : limit(low);
  interval.high = std::isnan(high) ? kInfinity : limit(high);
  return interval;
}

}  // namespace

Distribution::Distribution(About about, std::shared_ptr<const Law> law)
    : about_(std::move(about)), law_(std::move(law)) {}

double Distribution::mean() const noexcept { return law_->mean(); }

double Distribution::bias() const noexcept { return law_->mean() - about_.estimate; }

double Distribution::standard_error() const noexcept { return law_->deviation(); }

double Distribution::cdf(double x) const { return law_->at_most(x); }

double Distribution::below(double x) const { return law_->below(x); }

double Distribution::probability(double x) const {
  return std::max(0.0, law_->at_most(x) - law_->below(x));
}

double Distribution::quantile(double p) const {
  if (!(p > 0 && p < 1))
    throw InvalidArgument(text::concat("p is ", p, " but must be above 0 and below 1"));
  return law_->quantile(p);
}

std::pair<double, double> Distribution::quantile_range(double p) const {
  const double middle = quantile(p);
  // Twice the bound: a quantile is found up to it, and the law is known up to it.
  const double doubt = 2 * about_.error_bound;
  return {std::min(middle, law_->quantile(std::max(0.0, p - doubt))),
          std::max(middle, law_->quantile(std::min(1.0, p + doubt)))};
}

std::span<const Atom> Distribution::atoms() const noexcept { return law_->atoms(); }

double Distribution::z0(Ties ties) const {
  const double less = below(estimate());
  return normal_quantile(ties == Ties::strict ? less : (less + cdf(estimate())) / 2);
}

Interval Distribution::percentile(const IntervalOptions& options) const {
  return interval_of("percentile", options, [this](double p) { return quantile(p); });
}

Interval Distribution::basic(const IntervalOptions& options) const {
  return interval_of("basic", options,
                     [this](double p) { return 2 * estimate() - quantile(1 - p); });
}

Interval Distribution::normal(const IntervalOptions& options) const {
  return interval_of("normal", options, [this](double p) {
    return estimate() - bias() + normal_quantile(p) * standard_error();
  });
}

Interval Distribution::bca(double acceleration, const IntervalOptions& options, Ties ties) const {
  const double shift = z0(ties);
  if (!std::isfinite(shift))
    throw InvalidArgument(
        text::concat("z0 is ", shift, ": all resamples lie on one side of the estimate ",
                     estimate(), ", so there is no BCa interval; use the percentile interval"));
  if (!std::isfinite(acceleration))
    throw InvalidArgument(
        text::concat("acceleration is ", acceleration, " but must be a finite number"));
  return interval_of("bca", options, [&](double p) {
    const double moved = shift + normal_quantile(p);
    // Beyond the pole of the transformation the limit is the end of the law.
    const double room = 1 - acceleration * moved;
    const double z = room > 0 ? shift + moved / room : std::copysign(kInfinity, acceleration);
    return law_->quantile(std::clamp(normal_cdf(z), std::numeric_limits<double>::min(),
                                     1 - std::numeric_limits<double>::epsilon() / 2));
  });
}

}  // namespace bootfold::exact
