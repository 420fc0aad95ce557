// Least squares from means of products: the first column on the others.
#include <cmath>
#include <limits>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

namespace {

/// Solves a x = b for a symmetric positive definite a (row-major, lower half used) by Cholesky, in
/// place: b becomes x. False when a pivot is not above its floor, so that rounding may have made
/// it.
bool solve(std::vector<double>& a, std::vector<double>& b, const std::vector<double>& floors) {
  const std::size_t n = b.size();
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
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/// Features: the columns 0 .. p, then for each x the products with the x before it and itself, then
/// its product with y.
void coefficients(const Folded& folded, std::size_t columns, std::span<double> values) {
  const std::size_t slopes = columns - 1;
  std::vector<double> a(slopes * slopes);
  std::vector<double> b(slopes);
  std::vector<double> floors(slopes);
  std::size_t feature = columns;
  for (std::size_t i = 0; i < slopes; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      a[i * slopes + j] = folded.mean(feature++) - folded.mean(i + 1) * folded.mean(j + 1);
    floors[i] = 16 * folded.resolution + 1e-12 * folded.mean(feature - 1);
    b[i] = folded.mean(feature++) - folded.mean(i + 1) * folded.mean(0);
  }
  if (!solve(a, b, floors)) {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  double intercept = folded.column_mean(0, 0);
  for (std::size_t i = 0; i < slopes; ++i) {
    values[i + 1] = std::ldexp(b[i], folded.scales[0].exponent - folded.scales[i + 1].exponent);
    intercept -= values[i + 1] * folded.column_mean(i + 1, i + 1);
  }
  values[0] = intercept;
}

}  // namespace

Statistic regression() {
  return Statistic("regression", 2, Statistic::kAnyNumber, [](std::size_t columns) {
    Bound bound;
    Sums sums;
    bound.outputs = {"intercept"};
    for (std::uint32_t c = 0; c < columns; ++c) sums.products.push_back({c});
    for (std::uint32_t i = 1; i < columns; ++i) {
      bound.outputs.push_back("slope({" + std::to_string(i + 1) + "})");
      for (std::uint32_t j = 1; j <= i; ++j) sums.products.push_back({j, i});
      sums.products.push_back({0, i});
    }
    sums.finish = [columns](const Folded& folded, std::span<double> values) {
      coefficients(folded, columns, values);
    };
    bound.body = std::move(sums);
    return bound;
  });
}

}  // namespace bootfold::statistic
