#include "comparison/contrast.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bootstrap/balance.h"
#include "comparison/group_sums.h"
#include "numeric/normal.h"

namespace bootfold::comparison {
namespace {

using interval::Alternative;
using interval::Method;

/// Derivatives of the difference by group and control.
struct Slopes {
  double group;
  double control;
};

Slopes slopes_of(double group, double control, Difference kind) {
  if (kind == Difference::absolute) return {1, -1};
  return {1 / std::abs(control), -std::copysign(group / control / control, group * control)};
}

/// Standard error of the difference of independent samples, by the delta method.
double error_of(const Slopes& slopes, double group, double control) {
  return std::hypot(slopes.group * group, slopes.control * control);
}

double defined(const Result& differences) {
  return static_cast<double>(differences.replicates().size() - differences.undefined());
}

/// The p-value of a share of `all` - 1 values that was found to lie beyond. `fixed`: covariance
/// with what a balanced run fixes.
PValue of_share(double beyond, double all, double sides, double fixed) {
  const double side = std::min(1.0, (beyond + 1) / all);
  const double variance = std::max(0.0, side * (1 - side) - fixed * fixed);
  return {std::min(1.0, sides * side), sides * std::sqrt(variance / all)};
}

/// One-sided, the share of `count` values at(0), at(1), ... that are <= point (if `low`) or >= it;
/// two-sided, twice the smaller. Values within `width` of the point are equal to it but for
/// rounding.
template <class At>
PValue tails(const Result& differences, double point, double width, bool two_sided, bool low,
             const At& at) {
  const std::size_t count = differences.replicates().size();
  double below = 0;
  double above = 0;
  double numbers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = at(i);  // NaN is on neither side
    below += static_cast<double>(value <= point + width);
    above += static_cast<double>(value >= point - width);
    numbers += static_cast<double>(value == value);
  }
  if (two_sided) low = below < above;
  const double fixed = Balance(differences, 0).covariance([&](std::size_t i) {
    return low ? at(i) <= point + width : at(i) >= point - width;
  });
  return of_share(low ? below : above, numbers + 1, two_sided ? 2 : 1, fixed);
}

PValue tails(const Result& differences, double point, bool two_sided, bool low) {
  const std::span<const double> values = differences.replicates();
  return tails(differences, point, differences.resolution(), two_sided, low,
               [values](std::size_t i) { return values[i]; });
}

/// Of a normal quantile v with Monte Carlo error `doubt`, at which a lower limit reaches 0.
PValue normal_tail(double v, double doubt, Alternative alternative) {
  const double density = normal::density(v) * doubt;
  if (alternative == Alternative::greater) return {normal::probability(v), density};
  if (alternative == Alternative::less) return {normal::probability(-v), density};
  return {2 * normal::probability(-std::abs(v)), 2 * density};
}

PValue normal_tails(const Result& differences, Alternative alternative) {
  const double error = differences.standard_error();
  const double centre = differences.estimate() - differences.bias();
  if (error == 0) {
    const bool seen = alternative == Alternative::two_sided ? centre != 0
                      : alternative == Alternative::less    ? centre < 0
                                                            : centre > 0;
    return {seen ? 0.0 : 1.0, 0};
  }
  const double z = centre / error;
  // As for a normal limit: mean and standard error vary, and together.
  const double mean = differences.estimate() + differences.bias();
  const double fixed = Balance(differences, 0).covariance([&](std::size_t i) {
    const double d = (differences.replicate(i) - mean) / error;
    return d + z * d * d / 2;
  });
  const double spread = 1 + z * z * (differences.kurtosis() - 1) / 4 + z * differences.skewness();
  const double doubt = std::sqrt(std::max(0.0, spread - fixed * fixed) / defined(differences));
  return normal_tail(-z, doubt, alternative);
}

/// BCa reads its limit for a normal quantile v at the share Phi(z0 + (z0 + v) / (1 - a (z0 + v)))
/// of the replicates. Where the share below 0 is Phi(w), solving for v gives y / (1 + a y) - z0
/// with y = w - z0.
PValue bca_tails(const Result& differences, Alternative alternative) {
  double below = 0;
  double above = 0;
  double under = 0;  // the estimate; ties count half
  const double width = differences.resolution();
  const double estimate = differences.estimate();
  for (const double value : differences.replicates()) {
    below += static_cast<double>(value <= width);
    above += static_cast<double>(value >= -width);
    under += value < estimate - width ? 1 : value <= estimate + width ? 0.5 : 0;
  }
  const double count = defined(differences);
  const bool low =
      alternative == Alternative::two_sided ? below <= above : alternative == Alternative::greater;
  const double beyond = std::min(1 - 0.5 / (count + 1), ((low ? below : above) + 1) / (count + 1));
  const double share = low ? beyond : 1 - beyond;
  const double w = normal::quantile(share);
  const double z0 = normal::quantile(under / count);
  const double a = differences.companions().influences[0].acceleration();
  const double stretch = 1 + a * (w - z0);
  if (!(stretch > 0)) {  // no confidence whatever reaches 0
    const double least = (alternative == Alternative::two_sided ? 2 : 1) / (count + 1);
    const bool refuted =
        alternative == Alternative::two_sided || (w < z0) == (alternative == Alternative::greater);
    return {refuted ? least : 1 - least, least};
  }
  double v = (w - z0) / stretch - z0;
  if (alternative == Alternative::two_sided) {
    // Replicates that tie with 0 lie on both sides of it. If the interval of no confidence at all
    // lies among them, p is 1.
    const double tied = low ? (count - above) / (count + 1) : (below + 1) / (count + 1);
    const double y =
        normal::quantile(std::clamp(tied, 0.5 / (count + 1), count / (count + 1))) - z0;
    const double other = 1 + a * y > 0 ? y / (1 + a * y) - z0 : v;
    if ((v > 0) != (other > 0)) v = 0;
  }
  // Both shares are uncertain, and together.
  const double by_share = 1 / (stretch * stretch * normal::density(w));
  const double by_under = -(1 / (stretch * stretch) + 1) / normal::density(z0);
  const double p0 = under / count;
  const double variance = by_share * by_share * share * (1 - share) +
                          by_under * by_under * p0 * (1 - p0) +
                          2 * by_share * by_under * (std::min(share, p0) - share * p0);
  const double fixed = Balance(differences, 0).covariance([&](std::size_t i) {
    const double value = differences.replicate(i);
    const double beyond_zero = low ? value <= width : value < -width;
    const double tie = value <= estimate + width ? 0.5 : 0;
    return by_share * beyond_zero + by_under * (value < estimate - width ? 1 : tie);
  });
  return normal_tail(v, std::sqrt(std::max(0.0, variance - fixed * fixed) / count), alternative);
}

PValue studentized_tails(const Result& differences, bool two_sided, bool low) {
  const std::span<const double> values = differences.replicates();
  const std::span<const double> errors = differences.companions().replicate_errors;
  const double estimate = differences.estimate();
  const double error = differences.companions().estimate_errors[0];
  return tails(differences, estimate / error, differences.resolution() / error, two_sided, low,
               [=](std::size_t i) { return (values[i] - estimate) / errors[i]; });
}

/// At most 1, and surer of it the farther the product lies beyond.
PValue times(const PValue& p, double factor) {
  const double beyond = std::max(0.0, factor * p.value - 1);
  return {std::min(1.0, factor * p.value), std::max(0.0, factor * p.error - beyond)};
}

}  // namespace

