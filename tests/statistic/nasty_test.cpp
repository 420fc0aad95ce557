// Numerical truth: on data that break naive sums, every replicate is right or honestly undefined.
//
// The reference recomputes the statistic in 113 bits on the very resample, so nothing here is
// random: a test passes always or never.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace nasty_test {

using reference::close;
using reference::Columns;

/// Every replicate is the truth to `relative` of itself or of `floor` (the standard error if 0).
void expect_replicates(const Columns& columns, const std::string& name, Path path,
                       double relative = 1e-9, double floor = 0) {
  SCOPED_TRACE(testing::Message() << name << " on path " << bootfold::name(path));
  constexpr std::uint64_t kReplicates = 60;
  const Result result = bootstrap(reference::view(columns), statistic::parse(name),
                                  {.replicates = kReplicates, .seed = 11, .path = path});
  ASSERT_EQ(result.plan().path, path);
  for (std::uint64_t r = 0; r < kReplicates; ++r) {
    const auto truth =
        reference::values(name, columns, reference::counts_of(path, columns[0].size(), 11, r));
    for (std::size_t k = 0; k < truth.size(); ++k)
      ASSERT_TRUE(close(result.replicate(r, k), truth[k], relative,
                        floor > 0 ? floor : result.standard_error(k)))
          << "replicate " << r << ", output " << k << "\n"
          << result.plan().explain();
  }
}

/// 199 ordinary values and one far away.
std::vector<double> with_outlier(double outlier, std::size_t n = 200) {
  std::vector<double> values = reference::normals(n, 5);
  values[n / 3] = outlier;
  return values;
}

// About 37 % of the resamples miss the outlier; their statistics are of the order of the other
// values, and an error must be small against those.
TEST(Nasty, TheMeanOfResamplesWithoutTheOutlierIsRight) {
  for (const double outlier : {1e6, 1e9, 1e12, 1e15, 1e18, 1e100, 1e300}) {
    SCOPED_TRACE(testing::Message() << "outlier " << outlier);
    expect_replicates({with_outlier(outlier)}, "mean", Path::gather, 1e-4, 1 / std::sqrt(200.0));
  }
}

TEST(Nasty, FourValuesOneOfThemEnormous) {
  expect_replicates({{1, 2, 3, 1e300}}, "mean", Path::gather, 1e-4, 0.5);
}

TEST(Nasty, TheVarianceOfResamplesWithoutTheOutlierIsRight) {
  for (const double outlier : {1e6, 1e9, 1e12, 1e15, 1e100}) {
    SCOPED_TRACE(testing::Message() << "outlier " << outlier);
    expect_replicates({with_outlier(outlier)}, "variance", Path::gather, 1e-4, 0.1);
  }
}

TEST(Nasty, ScaleFreeStatisticsSurviveAnOutlier) {
  for (const double outlier : {1e4, 1e6, 1e9, 1e12})
    for (const char* name : {"skewness", "kurtosis", "sharpe_ratio"}) {
      SCOPED_TRACE(testing::Message() << "outlier " << outlier);
      expect_replicates({with_outlier(outlier)}, name, Path::gather, 1e-4, 0.1);
    }
  for (const double outlier : {1e4, 1e6, 1e9, 1e12})
    expect_replicates({with_outlier(outlier), reference::normals(200, 6)}, "correlation",
                      Path::gather, 1e-4, 0.1);
}

// Where doubles are used for the sums, squares of 1e200 must not overflow and squares of 1e-200
// must not vanish.
TEST(Nasty, OutliersAmongHugeAndTinyValues) {
  for (const double size : {1e-290, 1e-200, 1.0, 1e200, 1e290}) {
    SCOPED_TRACE(testing::Message() << "size " << size);
    std::vector<double> x = with_outlier(1e15);
    std::vector<double> y = reference::normals(200, 6);
    for (double& value : x) value *= size;
    for (double& value : y) value *= size;
    expect_replicates({x, y}, "correlation", Path::gather, 1e-4, 0.1);
  }
}

