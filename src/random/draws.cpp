// Draws from named distributions, by Boost.Random on a Philox stream.
#include <algorithm>
#include <boost/random/beta_distribution.hpp>
#include <boost/random/binomial_distribution.hpp>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

#include "bootfold/error.h"
#include "bootfold/random.h"

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

std::uint64_t binomial(Stream& stream, std::uint64_t trials, double probability) {
  const double p = std::clamp(probability, 0.0, 1.0);
  if (trials == 0 || p == 0) return 0;
  if (p == 1) return trials;
  const auto count = static_cast<std::int64_t>(trials);
  return static_cast<std::uint64_t>(
      boost::random::binomial_distribution<std::int64_t, double>(count, p)(stream));
}

double beta(Stream& stream, double a, double b) {
  if (!(a > 0) || !(b > 0))
    throw InvalidArgument(
        concat("beta(", a, ", ", b, ") is not a distribution: both must be above 0"));
  return boost::random::beta_distribution<double>(a, b)(stream);
}

}  // namespace bootfold::random