double difference_resolution(const Result& group, const Result& control, Difference kind) {
  return error_of(slopes_of(group.estimate(), control.estimate(), kind), group.resolution(),
                  control.resolution());
}

Result subtract(const Result& group, const Result& control, Difference kind) {
  std::vector<double> values(group.replicates().size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = difference_of(group.rescaled(i), control.rescaled(i), kind);
  const Slopes slopes = slopes_of(group.estimate(), control.estimate(), kind);
  const Companions& ours = group.companions();
  const Companions& theirs = control.companions();
  Companions companions;
  if (!ours.influences.empty())
    companions.influences = {combined_influence(
        {{ours.influences[0], slopes.group}, {theirs.influences[0], slopes.control}})};
  if (!ours.replicate_errors.empty()) {
    companions.error_method = ours.error_method;
    companions.estimate_errors = {
        error_of(slopes, ours.estimate_errors[0], theirs.estimate_errors[0])};
    companions.replicate_errors.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      companions.replicate_errors[i] =
          error_of(slopes_of(group.replicates()[i], control.replicates()[i], kind),
                   group.plan().rescale * ours.replicate_errors[i],
                   control.plan().rescale * theirs.replicate_errors[i]);
  }
  if (!ours.linear_parts.empty() && !theirs.linear_parts.empty()) {
    companions.linear_parts.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      companions.linear_parts[i] =
          slopes.group * ours.linear_parts[i] + slopes.control * theirs.linear_parts[i];
  }
  Plan plan = group.plan();
  plan.rescale = 1;
  // What rounding leaves open of the two, in standard errors of the difference.
  const double error = error_of(slopes, group.standard_error(), control.standard_error());
  const double open = difference_resolution(group, control, kind);
  plan.sum_error = error > 0 ? open / error : 0;
  // The smaller sample decides how much an interval means.
  const auto varying = [](const Plan& each) { return each.units - each.fixed_units; };
  if (varying(control.plan()) < varying(plan)) {
    plan.units = control.plan().units;
    plan.fixed_units = control.plan().fixed_units;
    plan.rows = control.plan().rows;
  }
  return Result(std::move(plan), group.seed(),
                {difference_of(group.estimate(), control.estimate(), kind)}, std::move(values),
                std::move(companions));
}

PValue p_value(const Result& differences, Method method, Alternative alternative) {
  const bool two_sided = alternative == Alternative::two_sided;
  // Greater is refuted by replicates at or below 0; basic and studentized intervals mirror them.
  const bool low = alternative == Alternative::greater;
  switch (method) {
    case Method::basic:
      return tails(differences, 2 * differences.estimate(), two_sided, !low);
    case Method::normal:
      return normal_tails(differences, alternative);
    case Method::bca:
      return bca_tails(differences, alternative);
    case Method::studentized:
      return studentized_tails(differences, two_sided, !low);
    case Method::percentile:
    case Method::abc:
      break;
  }
  return tails(differences, 0, two_sided, low);
}

std::vector<PValue> bonferroni(std::span<const PValue> values) {
  std::vector<PValue> adjusted;
  for (const PValue& p : values) adjusted.push_back(times(p, static_cast<double>(values.size())));
  return adjusted;
}

std::vector<PValue> holm(std::span<const PValue> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a].value < values[b].value; });
  std::vector<PValue> adjusted(values.size());
  PValue largest{0, 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const PValue p = times(values[order[i]], static_cast<double>(order.size() - i));
    if (p.value > largest.value) largest = p;
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace bootfold::comparison
