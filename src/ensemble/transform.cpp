#include "ensemble/transform.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "numeric/normal.h"
#include "text/choice.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostLambda = 8;  // powers from -kMostLambda to kMostLambda are searched
constexpr int kLambdaBits = 26;
constexpr std::size_t kQuantileKnots = FittedTransform::kMostKnots - 2;

/// Box and Cox's transform of a number of at least 1, given its logarithm.
double power_of(double logarithm, double lambda) {
  return lambda == 0 ? logarithm : std::expm1(lambda * logarithm) / lambda;
}

/// The logarithm of a number, given its transform.
double logarithm_of(double transformed, double lambda) {
  return lambda == 0 ? transformed : std::log1p(lambda * transformed) / lambda;
}

/// Yeo and Johnson's transform of sign * (e^|logarithm| - 1).
double yeo_johnson(double signed_logarithm, double lambda) {
  return signed_logarithm >= 0 ? power_of(signed_logarithm, lambda)
                               : -power_of(-signed_logarithm, 2 - lambda);
}

/// sign(y) log(1 + |y|).
double signed_logarithm(double value) { return std::copysign(std::log1p(std::abs(value)), value); }

/// The negative log-likelihood of normal transformed values, over their number.
double yeo_johnson_cost(const std::vector<double>& logarithms, double lambda) {
  const auto count = static_cast<double>(logarithms.size());
  double mean = 0;
  double sum = 0;
  for (const double logarithm : logarithms) {
    mean += yeo_johnson(logarithm, lambda) / count;
    sum += logarithm / count;
  }
  double variance = 0;
  for (const double logarithm : logarithms) {
    const double off = yeo_johnson(logarithm, lambda) - mean;
    variance += off * off / count;
  }
  const double cost = 0.5 * std::log(variance) - (lambda - 1) * sum;
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::max();
}

/// A coarse search, then Brent's method between the neighbours of the best.
double best_lambda(std::span<const double> values) {
  std::vector<double> logarithms(values.size());
  std::ranges::transform(values, logarithms.begin(), signed_logarithm);
  const auto cost = [&](double lambda) { return yeo_johnson_cost(logarithms, lambda); };
  double best = 1;
  double least = cost(best);
  for (double lambda = -kMostLambda; lambda <= kMostLambda; lambda += 1)
    if (const double own = cost(lambda); own < least) {
      least = own;
      best = lambda;
    }
  return boost::math::tools::brent_find_minima(cost, best - 1, best + 1, kLambdaBits).first;
}

/// Knots at the middle of equal shares of the sorted values, and at both ends. Equal values are one
/// knot, in the middle of their scores.
void set_knots(FittedTransform& transform, std::vector<double> sorted) {
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  std::vector<std::pair<double, double>> knots;  // value, probability
  if (sorted.size() <= kQuantileKnots) {
    for (std::size_t i = 0; i < sorted.size(); ++i)
      knots.emplace_back(sorted[i], (static_cast<double>(i) + 0.5) / count);
  } else {
    knots.emplace_back(sorted.front(), 0.5 / count);
    for (std::size_t k = 0; k < kQuantileKnots; ++k) {
      const double probability = (static_cast<double>(k) + 0.5) / kQuantileKnots;
      const double place = std::clamp(probability * count - 0.5, 0.0, count - 1);
      const auto below = static_cast<std::size_t>(place);
      const std::size_t above = std::min(below + 1, sorted.size() - 1);
      const double share = place - static_cast<double>(below);
      knots.emplace_back(sorted[below] + share * (sorted[above] - sorted[below]), probability);
    }
    knots.emplace_back(sorted.back(), 1 - 0.5 / count);
  }
  for (std::size_t first = 0; first < knots.size();) {
    std::size_t last = first;
    while (last < knots.size() && knots[last].first == knots[first].first) ++last;
    const double score =
        (normal::quantile(knots[first].second) + normal::quantile(knots[last - 1].second)) / 2;
    // Rounding may make neighbours of interpolated values fall.
    if (transform.from.empty() ||
        (knots[first].first > transform.from.back() && score > transform.to.back())) {
      transform.from.push_back(knots[first].first);
      transform.to.push_back(score);
    }
    first = last;
  }
}

