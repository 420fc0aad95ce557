// Functions of order statistics.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "numeric/quantile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::statistic {

namespace {

Statistic one_quantile(const std::string& name, double q) {
  return Statistic(name, 1, 1, [name, q](std::size_t) {
    return Bound{{name + "({1})"},
                 Order{{q}, [](std::span<const double> quantiles, std::span<double> values) {
                         values[0] = quantiles[0];
                       }}};
  });
}

}  // namespace

Statistic quantile(double q) {
  if (!(q >= 0 && q <= 1))
    throw InvalidArgument(
        text::concat("quantile ", q, " is outside [0, 1]; the median is quantile 0.5"));
  return one_quantile("quantile:" + text::shortest(q), q);
}

Statistic median() { return one_quantile("median", 0.5); }

Statistic min() { return one_quantile("min", 0); }

Statistic max() { return one_quantile("max", 1); }

Statistic interquartile_range() {
  return Statistic("interquartile_range", 1, 1, [](std::size_t) {
    return Bound{
        {"interquartile_range({1})"},
        Order{{0.25, 0.75}, [](std::span<const double> quantiles, std::span<double> values) {
                values[0] = quantiles[1] - quantiles[0];
              }}};
  });
}

Statistic trimmed_mean(double cut) {
  if (!(cut >= 0 && cut < 0.5))
    throw InvalidArgument(
        text::concat("trimmed_mean cuts ", cut,
                     " from each end but the share must be at least 0 and below 0.5"));
  const std::string name = "trimmed_mean:" + text::shortest(cut);
  return Statistic(name, 1, 1, [name, cut](std::size_t) {
    const auto call = [cut](const Resample& resample, std::span<double> values) {
      std::vector<double> rows(resample.column(0).begin(), resample.column(0).end());
      values[0] = numeric::trimmed_mean_of(rows, cut);
    };
    return Bound{{name + "({1})"}, Call{call, cut}};
  });
}

}  // namespace bootfold::statistic
