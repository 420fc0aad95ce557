// Statistics computed naively in 113 bits on rows with weights: what the engine is compared with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "bootfold/random.h"
#include "bootfold/resample.h"
#include "bootfold/statistic.h"

namespace bootfold::reference {

#if defined(__SIZEOF_FLOAT128__)
__extension__ using Real = __float128;  // 113 bits, and 1e300 squared still fits
#else
using Real = long double;
#endif

using Columns = std::vector<std::vector<double>>;
using Counts = std::vector<std::uint32_t>;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Square root by Newton's method; arguments may be far outside the range of double.
inline Real root(Real x) {
  if (!(x > 0)) return 0;
  Real scale = 1;
  for (; x > Real(1e200); x /= Real(1e200)) scale *= Real(1e100);
  for (; x < Real(1e-200); x *= Real(1e200)) scale /= Real(1e100);
  Real y = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) y = (y + x / y) / 2;
  return y * scale;
}

/// Rows with weights, looked at from their own means.
class Rows {
 public:
  Rows(const Columns& columns, const Counts& counts)
      : columns_(columns), counts_(counts), means_(columns.size()) {
    for (const std::uint32_t count : counts) rows_ += static_cast<double>(count);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Real sum = 0;
      for (std::size_t i = 0; i < counts.size(); ++i) sum += Real(columns[c][i]) * counts[i];
      means_[c] = sum / Real(rows_);
    }
  }

  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] Real mean(std::size_t column = 0) const { return means_[column]; }

  /// Mean of the product of the deviations of the given columns.
  [[nodiscard]] Real moment(const std::vector<std::size_t>& factors) const {
    Real sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      Real product = counts_[i];
      for (const std::size_t c : factors) product *= Real(columns_[c][i]) - means_[c];
      sum += product;
    }
    return sum / Real(rows_);
  }

  /// Intercept and slopes of column 0 on the others; empty where the rows do not determine them.
  [[nodiscard]] std::vector<double> regression() const {
    const std::size_t p = columns_.size() - 1;
    std::vector<std::vector<Real>> a(p, std::vector<Real>(p + 1));
    std::vector<Real> diagonal(p);
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t j = 0; j < p; ++j) a[i][j] = moment({i + 1, j + 1});
      a[i][p] = moment({i + 1, 0});
      diagonal[i] = a[i][i];
    }
    for (std::size_t k = 0; k < p; ++k) {
      if (!(a[k][k] > diagonal[k] * Real(1e-22))) return {};
      for (std::size_t i = k + 1; i < p; ++i) {
        const Real factor = a[i][k] / a[k][k];
        for (std::size_t j = k; j <= p; ++j) a[i][j] -= factor * a[k][j];
      }
    }
    std::vector<double> values(p + 1);
    std::vector<Real> slope(p);
    Real intercept = mean(0);
    for (std::size_t k = p; k-- > 0;) {
      Real value = a[k][p];
      for (std::size_t j = k + 1; j < p; ++j) value -= a[k][j] * slope[j];
      slope[k] = value / a[k][k];
      values[k + 1] = static_cast<double>(slope[k]);
      intercept -= slope[k] * mean(k + 1);
    }
    values[0] = static_cast<double>(intercept);
    return values;
  }

 private:
  const Columns& columns_;
  const Counts& counts_;
  std::vector<Real> means_;
  double rows_ = 0;
};

