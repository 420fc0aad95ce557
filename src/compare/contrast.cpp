#include "compare/contrast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "interval/normal.h"

namespace bootfold::comparison {
namespace {

using interval::Method;

/// NaN where there is none: the control is 0, or one of the two is not a number.
double difference_of(double group, double control, Difference kind) {
  const double plain = group - control;
  const double value = kind == Difference::absolute ? plain : plain / std::abs(control);
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

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

/// 2 min(share of values <= point, share >= point) of `count` values at(0), at(1), ...
template <class At>
PValue both_sides(std::size_t count, double point, const At& at) {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  std::uint64_t numbers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = at(i);  // NaN is on neither side
    below += static_cast<std::uint64_t>(value <= point);
    above += static_cast<std::uint64_t>(value >= point);
    numbers += static_cast<std::uint64_t>(value == value);
  }
  const double all = static_cast<double>(numbers) + 1;
  const double side = (static_cast<double>(std::min(below, above)) + 1) / all;
  return {std::min(1.0, 2 * side), 2 * std::sqrt(side * (1 - side) / all)};
}

PValue both_sides(const Result& differences, double point) {
  const std::span<const double> values = differences.replicates();
  return both_sides(values.size(), point, [values](std::size_t i) { return values[i]; });
}

PValue normal_tails(const Result& differences) {
  const double error = differences.standard_error();
  const double centre = differences.estimate() - differences.bias();
  if (error == 0) return {centre == 0 ? 1.0 : 0.0, 0};
  const double z = centre / error;
  const double doubt = std::hypot(z * differences.standard_error_error() / error,
                                  1 / std::sqrt(defined(differences)));
  return {2 * normal::probability(-std::abs(z)), 2 * normal::density(z) * doubt};
}

/// BCa reads its limit for a normal quantile v at the share Phi(z0 + (z0 + v) / (1 - a (z0 + v))) of
/// the replicates. Where the share below 0 is Phi(w), solving for v gives y / (1 + a y) - z0 with
/// y = w - z0.
PValue bca_tails(const Result& differences) {
  double below = 0;
  double above = 0;
  double under = 0;  // the estimate; ties count half
  for (const double value : differences.replicates()) {
    below += static_cast<double>(value <= 0);
    above += static_cast<double>(value >= 0);
    under += value < differences.estimate() ? 1 : value == differences.estimate() ? 0.5 : 0;
  }
  const double count = defined(differences);
  const double smaller = (std::min(below, above) + 1) / (count + 1);
  const double share = below <= above ? smaller : 1 - smaller;
  const double w = normal::quantile(share);
  const double z0 = normal::quantile(under / count);
  const double a = differences.companions().influences[0].acceleration();
  const double stretch = 1 + a * (w - z0);
  const double least = 2 / (count + 1);
  if (!(stretch > 0)) return {least, least};  // no confidence whatever reaches 0
  const double v = (w - z0) / stretch - z0;
  // Both shares are uncertain, and together.
  const double by_share = 1 / (stretch * stretch * normal::density(w));
  const double by_under = -(1 / (stretch * stretch) + 1) / normal::density(z0);
  const double p0 = under / count;
  const double variance = by_share * by_share * share * (1 - share) +
                          by_under * by_under * p0 * (1 - p0) +
                          2 * by_share * by_under * (std::min(share, p0) - share * p0);
  return {2 * normal::probability(-std::abs(v)),
          2 * normal::density(v) * std::sqrt(std::max(0.0, variance) / count)};
}

PValue studentized_tails(const Result& differences) {
  const std::span<const double> values = differences.replicates();
  const std::span<const double> errors = differences.companions().replicate_errors;
  const double estimate = differences.estimate();
  return both_sides(values.size(), estimate / differences.companions().estimate_errors[0],
                    [=](std::size_t i) { return (values[i] - estimate) / errors[i]; });
}

/// At most 1, and surer of it the farther the product lies beyond.
PValue times(const PValue& p, double factor) {
  const double beyond = std::max(0.0, factor * p.value - 1);
  return {std::min(1.0, factor * p.value), std::max(0.0, factor * p.error - beyond)};
}

}  // namespace

Result subtract(const Result& group, const Result& control, Difference kind) {
  std::vector<double> values(group.replicates().size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = difference_of(group.replicates()[i], control.replicates()[i], kind);
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
                   ours.replicate_errors[i], theirs.replicate_errors[i]);
  }
  return Result(group.plan(), group.seed(),
                {difference_of(group.estimate(), control.estimate(), kind)}, std::move(values),
                std::move(companions));
}

PValue p_value(const Result& differences, Method method) {
  switch (method) {
    case Method::basic:
      return both_sides(differences, 2 * differences.estimate());
    case Method::normal:
      return normal_tails(differences);
    case Method::bca:
      return bca_tails(differences);
    case Method::studentized:
      return studentized_tails(differences);
    case Method::percentile:
    case Method::abc:
      break;
  }
  return both_sides(differences, 0);
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
