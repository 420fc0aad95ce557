#include "jackknife/cumulants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numeric/compensated.h"
#include "resample/groups.h"
#include "resample/scheme.h"

namespace bootfold::jackknife {

namespace {

using numeric::Compensated;
using resample::Groups;

/// The two sums that all of this is about.
struct Cumulants {
  Compensated second;
  Compensated third;

  void add(double value, double weight = 1) {
    second.add(weight * value * value);
    third.add(weight * value * value * value);
  }
};

void subtract(std::span<double> values, double mean) {
  for (double& value : values) value -= mean;
}

/// Each row by its weight: draws * sum p U^2, for n times the mean of the draws.
Cumulants of_draws(std::span<const double> u, std::span<const double> weights, double draws) {
  const auto n = static_cast<double>(u.size());
  Compensated total;
  Compensated mean;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    total.add(weight);
    mean.add(weight * u[i]);
  }
  const double centre = mean.value() / total.value();
  Cumulants sums;
  for (std::size_t i = 0; i < u.size(); ++i)
    sums.add((u[i] - centre) * (n / draws),
             draws * ((weights.empty() ? 1 : weights[i]) / total.value()));
  return sums;
}

/// As many draws from each stratum as it has rows.
Cumulants of_strata(std::span<const double> u, const Groups& strata) {
  Cumulants sums;
  for (std::size_t s = 0; s < strata.count(); ++s) {
    Compensated sum;
    for (const std::uint32_t row : strata.rows(s)) sum.add(u[row]);
    const double mean = sum.value() / static_cast<double>(strata.rows(s).size());
    if (strata.rows(s).size() > 1)
      for (const std::uint32_t row : strata.rows(s)) sums.add(u[row] - mean);
  }
  return sums;
}

/// Clusters, and rows within them. Of a drawn cluster with sum S the drawn rows have the sum S + E,
/// E with the second and third moment v and k: (S + E)^3 has the mean S^3 + 3 S v + k.
Cumulants of_two_stages(std::span<const double> u, const Groups& clusters) {
  Cumulants sums;
  for (std::size_t c = 0; c < clusters.count(); ++c) {
    Compensated sum;
    for (const std::uint32_t row : clusters.rows(c)) sum.add(u[row]);
    const double mean = sum.value() / static_cast<double>(clusters.rows(c).size());
    Cumulants within;
    for (const std::uint32_t row : clusters.rows(c)) within.add(u[row] - mean);
    sums.add(sum.value());
    sums.second.add(within.second.value());
    sums.third.add(3 * sum.value() * within.second.value() + within.third.value());
  }
  return sums;
}

/// `blocks` draws of `length` neighbours that start at one of the first `starts` rows; running[i]
/// is the sum before row i. Behind the last row comes the first.
void add_blocks(std::span<const double> running, std::uint64_t starts, std::uint64_t length,
                double blocks, Cumulants& sums) {
  if (length == 0) return;
  const std::uint64_t rows = running.size() - 1;
  const auto sum_at = [&](std::uint64_t start) {
    const std::uint64_t end = start + length;
    return end <= rows ? running[end] - running[start]
                       : running[rows] - running[start] + running[end - rows];
  };
  Compensated all;
  for (std::uint64_t start = 0; start < starts; ++start) all.add(sum_at(start));
  const double mean = all.value() / static_cast<double>(starts);
  for (std::uint64_t start = 0; start < starts; ++start)
    sums.add(sum_at(start) - mean, blocks / static_cast<double>(starts));
}

/// Whole blocks, and the last one, which is cut.
Cumulants of_blocks(std::span<const double> u, std::uint64_t starts, std::uint64_t length) {
  std::vector<double> running(u.size() + 1);
  Compensated sum;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum.add(u[i]);
    running[i + 1] = sum.value();
  }
  Cumulants sums;
  add_blocks(running, starts, length, static_cast<double>(u.size() / length), sums);
  add_blocks(running, starts, u.size() % length, 1, sums);
  return sums;
}

/// A number that depends on q, and its derivative by q.
struct Dual {
  double value = 0;
  double slope = 0;
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.value * b.slope + a.slope * b.value};
}
Dual operator*(double a, Dual b) { return {a * b.value, a * b.slope}; }

