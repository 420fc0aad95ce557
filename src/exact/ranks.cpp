// Statistics of several quantiles: the joint law of the order statistics they need.
//
// With the data sorted, N_i draws are among the first i rows, and given N_(i-1) = s the number that
// row i gets is binomial(n - s, 1 / (n - i + 1)). The resample's order statistic number k is the
// data's number R_k = the first i with N_i >= k. Walking along the rows and keeping the law of N_i,
// every tuple (R_k1 <= R_k2 <= ...) is reached once, with its probability: C(n + r - 1, r) tuples
// for r ranks, where all resamples would be C(2 n - 1, n).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bootfold/error.h"
#include "exact/discrete.h"
#include "exact/methods.h"
#include "numeric/compensated.h"
#include "paths/order_data.h"

namespace bootfold::exact {

namespace {

using Weights = std::vector<double>;  // P(ranks so far, N_i = m) for m = 0 .. n

constexpr std::uint64_t kMostRankedRows = 128;  // tables grow with their cube
constexpr double kNegligibleTail = 1e-22;

/// Binomial probabilities of what row i gets of the draws that are left.
class Shares {
 public:
  explicit Shares(std::size_t n) : n_(n), table_(n * (n + 1) * (n + 1)) {
    for (std::size_t i = 1; i <= n; ++i) {
      const double p = 1 / static_cast<double>(n - i + 1);
      double* rows = table_.data() + (i - 1) * (n + 1) * (n + 1);
      rows[0] = 1;
      for (std::size_t left = 1; left <= n; ++left) {
        const double* before = rows + (left - 1) * (n + 1);
        double* here = rows + left * (n + 1);
        here[0] = before[0] * (1 - p);
        for (std::size_t got = 1; got <= left; ++got)
          here[got] = before[got] * (1 - p) + before[got - 1] * p;
      }
    }
  }

  /// P(row i gets 0, 1, ... of `left` draws).
  [[nodiscard]] const double* of(std::size_t i, std::size_t left) const {
    return table_.data() + ((i - 1) * (n_ + 1) + left) * (n_ + 1);
  }

 private:
  std::size_t n_;
  std::vector<double> table_;
};

class RanksLaw {
 public:
  RanksLaw(std::size_t n, std::vector<std::uint64_t> ranks, const Execution& execution)
      : n_(n),
        ranks_(std::move(ranks)),
        execution_(execution),
        shares_(n),
        places_(ranks_.size()) {}

  /// Calls see(places, probability) for all tuples, places[l] the data's rank of ranks[l].
  template <class See>
  void for_each(const See& see) {
    Weights start(n_ + 1);
    start[0] = 1;
    walk(0, 0, start, see);
  }

  /// Probability of tuples that were left out.
  [[nodiscard]] double lost() const { return lost_.value(); }

 private:
  /// The first `level` ranks lie in the first `row` rows.
  template <class See>
  void walk(std::size_t level, std::size_t row, const Weights& weights, const See& see) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (total < kNegligibleTail) return lost_.add(total);
    if (level == ranks_.size()) return see(places_, total);
    const auto rank = static_cast<std::ptrdiff_t>(ranks_[level]);
    Weights reached(n_ + 1);  // N >= rank: the next rank lies in the same row
    std::copy(weights.begin() + rank, weights.end(), reached.begin() + rank);
    places_[level] = row;
    if (row > 0) walk(level + 1, row, reached, see);
    Weights waiting(weights.begin(), weights.begin() + rank);
    for (std::size_t i = row + 1; i <= n_; ++i) {
      if (level < 2) check(execution_);
      std::fill(reached.begin(), reached.end(), 0.0);
      Weights later(waiting.size());
      bool some = false;
      for (std::size_t s = 0; s < waiting.size(); ++s) {
        if (waiting[s] == 0) continue;
        some = true;
        const double* share = shares_.of(i, n_ - s);
        for (std::size_t t = s; t < later.size(); ++t) later[t] += waiting[s] * share[t - s];
        for (std::size_t t = later.size(); t <= n_; ++t) reached[t] += waiting[s] * share[t - s];
      }
      if (!some) break;
      places_[level] = i;
      walk(level + 1, i, reached, see);
      waiting = std::move(later);
    }
  }

  std::size_t n_;
  std::vector<std::uint64_t> ranks_;
  const Execution& execution_;
  Shares shares_;
  std::vector<std::uint64_t> places_;
  numeric::Compensated lost_;
};

}  // namespace

bool ranks_possible(const study::Problem& problem, std::uint64_t most) {
  const std::uint64_t n = problem.data.rows();
  if (n > kMostRankedRows) return false;
  const auto& order = std::get<statistic::Order>(problem.parts[0].bound.body);
  std::vector<std::uint64_t> ranks;
  for (const double q : order.probabilities) {
    const auto position = numeric::quantile_position(q, n);
    ranks.push_back(position.low);
    if (position.weight > 0) ranks.push_back(position.low + 1);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  double tuples = 1;
  for (std::size_t l = 1; l <= ranks.size(); ++l)
    tuples *= static_cast<double>(n + l - 1) / static_cast<double>(l);
  return tuples <= static_cast<double>(most);
}

Found ranks_law(const study::Problem& problem, const Execution& execution, double& estimate) {
  const std::uint64_t n = problem.data.rows();
  const paths::OrderData data(problem, n, 0, execution.stop);
  std::vector<double> found(data.ranks().size());
  const auto value_of = [&](std::span<const std::uint64_t> places) {
    for (std::size_t l = 0; l < found.size(); ++l) found[l] = data.value(l, places[l]);
    double value = 0;
    data.finish(found, {&value, 1});
    return value;
  };
  estimate = value_of(data.ranks());
  std::vector<Atom> atoms;
  numeric::Compensated undefined;
  RanksLaw law(static_cast<std::size_t>(n), data.ranks(), execution);
  law.for_each([&](std::span<const std::uint64_t> places, double probability) {
    const double value = value_of(places);
    if (std::isnan(value))
      undefined.add(probability);
    else
      atoms.push_back({value, probability});
  });
  if (atoms.empty()) throw InvalidArgument("the statistic is undefined (NaN) on every resample");
  if (undefined.value() > 0)
    for (Atom& atom : atoms) atom.probability /= 1 - undefined.value();
  // Sums and products of positive numbers: at most 2 n roundings in a binomial probability and
  // 2 n + 2 in every one of at most n rows that a walk passes, each of relative size 2^-53.
  const auto rows = static_cast<double>(n);
  const double bound = 1e-14 + 0x1p-53 * (4 * rows + 4) * (rows + 1) + law.lost();
  return {Discrete::make(std::move(atoms), bound), bound, undefined.value()};
}

}  // namespace bootfold::exact