/// The values of the statistic `name` (as parse() spells it), NaN where it is undefined.
inline std::vector<double> values(std::string_view name, const Columns& columns,
                                  const Counts& counts) {
  const Rows r(columns, counts);
  const Real n = r.rows();
  const auto one = [](Real value) { return std::vector<double>{static_cast<double>(value)}; };
  const std::vector<double> undefined = {kNan};
  if (name == "mean") return one(r.mean());
  if (name == "sum") return one(r.mean() * n);
  if (name == "proportion") {
    Real above = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) above += columns[0][i] > 0 ? counts[i] : 0;
    return one(above / n);
  }
  if (name == "ratio") return r.mean(1) != 0 ? one(r.mean(0) / r.mean(1)) : undefined;
  if (name == "covariance") return n > 1 ? one(r.moment({0, 1}) * n / (n - 1)) : undefined;
  if (name == "covariance:0") return one(r.moment({0, 1}));
  if (name == "regression") {
    std::vector<double> found = r.regression();
    return found.empty() ? std::vector<double>(columns.size(), kNan) : found;
  }
  const Real m2 = r.moment({0, 0});
  if (name == "variance") return n > 1 ? one(m2 * n / (n - 1)) : undefined;
  if (name == "variance:0") return one(m2);
  if (name == "standard_deviation") return n > 1 ? one(root(m2 * n / (n - 1))) : undefined;
  if (name == "standard_deviation:0") return one(root(m2));
  if (!(m2 > 0)) return undefined;
  if (name == "skewness") return one(r.moment({0, 0, 0}) / (m2 * root(m2)));
  if (name == "kurtosis") return one(r.moment({0, 0, 0, 0}) / (m2 * m2) - 3);
  if (name == "sharpe_ratio") return n > 1 ? one(r.mean() / root(m2 * n / (n - 1))) : undefined;
  if (name == "correlation") {
    const Real yy = r.moment({1, 1});
    return yy > 0 ? one(r.moment({0, 1}) / (root(m2) * root(yy))) : undefined;
  }
  ADD_FAILURE() << "no reference for " << name;
  return undefined;
}

/// Type 7 quantile, straight from its definition.
inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const long double place = static_cast<long double>(q * static_cast<double>(values.size() - 1));
  const auto low = static_cast<std::size_t>(place);
  if (low + 1 >= values.size()) return values.back();
  const long double weight = place - static_cast<long double>(low);
  const long double below = values[low];
  return static_cast<double>(below + weight * (static_cast<long double>(values[low + 1]) - below));
}

/// How often each row was drawn under `path`, which is stream or gather.
inline Counts counts_of(Path path, std::size_t rows, std::uint64_t seed, std::uint64_t replicate) {
  if (path == Path::stream) return resample::counts(rows, {seed, replicate});
  Counts counts(rows);
  for (const std::uint32_t row : resample::indices(rows, {seed, replicate})) ++counts[row];
  return counts;
}

inline DataView view(const Columns& columns) {
  std::vector<ColumnView> views;
  for (const auto& column : columns) views.emplace_back(column);
  return DataView(views);
}

/// Numbers from a fixed stream that no path uses.
inline std::vector<double> normals(std::size_t n, std::uint64_t seed) {
  random::Stream stream({.seed = seed, .replicate = 0, .purpose = random::Purpose::user});
  std::vector<double> values(n);
  for (double& value : values) value = random::normal(stream);
  return values;
}

inline std::vector<double> uniforms(std::size_t n, std::uint64_t seed) {
  random::Stream stream({.seed = seed, .replicate = 1, .purpose = random::Purpose::user});
  std::vector<double> values(n);
  for (double& value : values) value = random::uniform(stream);
  return values;
}

/// The numbers 0, 1, ..., n - 1.
inline std::vector<double> whole_numbers(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

// Data of the books (TRUTH.md).
inline const std::vector<double> kLsat = {576, 635, 558, 578, 666, 580, 555, 661,
                                          651, 605, 653, 575, 545, 572, 594};
inline const std::vector<double> kGpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                                         3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};
inline const std::vector<double> kTreatment = {94, 197, 16, 38, 99, 141, 23};
inline const std::vector<double> kControl = {52, 104, 146, 10, 50, 31, 40, 27, 46};
inline const std::vector<double> kCityU = {138, 93, 61, 179, 48, 37, 29, 23, 30, 2};
inline const std::vector<double> kCityX = {143, 104, 69, 260, 75, 63, 50, 48, 111, 50};
inline const std::vector<double> kSixteen = {10, 12, 12.5, 12.5, 13.9, 15,  21,  22,
                                             23, 34, 50,   81,   89,   121, 134, 213};

/// |a - b| <= relative * max(|b|, floor), and NaN equals NaN.
inline ::testing::AssertionResult close(double a, double b, double relative, double floor = 0) {
  if (std::isnan(a) && std::isnan(b)) return ::testing::AssertionSuccess();
  if (std::abs(a - b) <= relative * std::max(std::abs(b), floor))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << a << " is not " << b << " to " << relative << "; they differ by " << a - b;
}

/// Runs `act`, which must throw Error, and returns the message.
template <class Error, class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw another kind of error: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace bootfold::reference
