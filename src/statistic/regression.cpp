// Least squares from means of products: the first column on the others.
#include <cmath>
#include <limits>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

namespace {

/// Factors a symmetric positive definite a (row-major, lower half used) by Cholesky, in place.
/// False when a pivot is not above its floor, so that rounding may have made it.
bool factor(std::vector<double>& a, const std::vector<double>& floors) {
  const std::size_t n = floors.size();
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = a[j * n + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
    if (!(pivot > floors[j])) return false;
    a[j * n + j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      double value = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) value -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = value / a[j * n + j];
    }
  }
  return true;
}

/// The first half of solving: b becomes L^-1 b.
void forward(const std::vector<double>& factored, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factored[i * n + k] * b[k];
    b[i] /= factored[i * n + i];
  }
}

/// The second half: b becomes L^-T b.
void backward(const std::vector<double>& factored, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= factored[k * n + i] * b[k];
    b[i] /= factored[i * n + i];
  }
}

/// The normal equations of centred columns in scaled units, factored.
struct Equations {
  std::vector<double> factored;
  std::vector<double> b;  // covariances with y
  bool solvable = false;

  /// Features: the columns 0 .. p, then for each x the products with the x before it and itself,
  /// then its product with y.
  Equations(const Folded& folded, std::size_t columns)
      : factored((columns - 1) * (columns - 1)), b(columns - 1) {
    const std::size_t slopes = columns - 1;
    std::vector<double> floors(slopes);
    std::size_t feature = columns;
    for (std::size_t i = 0; i < slopes; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        factored[i * slopes + j] = folded.mean(feature++) - folded.mean(i + 1) * folded.mean(j + 1);
      floors[i] = 16 * folded.resolution + 1e-12 * folded.mean(feature - 1);
      b[i] = folded.mean(feature++) - folded.mean(i + 1) * folded.mean(0);
    }
    solvable = factor(factored, floors);
  }
};

void coefficients(const Folded& folded, std::size_t columns, std::span<double> values) {
  Equations equations(folded, columns);
  if (!equations.solvable) {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  forward(equations.factored, equations.b);
  backward(equations.factored, equations.b);
  double intercept = folded.column_mean(0, 0);
  for (std::size_t i = 0; i + 1 < columns; ++i) {
    values[i + 1] =
        std::ldexp(equations.b[i], folded.scales[0].exponent - folded.scales[i + 1].exponent);
    intercept -= values[i + 1] * folded.column_mean(i + 1, i + 1);
  }
  values[0] = intercept;
}

/// The usual standard errors: residual variance (divisor n - columns) times the diagonal of
/// (X'X)^-1. The last feature is the square of y.
void standard_errors(const Folded& folded, std::size_t columns, std::span<double> values) {
  const std::size_t slopes = columns - 1;
  Equations equations(folded, columns);
  const double freedom = folded.rows - static_cast<double>(columns);
  if (!equations.solvable || freedom <= 0) {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const double square = folded.means.back();
  double rest = square - folded.mean(0) * folded.mean(0);
  forward(equations.factored, equations.b);
  for (const double part : equations.b) rest -= part * part;
  if (rest <= 1e4 * (folded.resolution + 0x1p-51 * square)) rest = 0;  // a perfect fit
  const double sigma = std::sqrt(rest / freedom);  // residual deviation / sqrt(n), scaled units
  std::vector<double> row(slopes);
  for (std::size_t i = 0; i < slopes; ++i) {
    std::fill(row.begin(), row.end(), 0);
    row[i] = 1;
    forward(equations.factored, row);
    double sum = 0;
    for (const double part : row) sum += part * part;
    values[i + 1] = std::ldexp(sigma * std::sqrt(sum),
                               folded.scales[0].exponent - folded.scales[i + 1].exponent);
  }
  for (std::size_t i = 0; i < slopes; ++i)
    row[i] = std::ldexp(folded.column_mean(i + 1, i + 1), -folded.scales[i + 1].exponent);
  forward(equations.factored, row);
  double sum = 1;
  for (const double part : row) sum += part * part;
  values[0] = std::ldexp(sigma * std::sqrt(sum), folded.scales[0].exponent);
}

/// One value for the intercept and each slope; products as Equations wants them, then `more`.
Statistic of_equations(const std::string& name, const std::string& prefix,
                       const std::vector<Product>& more,
                       void (*finish)(const Folded&, std::size_t, std::span<double>)) {
  return Statistic(name, 2, Statistic::kAnyNumber, [=](std::size_t columns) {
    Bound bound;
    Sums sums;
    bound.outputs = {prefix + "intercept"};
    for (std::uint32_t c = 0; c < columns; ++c) sums.products.push_back({c});
    for (std::uint32_t i = 1; i < columns; ++i) {
      bound.outputs.push_back(prefix + "slope({" + std::to_string(i + 1) + "})");
      for (std::uint32_t j = 1; j <= i; ++j) sums.products.push_back({j, i});
      sums.products.push_back({0, i});
    }
    sums.products.insert(sums.products.end(), more.begin(), more.end());
    sums.finish = [columns, finish](const Folded& folded, std::span<double> values) {
      finish(folded, columns, values);
    };
    bound.body = std::move(sums);
    return bound;
  });
}

}  // namespace

Statistic regression() {
  return of_equations("regression", "", {}, coefficients)
      .with_standard_error(of_equations("standard_error_of_regression", "standard_error_of_",
                                        {{0, 0}}, standard_errors));
}

}  // namespace bootfold::statistic