/// Linear between knots, constant beyond them.
double interpolated(const std::vector<double>& from, const std::vector<double>& to, double x) {
  if (std::isnan(x)) return x;
  if (x <= from.front()) return to.front();
  if (x >= from.back()) return to.back();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(from, x) - from.begin());
  const double share = (x - from[above - 1]) / (from[above] - from[above - 1]);
  return to[above - 1] + share * (to[above] - to[above - 1]);
}

}  // namespace

double FittedTransform::operator()(double target) const noexcept {
  switch (kind) {
    case TargetTransform::none:
      return target;
    case TargetTransform::log:
      return target > 0 ? std::log(target) : kUndefined;
    case TargetTransform::yeo_johnson:
      return yeo_johnson(signed_logarithm(target), lambda);
    case TargetTransform::quantile:
      return interpolated(from, to, target);
  }
  return target;
}

double FittedTransform::inverse(double transformed) const noexcept {
  switch (kind) {
    case TargetTransform::none:
      return transformed;
    case TargetTransform::log:
      return std::exp(transformed);
    case TargetTransform::yeo_johnson: {
      const double range = most - least;
      const double low = (*this)(least - range);
      const double high = (*this)(most + range);
      if (std::isnan(transformed)) return transformed;
      const double held = std::clamp(transformed, low, high);
      return held >= 0 ? std::expm1(logarithm_of(held, lambda))
                       : -std::expm1(logarithm_of(-held, 2 - lambda));
    }
    case TargetTransform::quantile:
      return interpolated(to, from, transformed);
  }
  return transformed;
}

double FittedTransform::log_slope(double target) const noexcept {
  switch (kind) {
    case TargetTransform::none:
      return 0;
    case TargetTransform::log:
      return target > 0 ? -std::log(target) : kUndefined;
    case TargetTransform::yeo_johnson:
      return (lambda - 1) * signed_logarithm(target);
    case TargetTransform::quantile:
      return kUndefined;
  }
  return 0;
}

std::string_view name(TargetTransform transform) noexcept {
  switch (transform) {
    case TargetTransform::none:
      return "none";
    case TargetTransform::log:
      return "log";
    case TargetTransform::yeo_johnson:
      return "yeo-johnson";
    case TargetTransform::quantile:
      return "quantile";
  }
  return "";
}

TargetTransform parse_target_transform(std::string_view name) {
  return text::choose("target_transform", name,
                      std::array{TargetTransform::none, TargetTransform::log,
                                 TargetTransform::yeo_johnson, TargetTransform::quantile});
}

FittedTransform fit_transform(TargetTransform kind, std::span<const double> values) {
  FittedTransform transform{.kind = kind};
  if (kind == TargetTransform::none) return transform;
  const auto [least, most] = std::ranges::minmax(values);
  transform.least = least;
  transform.most = most;
  if (kind == TargetTransform::yeo_johnson) transform.lambda = best_lambda(values);
  if (kind == TargetTransform::quantile)
    set_knots(transform, std::vector<double>(values.begin(), values.end()));
  return transform;
}

std::vector<std::vector<double>> transformed_targets(
    const DataView& targets, const std::vector<FittedTransform>& transforms) {
  std::vector<std::vector<double>> columns(targets.columns());
  for (std::size_t t = 0; t < columns.size(); ++t) {
    columns[t].resize(targets.rows());
    targets.column(t).read(0, columns[t]);
    for (double& value : columns[t]) value = transforms[t](value);
  }
  return columns;
}

void check_target_values(const DataView& targets, std::size_t target, Loss loss,
                         TargetTransform transform) {
  const bool log = transform == TargetTransform::log;
  if (loss != Loss::binary && loss != Loss::poisson && !log) return;
  for_each_tile(
      targets.column(target), 0, targets.rows(),
      [&](std::size_t row, std::span<const double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double value = values[i];
          const auto fail = [&](const char* rule) {
            throw DataError(text::concat("target ", targets.name(target), " is ", value, " in row ",
                                         row + i + 1, rule));
          };
          if (!std::isfinite(value)) continue;  // reported with those of other losses
          if (loss == Loss::binary && value != 0 && value != 1)
            fail(
                " but a target of 0 and 1 has no other values; recode it, or use loss "
                "squared_error");
          if (loss == Loss::poisson && value < 0)
            fail(
                " but loss poisson needs counts, which are not negative; use loss squared_error "
                "or huber");
          if (log && value <= 0)
            fail(
                " but the transform log needs targets above 0; use yeo-johnson or quantile, or "
                "remove the row");
        }
      });
}

}  // namespace bootfold::ensemble