// The variance of 1e200 is beyond a double, the standard deviation is not.
TEST(Nasty, StandardDeviationsOfHugeAndTinyValuesAreNumbers) {
  for (const int exponent : {-1000, -600, 600, 1000}) {
    SCOPED_TRACE(testing::Message() << "data of size 2^" << exponent);
    std::vector<double> x = reference::normals(40, 8);
    for (double& value : x) value = std::ldexp(value, exponent);
    for (const char* name : {"standard_deviation", "standard_deviation:0", "sharpe_ratio",
                             "skewness", "kurtosis", "mean"})
      expect_replicates({x}, name, Path::gather, 1e-9, 1e-300);
    expect_replicates({x, reference::normals(40, 9)}, "correlation", Path::gather, 1e-9, 1e-3);
    expect_replicates({x, reference::normals(40, 9)}, "regression", Path::gather, 1e-9, 1e-300);
    expect_replicates({reference::normals(40, 9), x}, "regression", Path::gather, 1e-9, 1e-300);
  }
}

TEST(Nasty, HugeOffsetTinySpread) {
  std::vector<double> x(300);
  std::vector<double> y(300);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = 1e15 + static_cast<double>(k * k % 97);
    y[k] = -1e12 + static_cast<double>(k % 13) / 64;
  }
  for (const Path path : {Path::stream, Path::gather}) {
    for (const char* name : {"mean", "variance", "skewness", "kurtosis", "standard_deviation"})
      expect_replicates({x}, name, path, 1e-9);
    expect_replicates({x, y}, "correlation", path, 1e-9);
    expect_replicates({x, y}, "covariance", path, 1e-9);
    // The intercept is a difference of numbers near 1e15 times slopes near 1e-3.
    expect_replicates({y, x}, "regression", path, 1e-5);
  }
}

TEST(Nasty, Denormals) {
  const double least = std::numeric_limits<double>::denorm_min();
  std::vector<double> x(40);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = least * static_cast<double>(1000 + k * k % 71);
  for (const Path path : {Path::stream, Path::gather, Path::distinct}) {
    const Result result =
        bootstrap(x, statistic::mean(), {.replicates = 100, .seed = 11, .path = path});
    if (path == Path::distinct) {  // other resamples; they lie where they must
      EXPECT_NEAR(result.estimate() / least, 1035, 10);
      EXPECT_THAT(result.replicates(), testing::Each(testing::AllOf(testing::Ge(1000 * least),
                                                                    testing::Le(1070 * least))));
      continue;
    }
    for (std::uint64_t r = 0; r < 100; ++r) {
      const auto truth = reference::values("mean", {x}, reference::counts_of(path, 40, 11, r));
      EXPECT_NEAR(result.replicate(r) / least, truth[0] / least, 1) << "replicate " << r;
    }
    EXPECT_GT(result.standard_error(), 0);
  }
  for (const char* name : {"skewness", "kurtosis", "sharpe_ratio"})
    expect_replicates({x}, name, Path::gather, 1e-9);
}

TEST(Nasty, AllNegativeAndFarFromZero) {
  std::vector<double> x = reference::uniforms(500, 3);
  for (double& value : x) value = -1e6 - value;
  for (const Path path : {Path::stream, Path::gather})
    for (const char* name : {"mean", "sum", "variance", "skewness", "sharpe_ratio"})
      expect_replicates({x}, name, path, 1e-4);
}

TEST(Nasty, CauchyLikeTails) {
  std::vector<double> x = reference::uniforms(3000, 4);
  for (double& value : x) value = std::tan(3.14159265358979 * (value - 0.5));
  for (const char* name : {"mean", "variance"})
    for (const Path path : {Path::stream, Path::gather})
      expect_replicates({x}, name, path, 1e-4, 0.01);
}

