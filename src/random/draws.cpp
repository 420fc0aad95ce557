// Draws from named distributions, by Boost.Random on a Philox stream.
#include <algorithm>
#include <boost/random/beta_distribution.hpp>
#include <boost/random/binomial_distribution.hpp>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/random.h"
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

double normal(Stream& stream) { return boost::random::normal_distribution<double>()(stream); }

double exponential(Stream& stream) {
  return boost::random::exponential_distribution<double>()(stream);
}

namespace {

/// Successes are what waiting times have room for: k of n exponentials, each over the number of
/// trials left, within -log(1 - p) (Devroye 1986, X.4). For probabilities that vanish beside 1.
std::uint64_t binomial_by_waiting(Stream& stream, std::uint64_t trials, double p) {
  const double room = -std::log1p(-p);
  double waited = 0;
  for (std::uint64_t count = 0; count < trials; ++count) {
    waited += exponential(stream) / static_cast<double>(trials - count);
    if (waited > room) return count;
  }
  return trials;
}

/// Logarithm of a gamma variable, which for small shapes is itself too small for a double.
double log_gamma(Stream& stream, double shape) {
  if (shape >= 1) return std::log(boost::random::gamma_distribution<double>(shape)(stream));
  return std::log(boost::random::gamma_distribution<double>(shape + 1)(stream)) +
         std::log(uniform(stream)) / shape;
}

}  // namespace

std::uint64_t binomial(Stream& stream, std::uint64_t trials, double probability) {
  if (std::isnan(probability))
    throw InvalidArgument("the probability of a binomial is NaN but must be a number from 0 to 1");
  const double p = std::clamp(probability, 0.0, 1.0);
  if (trials == 0 || p == 0) return 0;
  if (p == 1) return trials;
  // Boost computes with 1 - p, which has few digits of a tiny p.
  if (p < 0x1p-30 && p * static_cast<double>(trials) < 1000)
    return binomial_by_waiting(stream, trials, p);
  const auto count = static_cast<std::int64_t>(trials);
  return static_cast<std::uint64_t>(
      boost::random::binomial_distribution<std::int64_t, double>(count, p)(stream));
}

double beta(Stream& stream, double a, double b) {
  if (!(a > 0) || !(b > 0))
    throw InvalidArgument(
        text::concat("beta(", a, ", ", b, ") is not a distribution: both must be above 0"));
  if (std::min(a, b) >= 1) return boost::random::beta_distribution<double>(a, b)(stream);
  const double x = log_gamma(stream, a);
  const double y = log_gamma(stream, b);
  return 1 / (1 + std::exp(y - x));
}

}  // namespace bootfold::random
