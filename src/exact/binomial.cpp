// Two distinct values: how often the larger is drawn is binomial.
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "exact/discrete.h"
#include "exact/methods.h"

namespace bootfold::exact {

Found binomial_law(std::uint64_t n, std::uint64_t ones,
                   const std::function<double(std::uint64_t)>& value) {
  const auto rows = static_cast<long double>(n);
  const boost::math::binomial_distribution<long double> law(rows,
                                                            static_cast<long double>(ones) / rows);
  // Beyond ten standard deviations and 60 more on either side lies less than 1e-19 (Bernstein).
  const auto centre = static_cast<double>(ones);
  const double reach = 10 * std::sqrt(centre * (1 - centre / static_cast<double>(n))) + 60;
  const auto first = static_cast<std::uint64_t>(std::max(0.0, std::floor(centre - reach)));
  const auto last =
      static_cast<std::uint64_t>(std::min(static_cast<double>(n), std::ceil(centre + reach)));
  std::vector<Atom> atoms;
  for (std::uint64_t count = first; count <= last; ++count)
    atoms.push_back({value(count), static_cast<double>(pdf(law, static_cast<long double>(count)))});
  // Boost computes in 64 bits; against 50 digits (tests/exact) it stays well below this.
  const double bound = 1e-13 + 1e-16 * std::sqrt(static_cast<double>(n));
  return {Discrete::make(std::move(atoms), bound), bound, 0};
}

}  // namespace bootfold::exact
