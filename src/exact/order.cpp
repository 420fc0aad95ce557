// One quantile: its law over the data's order statistics.
//
// Draw rows as ceil(n V_i) from uniform V_i, the data sorted. The resample's order statistic number
// k is the data's number R_k, and P(R_k <= r) = P(V_(k) <= r / n) is an incomplete beta function.
// An interpolated quantile needs the pair (R_k, R_(k+1)): R_k <= i and R_(k+1) > j >= i says that k
// draws are at most i, the others above j, which has probability C(n, k) (i / n)^k (1 - j / n)^(n -
// k). Differences of it in i and j are the law of the pair; it falls geometrically in j - i, so
// that few pairs matter (docs/exact.md).
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "bootfold/error.h"
#include "exact/discrete.h"
#include "exact/methods.h"
#include "paths/order_data.h"

namespace bootfold::exact {

namespace {

using Real = long double;

constexpr Real kNegligible = 1e-22L;

class OrderLaw {
 public:
  OrderLaw(std::uint64_t n, const numeric::QuantilePosition& position)
      : n_(n), k_(position.low), weight_(position.weight) {
    const auto rows = static_cast<double>(n);
    const auto k = static_cast<double>(k_);
    // Less than 1e-19 lies beyond (tests/exact); what does goes to the outermost ranks.
    const double reach = 9 * std::sqrt(k * (rows - k + 1) / rows) + 50;
    first_ = static_cast<std::uint64_t>(std::max(1.0, std::floor(k - reach)));
    last_ = static_cast<std::uint64_t>(std::min(rows, std::ceil(k + reach)));
  }

  /// Calls see(i, j, probability) for the pairs of ranks; i = j for a quantile that is one.
  template <class See>
  void for_each(const Execution& execution, See&& see) const {
    Real before = 0;
    for (std::uint64_t i = first_; i <= last_; ++i) {
      if (i % 256 == 0) check(execution);
      const Real up_to = i == last_ ? Real{1} : rank_cdf(i);
      const Real here = std::max(Real{0}, up_to - before);
      before = up_to;
      if (weight_ == 0) {
        see(i, i, here);
      } else {
        pairs(i, here, see);
      }
    }
  }

 private:
  [[nodiscard]] Real rank_cdf(std::uint64_t rank) const {
    return boost::math::ibeta(static_cast<Real>(k_), static_cast<Real>(n_ - k_ + 1),
                              static_cast<Real>(rank) / static_cast<Real>(n_));
  }

  /// R_k = i, which has probability `here`, split by R_(k+1).
  template <class See>
  void pairs(std::uint64_t i, Real here, See&& see) const {
    if (i == n_) return see(i, i, here);
    const auto n = static_cast<Real>(n_);
    const auto k = static_cast<Real>(k_);
    const auto rank = static_cast<Real>(i);
    const boost::math::binomial_distribution<Real> up_to(n, rank / n);
    // P(R_k = i, R_(k+1) > i): k draws up to i, at least one of them i itself.
    const Real apart = std::min(here, -pdf(up_to, k) * std::expm1(k * std::log1p(-Real{1} / rank)));
    see(i, i, here - apart);
    Real above = 1;  // P(R_(k+1) > j) / P(R_(k+1) > i)
    for (std::uint64_t j = i + 1; above > 0; ++j) {
      const bool end = j == n_ || j == last_ + 1 || apart * above < kNegligible;
      const auto gap = static_cast<Real>(j - i);
      const Real beyond = end ? Real{0} : std::exp((n - k) * std::log1p(-gap / (n - rank)));
      see(i, j, apart * (above - beyond));
      above = beyond;
    }
  }

  std::uint64_t n_;
  std::uint64_t k_;
  double weight_;
  std::uint64_t first_;
  std::uint64_t last_;
};

}  // namespace

Found order_law(const study::Problem& problem, const Execution& execution, double& estimate) {
  const std::uint64_t n = problem.data.rows();
  const auto& order = std::get<statistic::Order>(problem.parts[0].bound.body);
  const auto position = numeric::quantile_position(order.probabilities[0], n);
  const paths::OrderData data(problem, n, 0, execution.stop);
  const auto value_of = [&](std::uint64_t i, std::uint64_t j) {
    const double ranks[2] = {data.value(0, i), position.weight > 0 ? data.value(1, j) : 0};
    double value = 0;
    data.finish({ranks, data.ranks().size()}, {&value, 1});
    return value;
  };
  estimate = value_of(position.low, position.low + 1);
  std::vector<Atom> atoms;
  double undefined = 0;
  OrderLaw(n, position).for_each(execution, [&](std::uint64_t i, std::uint64_t j, Real p) {
    const double value = value_of(i, j);
    const auto probability = static_cast<double>(p);
    if (std::isnan(value))
      undefined += probability;
    else if (probability > 0)
      atoms.push_back({value, probability});
  });
  // As for the binomial: 64 bits, well below this against 50 digits (tests/exact).
  const double bound = 1e-13 + 1e-16 * std::sqrt(static_cast<double>(n));
  if (atoms.empty()) throw InvalidArgument("the statistic is undefined (NaN) on every resample");
  return {Discrete::make(std::move(atoms), bound), bound, undefined};
}

}  // namespace bootfold::exact
