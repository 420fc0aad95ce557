// Functions of means of products: moments, ratios, correlation.
//
// Columns come centred and scaled to |u| <= 1, so powers neither overflow nor cancel; what a
// statistic returns is scaled back here. A variance that the arithmetic cannot tell from zero is
// zero, and what divides by it is undefined (NaN).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "text/concat.h"

namespace bootfold::statistic {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void check_ddof(int ddof) {
  if (ddof != 0 && ddof != 1)
    throw InvalidArgument(
        text::concat("ddof is ", ddof, " but must be 0 (divide by n) or 1 (by n - 1)"));
}

/// What rounding may have done to mean of product - product of means.
double uncertainty(const Folded& folded, double product) {
  return folded.resolution + 0x1p-51 * std::abs(product);
}

/// mean of product - product of means; 0 where less than four of its digits are sure.
double central(const Folded& folded, double product, double mean1, double mean2) {
  const double value = product - mean1 * mean2;
  return std::abs(value) <= 1e4 * uncertainty(folded, product) ? 0 : value;
}

/// A moment over the power of the variance that makes it scale-free, if four digits of it are sure.
double standardised(double moment, double power, double doubt) {
  return power > 1e4 * doubt ? moment / power : kUndefined;
}

/// What rounding may have done to a moment, none of whose terms is larger than `largest`.
double doubt_of_moment(const Folded& folded, double largest) {
  return folded.resolution + 0x1p-50 * largest;
}

/// n / (n - ddof), NaN when there are no degrees of freedom.
double correction(const Folded& folded, int ddof) {
  const double freedom = folded.rows - ddof;
  return freedom > 0 ? folded.rows / freedom : kUndefined;
}

double scaled_back(const Folded& folded, double value, std::size_t column1, std::size_t column2) {
  return std::ldexp(value, folded.scales[column1].exponent + folded.scales[column2].exponent);
}

/// Variance of column 0 in scaled units, from the features {0} and {0, 0}.
double scaled_variance(const Folded& folded) {
  return std::max(0.0, central(folded, folded.mean(1), folded.mean(0), folded.mean(0)));
}

double variance_of(const Folded& folded, int ddof) {
  return scaled_back(folded, scaled_variance(folded), 0, 0) * correction(folded, ddof);
}

/// By way of the scaled variance, because the variance itself may not be a double.
double deviation_of(const Folded& folded, int ddof) {
  return std::ldexp(std::sqrt(scaled_variance(folded) * correction(folded, ddof)),
                    folded.scales[0].exponent);
}

/// Fourth central moment of column 0 in scaled units, from its first four powers.
double fourth_moment(const Folded& folded) {
  const double m1 = folded.mean(0);
  return folded.mean(3) - 4 * m1 * folded.mean(2) + 6 * m1 * m1 * folded.mean(1) -
         3 * m1 * m1 * m1 * m1;
}

/// None of the terms of the fourth moment is larger than six times the mean of u^4.
double doubt_of_fourth_moment(const Folded& folded) {
  return doubt_of_moment(folded, 6 * folded.mean(3));
}

/// sqrt((m4 - m2^2) / n): the standard error of m2; 0 where less than four digits of the difference
/// are sure, as on two values that are drawn equally often.
double scaled_error_of_variance(const Folded& folded) {
  const double m2 = scaled_variance(folded);
  const double spread = fourth_moment(folded) - m2 * m2;
  return spread > 1e4 * doubt_of_fourth_moment(folded) ? std::sqrt(spread / folded.rows) : 0;
}

/// mean(column 0) / mean(column 1), undefined where the divisor may be 0 but for rounding.
double ratio_of(const Folded& folded) {
  const double below = folded.column_mean(1, 1);
  const double doubt = std::ldexp(folded.resolution + 0x1p-51, folded.scales[1].exponent) +
                       0x1p-51 * std::abs(folded.scales[1].centre);
  return std::abs(below) > doubt ? folded.column_mean(0, 0) / below : kUndefined;
}

/// Standard error of the mean of x - factor y. From the features {0}, {1}, {0, 0}, {1, 1}, {0, 1}.
double error_of_combination(const Folded& f, double factor) {
  const int exponent = f.scales[0].exponent;
  const double slope = std::ldexp(factor, f.scales[1].exponent - exponent);
  const double xx = f.mean(2) - f.mean(0) * f.mean(0);
  const double yy = f.mean(3) - f.mean(1) * f.mean(1);
  const double xy = f.mean(4) - f.mean(0) * f.mean(1);
  const double rest = xx - 2 * slope * xy + slope * slope * yy;
  const double doubt = uncertainty(f, f.mean(2)) + slope * slope * uncertainty(f, f.mean(3));
  const double sure = std::abs(rest) <= 1e4 * doubt ? 0 : std::max(0.0, rest);
  return std::ldexp(std::sqrt(sure / (f.rows - 1)), exponent);
}

/// By the delta method: standard error of the mean of x - ratio y, over |mean of y|.
double error_of_ratio(const Folded& f) {
  return error_of_combination(f, ratio_of(f)) / std::abs(f.column_mean(1, 1));
}

/// value * 2^exponent. Almost always a product does what ldexp does.
double scaled_up(double value, int exponent) {
  if (std::abs(exponent) >= 1000) return std::ldexp(value, exponent);
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

template <class Finish>
Statistic of_products(std::string name, std::size_t columns, std::vector<Product> products,
                      Finish finish, bool is_mean = false) {
  std::string output = columns == 1 ? name + "({1})" : name + "({1}, {2})";
  return Statistic(
      std::move(name), columns, columns,
      [output = std::move(output), products = std::move(products), finish, is_mean](std::size_t) {
        Sums sums;
        sums.products = products;
        sums.is_mean = is_mean;
        sums.finish = [finish](const Folded& folded, std::span<double> values) {
          values[0] = finish(folded);
        };
        return Bound{{output}, std::move(sums)};
      });
}

}  // namespace

double Folded::column_mean(std::size_t column, std::size_t feature) const {
  return scales[column].centre + scaled_up(means[feature], scales[column].exponent);
}

double Folded::column_place(std::size_t column, std::size_t feature) const {
  return relative ? scaled_up(means[feature], scales[column].exponent)
                  : column_mean(column, feature);
}

Statistic mean() {
  return of_products(
             "mean", 1, {{0}}, [](const Folded& f) { return f.column_place(0, 0); }, true)
      .with_standard_error(
          of_products("standard_error_of_mean", 1, {{0}, {0, 0}},
                      [](const Folded& f) { return deviation_of(f, 1) / std::sqrt(f.rows); }))
      .with_exact_law(ExactLaw::mean);
}

Statistic sum() {
  return of_products("sum", 1, {{0}},
                     [](const Folded& f) {
                       // The sum of the weights varies, so the centre cannot be left out.
                       if (f.weight) return f.rows * *f.weight * f.column_mean(0, 0);
                       return f.rows * f.column_place(0, 0);
                     })
      .with_standard_error(
          of_products("standard_error_of_sum", 1, {{0}, {0, 0}},
                      [](const Folded& f) { return deviation_of(f, 1) * std::sqrt(f.rows); }))
      .with_exact_law(ExactLaw::sum);
}

Statistic variance(int ddof) {
  check_ddof(ddof);
  return of_products("variance", 1, {{0}, {0, 0}},
                     [ddof](const Folded& f) { return variance_of(f, ddof); })
      .with_parameters({static_cast<double>(ddof)})
      .with_standard_error(of_products(
          "standard_error_of_variance", 1, {{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}},
          [ddof](const Folded& f) {
            return scaled_back(f, scaled_error_of_variance(f), 0, 0) * correction(f, ddof);
          }));
}

Statistic standard_deviation(int ddof) {
  check_ddof(ddof);
  return of_products("standard_deviation", 1, {{0}, {0, 0}},
                     [ddof](const Folded& f) { return deviation_of(f, ddof); })
      .with_parameters({static_cast<double>(ddof)})
      .with_standard_error(of_products(
          "standard_error_of_standard_deviation", 1, {{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}},
          [ddof](const Folded& f) {  // the delta method: half of it over the standard deviation
            const double deviation = std::sqrt(scaled_variance(f));
            return std::ldexp(scaled_error_of_variance(f) / (2 * deviation), f.scales[0].exponent) *
                   std::sqrt(correction(f, ddof));
          }));
}

Statistic skewness() {
  return of_products("skewness", 1, {{0}, {0, 0}, {0, 0, 0}}, [](const Folded& f) {
    const double m1 = f.mean(0);
    const double m2 = scaled_variance(f);
    const double m3 = f.mean(2) - 3 * m1 * f.mean(1) + 2 * m1 * m1 * m1;
    // The mean of |u|^3, which rounding is relative to, is no term; but it is at most these terms
    // and sqrt(n) times the power, so it never decides.
    const double largest = std::abs(f.mean(2)) + 4 * std::abs(f.mean(0)) * f.mean(1);
    return standardised(m3, m2 * std::sqrt(m2), doubt_of_moment(f, largest));
  });
}

Statistic kurtosis() {
  return of_products("kurtosis", 1, {{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}}, [](const Folded& f) {
    const double m2 = scaled_variance(f);
    return standardised(fourth_moment(f), m2 * m2, doubt_of_fourth_moment(f)) - 3;
  });
}

Statistic sharpe_ratio(double periods) {
  if (!(periods > 0) || std::isinf(periods))
    throw InvalidArgument(text::concat("periods is ", periods,
                                       " but must be above 0: the number of returns in a year"));
  return of_products("sharpe_ratio", 1, {{0}, {0, 0}},
                     [periods](const Folded& f) {
                       // Both in scaled units, where neither is too small or too large for a
                       // double.
                       const double mean =
                           std::ldexp(f.scales[0].centre, -f.scales[0].exponent) + f.mean(0);
                       const double deviation = std::sqrt(scaled_variance(f) * correction(f, 1));
                       return deviation > 0 ? mean / deviation * std::sqrt(periods) : kUndefined;
                     })
      .with_parameters({periods});
}

Statistic difference() {
  return of_products("difference", 2, {{0}, {1}},
                     [](const Folded& f) { return f.column_place(0, 0) - f.column_place(1, 1); })
      .with_standard_error(of_products("standard_error_of_difference", 2,
                                       {{0}, {1}, {0, 0}, {1, 1}, {0, 1}},
                                       [](const Folded& f) { return error_of_combination(f, 1); }));
}

Statistic ratio() {
  return of_products("ratio", 2, {{0}, {1}}, ratio_of)
      .with_standard_error(of_products("standard_error_of_ratio", 2,
                                       {{0}, {1}, {0, 0}, {1, 1}, {0, 1}}, error_of_ratio));
}

Statistic covariance(int ddof) {
  check_ddof(ddof);
  return of_products("covariance", 2, {{0}, {1}, {0, 1}},
                     [ddof](const Folded& f) {
                       return scaled_back(f, f.mean(2) - f.mean(0) * f.mean(1), 0, 1) *
                              correction(f, ddof);
                     })
      .with_parameters({static_cast<double>(ddof)});
}

Statistic correlation() {
  return of_products("correlation", 2, {{0}, {1}, {0, 0}, {1, 1}, {0, 1}}, [](const Folded& f) {
    const double xx = central(f, f.mean(2), f.mean(0), f.mean(0));
    const double yy = central(f, f.mean(3), f.mean(1), f.mean(1));
    const double xy = f.mean(4) - f.mean(0) * f.mean(1);
    if (!(xx > 0 && yy > 0)) return kUndefined;
    return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
  });
}

Statistic slope() {
  return of_products("slope", 2, {{0}, {1}, {1, 1}, {0, 1}}, [](const Folded& f) {
    const double xx = central(f, f.mean(2), f.mean(1), f.mean(1));
    const double xy = f.mean(3) - f.mean(0) * f.mean(1);
    if (!(xx > 0)) return kUndefined;
    return std::ldexp(xy / xx, f.scales[0].exponent - f.scales[1].exponent);
  });
}

}  // namespace bootfold::statistic