// The standard error of data near 1e300 is a number near 1e299, not infinity.
TEST(Nasty, StandardErrorsOfHugeAndTinyReplicatesAreNumbers) {
  const std::vector<double> plain = reference::normals(50, 8);
  const Result unit = bootstrap(plain, statistic::mean(), {.replicates = 1000, .seed = 1});
  for (const int exponent : {-1000, -600, -300, -200, 200, 300, 600, 1000}) {
    SCOPED_TRACE(testing::Message() << "data of size 2^" << exponent);
    std::vector<double> x = plain;
    for (double& value : x) value = std::ldexp(value, exponent);
    const Result result = bootstrap(x, statistic::mean(), {.replicates = 1000, .seed = 1});
    EXPECT_TRUE(close(result.standard_error(), std::ldexp(unit.standard_error(), exponent), 1e-9));
    EXPECT_TRUE(close(result.standard_error_error(),
                      std::ldexp(unit.standard_error_error(), exponent), 1e-9));
    EXPECT_TRUE(close(result.bias(), std::ldexp(unit.bias(), exponent), 1e-6));
  }
}

// Of four rows, a skewness is at most 2 / sqrt(3) in size and a kurtosis from -2 to -2/3, a
// correlation at most 1: where rounding has eaten the variance the value is undefined, not 1e7.
TEST(Nasty, NoGarbageWhereTheVarianceIsNearlyLost) {
  for (double gap = 1e-3; gap > 1e-13; gap /= 3) {
    SCOPED_TRACE(testing::Message() << "gap " << gap);
    const std::vector<double> x = {-1, -1 + gap, 1, 1 + gap};
    const std::vector<double> y = {-1, -1 + 2 * gap, 1 + gap, 1};
    for (const Path path : {Path::gather, Path::stream, Path::distinct}) {
      SCOPED_TRACE(name(path));
      const Options options{.replicates = 500, .seed = 3, .path = path};
      const Result one = bootstrap(x, {statistic::skewness(), statistic::kurtosis()}, options);
      for (std::uint64_t r = 0; r < 500; ++r) {
        ASSERT_FALSE(std::abs(one.replicate(r, 0)) > 2 / std::sqrt(3.0) + 1e-3);
        ASSERT_FALSE(one.replicate(r, 1) < -2 - 1e-3) << one.replicate(r, 1);
        ASSERT_FALSE(one.replicate(r, 1) > -2.0 / 3 + 1e-3) << one.replicate(r, 1);
      }
      const Result two = bootstrap(reference::view({x, y}), statistic::correlation(), options);
      for (const double value : two.replicates()) {
        ASSERT_FALSE(std::abs(value) > 1 + 1e-9) << value;
      }
    }
  }
}