/// Stationary blocks. Places s <= t of a replicate hold rows i and i + (t - s) with probability
/// q^(t - s), q = 1 - 1 / mean length, and otherwise independent ones, whose products have mean 0.
/// So E (sum U)^2 is the sum over lags m < n of (n - m) q^m times products at that lag, and that of
/// (sum U)^3 alike with m the reach of three places. With the series F(q) of the q^m that is
/// n F - q F', for which F' is carried along. From row to row F follows by one step, minus what now
/// reaches n.
Cumulants of_stationary(std::span<const double> u, double mean_length) {
  const std::size_t n = u.size();
  const auto rows = static_cast<double>(n);
  const double stay = 1 - 1 / mean_length;
  const Dual q{stay, 1};
  const Dual round{std::pow(stay, rows), rows * std::pow(stay, rows - 1)};  // q^n
  // Behind the current row: U, U^2, and products of two different U, at their farther lag.
  Dual one;
  Dual square;
  Dual pair;
  Dual power{1, 0};
  double before = 0;
  for (std::size_t m = 0; m + 1 < n; ++m) {  // the last row's: the first row is the next
    power = power * q;
    one = one + u[m] * power;
    square = square + u[m] * u[m] * power;
    pair = pair + u[m] * before * power;
    before += u[m];
  }
  Cumulants sums;
  for (std::size_t i = n; i-- > 0;) {
    const double a = u[i];
    const Dual two = Dual{a * a, 0} + 2 * a * one;
    const Dual three = Dual{a * a * a, 0} + 3 * a * (a * one + square + 2 * pair);
    sums.second.add(two.value - stay * two.slope / rows);
    sums.third.add(three.value - stay * three.slope / rows);
    if (i == 0) break;
    const double next = u[i - 1];
    pair = q * (a * one + pair) + next * next * round;
    one = q * (Dual{a, 0} + one) + -next * round;
    square = q * (Dual{a * a, 0} + square) + -next * next * round;
  }
  return sums;
}

Cumulants cumulants(const Scheme& scheme, std::span<const double> u) {
  if (const auto* s = std::get_if<scheme::Stratified>(&scheme))
    return of_strata(u, Groups(s->strata));
  if (const auto* s = std::get_if<scheme::Cluster>(&scheme))
    return of_two_stages(u, Groups(s->clusters));
  if (const auto* s = std::get_if<scheme::MovingBlocks>(&scheme))
    return of_blocks(u, u.size() - s->length + 1, s->length);
  if (const auto* s = std::get_if<scheme::CircularBlocks>(&scheme))
    return of_blocks(u, u.size(), s->length);
  if (const auto* s = std::get_if<scheme::StationaryBlocks>(&scheme))
    return of_stationary(u, s->length);
  const auto draws = static_cast<double>(resample::draws_of(scheme, u.size()));
  if (const auto* s = std::get_if<scheme::Weighted>(&scheme)) return of_draws(u, s->weights, draws);
  return of_draws(u, {}, draws);
}

}  // namespace

Spread::Spread(const numeric::Moments& moments)
    : second(moments.second()),
      third(moments.third()),
      noise(moments.noise()),
      exponent(moments.exponent()),
      undefined(moments.undefined()) {}

Spread spread(const Scheme& scheme, std::span<double> changes) {
  Spread found;
  double largest = 0;
  for (const double value : changes) {
    if (!std::isfinite(value)) ++found.undefined;
    largest = std::max(largest, std::abs(value));
  }
  if (found.undefined > 0 || largest == 0) return found;
  found.exponent = std::ilogb(largest);
  Compensated sum;
  double size = 0;
  for (double& value : changes) {
    value = std::ldexp(value, -found.exponent);
    sum.add(value);
    size += value * value;
  }
  if (!std::holds_alternative<scheme::Weighted>(scheme))
    subtract(changes, sum.value() / static_cast<double>(changes.size()));
  const Cumulants sums = cumulants(scheme, changes);
  found.second = std::max(0.0, sums.second.value());
  found.third = sums.third.value();
  found.noise = 0x1p-48 * size;
  return found;
}

std::string manner(const Scheme& scheme) {
  if (std::holds_alternative<scheme::Stratified>(scheme)) return "within strata";
  if (std::holds_alternative<scheme::Weighted>(scheme)) return "by weight";
  if (std::holds_alternative<scheme::Cluster>(scheme)) return "in two stages";
  if (resample::block_length_of(scheme)) return "in blocks";
  return "of fewer or more draws";
}

}  // namespace bootfold::jackknife
