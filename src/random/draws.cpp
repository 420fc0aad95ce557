// Draws from named distributions on a Philox stream, by operations that are the same everywhere:
// IEEE additions, multiplications, divisions and square roots in a fixed order, and the logarithms
// of numeric/elementary.h. docs/random-streams.md is the definition.
#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "numeric/elementary.h"
#include "text/concat.h"

namespace bootfold::random {

std::uint64_t uniform_index(Stream& stream, std::uint64_t bound) {
  if (bound == 0)
    throw InvalidArgument("bound is 0 but must be at least 1: there is no row to draw");
  // The high half of bits * bound is uniform once the few low halves that would come up once too
  // often are drawn again: 2^64 mod bound of them.
  const std::uint64_t reject = (0 - bound) % bound;
  for (;;) {
    const auto product = static_cast<unsigned __int128>(stream()) * bound;
    if (static_cast<std::uint64_t>(product) >= reject)
      return static_cast<std::uint64_t>(product >> 64);
  }
}

double uniform(Stream& stream) { return static_cast<double>(stream() >> 12) * 0x1p-52 + 0x1p-53; }

double exponential(Stream& stream) { return -numeric::log(uniform(stream)); }

namespace {

/// Successes are what waiting times have room for: k of n exponentials, each over the number of
/// trials left, within -log(1 - p) (Devroye 1986, X.4). For few expected successes.
std::uint64_t binomial_by_waiting(Stream& stream, std::uint64_t trials, double p) {
  const double room = p - numeric::log1p_minus(-p);
  double waited = 0;
  for (std::uint64_t count = 0; count < trials; ++count) {
    waited += exponential(stream) / static_cast<double>(trials - count);
    if (waited > room) return count;
  }
  return trials;
}

/// log(probability of k) of a binomial, up to a constant, with all digits for any number of trials:
/// in terms of deviances (Loader 2000).
class BinomialLaw {
 public:
  BinomialLaw(double trials, double p)
      : trials_(trials), mean_(trials * p), failures_(trials * (1 - p)) {}

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] double log_probability(double k) const noexcept {
    if (k == 0 || k == trials_) return at_the_ends(k);
    const double misses = trials_ - k;
    return -numeric::stirling_error(k) - numeric::stirling_error(misses) -
           numeric::deviance(k, mean_, k - mean_) -
           numeric::deviance(misses, failures_, mean_ - k) -
           0.5 * numeric::log(k * (misses / trials_));
  }

 private:
  [[nodiscard]] double at_the_ends(double k) const noexcept {
    // 0 or n successes: n log(1 - p) or n log(p), less what the others leave out.
    constexpr double kLogTwoPi = 0x1.d67f1c864beb5p0;
    return -numeric::stirling_error(trials_) -
           (k == 0 ? numeric::deviance(trials_, failures_, mean_)
                   : numeric::deviance(trials_, mean_, failures_)) -
           (k == 0 ? mean_ : failures_) + 0.5 * kLogTwoPi;
  }

  double trials_;
  double mean_;
  double failures_;
};

/// Transformed rejection with squeeze (Hormann 1993, BTRS), for p <= 1/2 and a mean of at least 10.
std::uint64_t binomial_by_rejection(Stream& stream, std::uint64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  const BinomialLaw law(n, p);
  const double deviation = std::sqrt(law.mean() * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double centre = law.mean() + 0.5;
  const double inside = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  double log_mode = 1;  // not known yet: logarithms of probabilities are negative
  for (;;) {
    const double u = uniform(stream) - 0.5;
    const double v = uniform(stream);
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + centre);
    if (edge >= 0.07 && v <= inside) return static_cast<std::uint64_t>(k);
    if (k < 0 || k > n) continue;
    if (log_mode > 0) log_mode = law.log_probability(std::floor((n + 1) * p));
    const double height = v * alpha / (a / (edge * edge) + b);
    if (numeric::log(height) <= law.log_probability(k) - log_mode)
      return static_cast<std::uint64_t>(k);
  }
}

/// Gamma of mean `shape` >= 1 (Marsaglia and Tsang 2000).
double gamma(Stream& stream, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / (3 * std::sqrt(d));
  for (;;) {
    const double x = normal(stream);
    const double t = c * x;
    if (t <= -1) continue;
    const double u = uniform(stream);
    const double square = x * x;
    const double cube = (1 + t) * (1 + t) * (1 + t);
    if (u < 1 - 0.0331 * square * square) return d * cube;
    // log(u) < x^2 / 2 + d (1 - v + log v) with v = (1 + t)^3, without cancellation.
    const double bound = 0.5 * square + d * (3 * numeric::log1p_minus(t) - 3 * t * t - t * t * t);
    if (numeric::log(u) < bound) return d * cube;
  }
}

/// Logarithm of a gamma variable, which for small shapes is itself too small for a double.
double log_gamma(Stream& stream, double shape) {
  if (shape >= 1) return numeric::log(gamma(stream, shape));
  const double larger = numeric::log(gamma(stream, shape + 1));
  return larger + numeric::log(uniform(stream)) / shape;
}

}  // namespace

std::uint64_t binomial(Stream& stream, std::uint64_t trials, double probability) {
  if (std::isnan(probability))
    throw InvalidArgument("the probability of a binomial is NaN but must be a number from 0 to 1");
  const double p = std::clamp(probability, 0.0, 1.0);
  if (trials == 0 || p == 0) return 0;
  if (p == 1) return trials;
  if (p > 0.5) return trials - binomial(stream, trials, 1 - p);
  if (p * static_cast<double>(trials) < 10) return binomial_by_waiting(stream, trials, p);
  return binomial_by_rejection(stream, trials, p);
}

double beta(Stream& stream, double a, double b) {
  if (!(a > 0) || !(b > 0))
    throw InvalidArgument(
        text::concat("beta(", a, ", ", b, ") is not a distribution: both must be above 0"));
  if (std::min(a, b) >= 1) {
    const double x = gamma(stream, a);
    const double y = gamma(stream, b);
    return x / (x + y);
  }
  const double x = log_gamma(stream, a);
  const double y = log_gamma(stream, b);
  return 1 / (1 + numeric::exp(std::clamp(y - x, -700.0, 700.0)));
}

}  // namespace bootfold::random
