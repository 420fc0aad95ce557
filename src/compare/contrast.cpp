#include "compare/contrast.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace bootfold::comparison {
namespace {

double defined(const Result& differences) {
  return static_cast<double>(differences.replicates().size() - differences.undefined());
}

/// Percentile limits turned round the estimate.
Interval basic(const Result& differences, double confidence) {
  const Interval turned = interval::percentile(differences, {.confidence = confidence});
  const double twice = 2 * differences.estimate();
  return {"basic",           confidence,      twice - turned.high, twice - turned.low,
          turned.high_error, turned.low_error};
}

/// Estimate without its bias, plus and minus so many standard errors.
Interval normal(const Result& differences, double confidence) {
  const double z = boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2);
  const double centre = differences.estimate() - differences.bias();
  const double error = differences.standard_error();
  const double doubt =
      std::hypot(error / std::sqrt(defined(differences)), z * differences.standard_error_error());
  return {"normal", confidence, centre - z * error, centre + z * error, doubt, doubt};
}

/// 2 min(share of replicates <= point, share >= point).
PValue both_sides(const Result& differences, double point) {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  for (const double value : differences.replicates()) {
    below += static_cast<std::uint64_t>(value <= point);  // NaN is neither
    above += static_cast<std::uint64_t>(value >= point);
  }
  const double all = defined(differences) + 1;
  const double side = (static_cast<double>(std::min(below, above)) + 1) / all;
  return {std::min(1.0, 2 * side), 2 * std::sqrt(side * (1 - side) / all)};
}

PValue normal_tails(const Result& differences) {
  const double error = differences.standard_error();
  const double centre = differences.estimate() - differences.bias();
  if (error == 0) return {centre == 0 ? 1.0 : 0.0, 0};
  const double z = centre / error;
  const double doubt = std::hypot(z * differences.standard_error_error() / error,
                                  1 / std::sqrt(defined(differences)));
  return {std::erfc(std::abs(z) / std::sqrt(2.0)),
          2 * boost::math::pdf(boost::math::normal(), z) * doubt};
}

/// At most 1, and surer of it the farther the product lies beyond.
PValue times(const PValue& p, double factor) {
  const double beyond = std::max(0.0, factor * p.value - 1);
  return {std::min(1.0, factor * p.value), std::max(0.0, factor * p.error - beyond)};
}

}  // namespace

Interval make_interval(const Result& differences, Method method, double confidence) {
  switch (method) {
    case Method::basic:
      return basic(differences, confidence);
    case Method::normal:
      return normal(differences, confidence);
    case Method::percentile:
      break;
  }
  return interval::percentile(differences, {.confidence = confidence});
}

PValue p_value(const Result& differences, Method method) {
  switch (method) {
    case Method::basic:
      return both_sides(differences, 2 * differences.estimate());
    case Method::normal:
      return normal_tails(differences);
    case Method::percentile:
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