// A covariance may be as near to 0 as it likes: it is not a variance, and 0 would be an atom that
// the law does not have.
TEST(Nasty, ACovarianceNearZeroIsNotMadeZero) {
  for (const std::size_t n : {2000, 50'000}) {
    const Columns xy = {reference::normals(n, 31), reference::normals(n, 32)};
    for (const Path path : {Path::stream, Path::gather}) {
      const Result result = bootstrap(reference::view(xy), statistic::covariance(),
                                      {.replicates = 1000, .seed = 1, .path = path});
      EXPECT_THAT(std::vector<double>(result.replicates().begin(), result.replicates().end()),
                  testing::Each(testing::Ne(0.0)));
    }
  }
}

/// On path stream where it serves, else on the path that the plan takes instead.
Result run_stream_first(const Columns& columns, const std::string& name) {
  Options options{.replicates = 20, .seed = 2, .path = Path::stream};
  try {
    return bootstrap(reference::view(columns), statistic::parse(name), options);
  } catch (const InvalidArgument&) {
    options.path.reset();
    return bootstrap(reference::view(columns), statistic::parse(name), options);
  }
}

void expect_defined(const Columns& columns, const std::string& name, double relative) {
  SCOPED_TRACE(testing::Message() << name << ", n = " << columns[0].size());
  const Result result = run_stream_first(columns, name);
  EXPECT_EQ(result.undefined(), 0U) << result.plan().explain();
  for (std::uint64_t r = 0; r < 8; ++r) {
    const auto counts = reference::counts_of(result.plan().path, columns[0].size(), 2, r);
    ASSERT_TRUE(
        close(result.replicate(r), reference::values(name, columns, counts)[0], relative, 1e-2))
        << "replicate " << r << "\n"
        << result.plan().explain();
  }
}

// Ordinary skewed data: shape statistics are defined on every resample, also where the largest
// value is a hundred standard deviations away.
TEST(Nasty, ShapesOfSkewedDataAreDefined) {
  for (const double sigma : {0.5, 1.0, 1.5, 2.0, 2.5})
    for (const std::size_t n : {1000, 20'000}) {
      SCOPED_TRACE(testing::Message() << "sigma " << sigma);
      std::vector<double> x = reference::normals(n, 33);
      for (double& value : x) value = std::exp(sigma * value);
      for (const char* name : {"skewness", "kurtosis", "sharpe_ratio", "variance"})
        expect_defined({x}, name, 1e-3);
      for (const char* name : {"correlation", "regression"})
        expect_defined({x, reference::normals(n, 34)}, name, 1e-3);
    }
}

// The same for one outlier, from harmless to hopeless for few digits.
TEST(Nasty, ModerateOutliersOnPathStream) {
  for (const double outlier : {10, 30, 100, 300, 1000, 3000, 10'000, 100'000})
    for (const std::size_t n : {300, 1000, 5000}) {
      SCOPED_TRACE(testing::Message() << "outlier " << outlier);
      const std::vector<double> x = with_outlier(outlier, n);
      for (const char* name : {"mean", "variance", "skewness", "kurtosis", "sharpe_ratio"})
        expect_defined({x}, name, 1e-3);
      expect_defined({x, reference::normals(n, 34)}, "correlation", 1e-3);
    }
}

// Of three rows, one resample in nine repeats one row: no line through one point.
TEST(Nasty, RegressionOnOneRepeatedRowIsUndefined) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Columns xy = {reference::uniforms(3, 100 + seed), reference::uniforms(3, 200 + seed)};
    for (const Path path : {Path::gather, Path::stream}) {
      SCOPED_TRACE(testing::Message() << "data " << seed << ", path " << name(path));
      const Result result = bootstrap(reference::view(xy), statistic::regression(),
                                      {.replicates = 300, .seed = seed, .path = path});
      std::uint64_t repeated = 0;
      for (std::uint64_t r = 0; r < 300; ++r) {
        const auto counts = reference::counts_of(path, 3, seed, r);
        const bool one_row = *std::max_element(counts.begin(), counts.end()) == 3;
        repeated += one_row;
        ASSERT_EQ(std::isnan(result.replicate(r, 0)), one_row) << "replicate " << r;
        ASSERT_EQ(std::isnan(result.replicate(r, 1)), one_row) << "replicate " << r;
      }
      EXPECT_EQ(result.undefined(0), repeated);
      EXPECT_EQ(result.undefined(1), repeated);
    }
  }
}

TEST(Nasty, RegressionWithCollinearColumnsIsUndefined) {
  Columns columns = {reference::normals(60, 1), reference::normals(60, 2),
                     reference::normals(60, 2)};
  for (double& value : columns[2]) value = 3 * value + 0.1;
  const Result result =
      bootstrap(reference::view(columns), statistic::regression(), {.replicates = 500, .seed = 4});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(result.undefined(k), 500U);
    EXPECT_TRUE(std::isnan(result.estimate(k)));
    EXPECT_TRUE(std::isnan(result.standard_error(k)));
  }
}

TEST(Nasty, ConstantRowsAreUndefinedAndCounted) {
  // Two of three rows are equal: 8 of 27 resamples see these only, 1 of 27 the third row only.
  const std::vector<double> x = {0.1, 0.1, 0.7};
  const std::vector<double> y = {0.3, 0.3, 0.9};
  for (const Path path : {Path::gather, Path::stream}) {
    const Options options{.replicates = 300, .seed = 2, .path = path};
    const Result one = bootstrap(x,
                                 {statistic::skewness(), statistic::kurtosis(),
                                  statistic::sharpe_ratio(), statistic::variance()},
                                 options);
    const Result two = bootstrap(reference::view({x, y}), statistic::correlation(), options);
    std::uint64_t constant = 0;
    for (std::uint64_t r = 0; r < 300; ++r) {
      const auto counts = reference::counts_of(path, 3, 2, r);
      const bool same = counts[2] == 0 || counts[2] == 3;
      constant += same;
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::isnan(one.replicate(r, k)), same);
      EXPECT_EQ(one.replicate(r, 3) == 0, same);
      EXPECT_EQ(std::isnan(two.replicate(r)), same);
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one.undefined(k), constant);
    EXPECT_EQ(one.undefined(3), 0U);
    EXPECT_EQ(two.undefined(), constant);
    EXPECT_TRUE(std::isfinite(one.standard_error(0)));
  }
}

TEST(Nasty, ConstantDataHaveNoErrorAndNoShape) {
  for (const double value : {0.0, 1.0, -0.1, 1e300, 5e-324, 1.0 / 3})
    for (const std::size_t n : {1, 2, 16, 17, 300, 70000}) {
      SCOPED_TRACE(testing::Message() << n << " times " << value);
      const std::vector<double> x(n, value);
      const Result result =
          bootstrap(x, {statistic::mean(), statistic::variance(0), statistic::skewness()},
                    {.replicates = 50});
      EXPECT_EQ(result.estimate(0), value);
      EXPECT_THAT(std::vector<double>(result.replicates().begin(), result.replicates().end()),
                  testing::SizeIs(150));
      for (std::uint64_t r = 0; r < 50; ++r) {
        EXPECT_EQ(result.replicate(r, 0), value);
        EXPECT_EQ(result.replicate(r, 1), 0);
        EXPECT_TRUE(std::isnan(result.replicate(r, 2)));
      }
      EXPECT_EQ(result.standard_error(0), 0);
      EXPECT_EQ(result.bias(0), 0);
      EXPECT_EQ(result.undefined(2), 50U);
      const Result middle = bootstrap(x, statistic::median(), {.replicates = 50});
      EXPECT_EQ(middle.standard_error(), 0);
      EXPECT_EQ(middle.estimate(), value);
    }
}

// The variance (ddof 1) of one row does not exist; its mean does.
TEST(Nasty, OneRow) {
  const std::vector<double> x = {2.5};
  const Result result = bootstrap(
      x, {statistic::mean(), statistic::variance(), statistic::variance(0), statistic::sum()},
      {.replicates = 20});
  for (std::uint64_t r = 0; r < 20; ++r) {
    EXPECT_EQ(result.replicate(r, 0), 2.5);
    EXPECT_TRUE(std::isnan(result.replicate(r, 1)));
    EXPECT_EQ(result.replicate(r, 2), 0);
    EXPECT_EQ(result.replicate(r, 3), 2.5);
  }
  EXPECT_EQ(result.undefined(1), 20U);
  for (const auto& statistic :
       {statistic::median(), statistic::min(), statistic::max(), statistic::quantile(0.3)})
    EXPECT_EQ(bootstrap(x, statistic, {.replicates = 3}).replicate(2), 2.5);
  EXPECT_EQ(bootstrap(x, statistic::interquartile_range(), {.replicates = 3}).replicate(2), 0);
  EXPECT_EQ(bootstrap(x, statistic::trimmed_mean(0.2), {.replicates = 3}).replicate(2), 2.5);
}

// A mean of exactly 0 below the line: undefined, not 1e16.
TEST(Nasty, ARatioOverZeroIsUndefined) {
  const std::vector<double> y = {0.1, -0.1, 0.3, -0.3};
  const std::vector<double> x = {1, 2, 3, 4};
  for (const Path path : {Path::gather, Path::stream}) {
    const Result result = bootstrap(reference::view({x, y}), statistic::ratio(),
                                    {.replicates = 500, .seed = 9, .path = path});
    for (std::uint64_t r = 0; r < 500; ++r) {
      const auto counts = reference::counts_of(path, 4, 9, r);
      if (counts[0] != counts[1] || counts[2] != counts[3]) continue;
      EXPECT_TRUE(std::isnan(result.replicate(r))) << result.replicate(r);
    }
  }
}

}  // namespace nasty_test
}  // namespace bootfold
