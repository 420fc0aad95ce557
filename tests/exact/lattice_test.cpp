// The common step of values, and laws of data that are whole numbers times a step that no decimal
// and no power of two is.
#include "exact/lattice.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "bootfold/exact.h"
#include "exact/laws.h"
#include "study/study.h"

namespace bootfold::exact {
namespace lattice_test {

template <class Value>
double step(const std::vector<Value>& data, unsigned threads = 1) {
  const Statistic mean = statistic::mean();
  study::Study study(data, {&mean, 1});
  study.look_at_columns({}, {});
  const std::set<Value> distinct(data.begin(), data.end());
  const auto lattice = find_lattice(ColumnView(data), study.problem().columns[0], distinct.size(),
                                    {.threads = threads});
  return lattice ? lattice->step : 0;
}

/// Whole numbers of [low, high], spread evenly but in no simple order.
std::vector<double> whole(std::size_t n, int low, int high) {
  std::vector<double> data;
  for (const double u : reference::uniforms(n, 5))
    data.push_back(low + std::floor(u * (high - low + 1)));
  return data;
}

template <class Function>
std::vector<double> mapped(std::vector<double> data, const Function& function) {
  for (double& x : data) x = function(x);
  return data;
}

// 15 significant digits, as R and spreadsheets write numbers.
double written(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", x);
  return std::stod(text);
}

TEST(Lattice, DecimalAndBinaryStepsAreFound) {
  using Data = std::vector<double>;
  EXPECT_EQ(step(Data{1, 5, 9}), 4);
  EXPECT_EQ(step(Data{0.1, 0.2, 0.7}), 0.1);
  EXPECT_EQ(step(Data{12.34, 0.04, -7.21}), 0.05);
  EXPECT_EQ(step(Data{12.34, 0.05, -7.21}), 0.01);
  EXPECT_EQ(step(Data{0.25, 0.5, 1.75}), 0.25);
  EXPECT_EQ(step(Data{1e9, 1e9 + 3, 1e9 + 9}), 3);
  EXPECT_EQ(step(Data{0x1p-30, 0x1p-29, 5 * 0x1p-31}), 0x1p-31);
  EXPECT_EQ(step(Data{0, 0x1p-1070, 0x1p-1073}), 0x1p-1073);
  EXPECT_EQ(step(Data{1 + 0x1p-20, 2.5, 7 + 3 * 0x1p-20}), 0x1p-20);
  EXPECT_EQ(step(Data{std::sqrt(2.0), std::exp(1.0), 1.0 / 3, 1e5 / 7}), 0);
  EXPECT_EQ(step(Data{1, 1e300}), 1e300);  // two values always have one
  EXPECT_EQ(step(Data{1, 7.5, 1e300}), 0);
}

struct Scaled {
  const char* name;
  std::vector<double> whole;
  double step;
  double offset;
  std::vector<double> data;
};

std::vector<Scaled> scaled() {
  const std::vector<double> fahrenheit = whole(200, 14, 101);
  const std::vector<double> ratings = whole(150, 1, 5);
  const std::vector<double> cents = whole(300, 100, 9'999'99);
  const std::vector<double> many = whole(300, 0, 900);
  const auto celsius = [](double f) { return (f - 32) * 5 / 9; };
  return {
      {"Celsius", fahrenheit, 5.0 / 9, -160.0 / 9, mapped(fahrenheit, celsius)},
      {"Celsius by a factor", fahrenheit, 5.0 / 9, -160.0 / 9,
       mapped(fahrenheit, [](double f) { return (f - 32) * (5.0 / 9); })},
      {"Celsius in 15 digits", fahrenheit, 5.0 / 9, -160.0 / 9,
       mapped(fahrenheit, [&](double f) { return written(celsius(f)); })},
      {"thirds", ratings, 1.0 / 3, 0, mapped(ratings, [](double r) { return r / 3; })},
      {"cents / 7", cents, 0.01 / 7, 0, mapped(cents, [](double c) { return c / 100 / 7; })},
      {"tenths from 1e6 on", many, 0.1, 1e6, mapped(many, [](double k) { return 1e6 + k * 0.1; })},
      {"thirds from 1e6 on", many, 1.0 / 3, 1e6,
       mapped(many, [](double k) { return 1e6 + k / 3; })},
      {"thirds from 1e9 on", many, 1.0 / 3, 1e9,
       mapped(many, [](double k) { return 1e9 + k / 3; })},
      {"multiples of pi", many, std::acos(-1.0), 0,
       mapped(many, [](double k) { return k * std::acos(-1.0); })},
      {"tiny sevenths", many, 1e-200 / 7, 0, mapped(many, [](double k) { return k * 1e-200 / 7; })},
  };
}

TEST(Lattice, StepsOfAnySizeAreFound) {
  for (const Scaled& one : scaled()) {
    SCOPED_TRACE(one.name);
    EXPECT_NEAR(step(one.data) / one.step, step(one.whole), 1e-6);
    EXPECT_EQ(step(one.data), step(one.data, 7));
    EXPECT_EQ(step(one.data), step(std::vector<double>(one.data.rbegin(), one.data.rend())));
  }
}

// The law of offset + step * k is that of the whole numbers k, moved and scaled.
TEST(Lattice, LawIsThatOfWholeNumbers) {
  for (const Scaled& one : scaled())
    for (const Statistic& statistic : {statistic::mean(), statistic::sum()}) {
      SCOPED_TRACE(testing::Message() << statistic.name() << ", " << one.name);
      const double rows = statistic.name() == "sum" ? static_cast<double>(one.data.size()) : 1;
      const auto value = [&](double v) { return rows * one.offset + one.step * v; };
      const Distribution expected = distribution(one.whole, statistic);
      const Distribution found = distribution(one.data, statistic);
      ASSERT_EQ(expected.method(), Method::lattice);
      ASSERT_EQ(found.method(), Method::lattice);
      EXPECT_LT(found.error_bound(), 1e-11);
      // Numbers from 1e9 on are themselves known to 1e-7 only.
      const double error = one.step * expected.standard_error();
      const double near = 1e-9 * error + 1e-15 * std::abs(rows * one.offset);
      EXPECT_NEAR(found.standard_error(), error, 1e-9 * error);
      EXPECT_NEAR(found.estimate(), value(expected.estimate()), near);
      for (const double p : {0.001, 0.025, 0.3, 0.5, 0.77, 0.975, 0.9999}) {
        const double v = expected.quantile(p);
        const double x = found.quantile(p);
        ASSERT_NEAR(x, value(v), near) << p;
        EXPECT_NEAR(found.cdf(x), expected.cdf(v), 1e-9) << p;
        EXPECT_NEAR(found.below(x), expected.below(v), 1e-9) << p;
        EXPECT_NEAR(found.probability(value(v)), expected.probability(v), 1e-9) << p;
      }
      EXPECT_NEAR(found.z0(), expected.z0(), 1e-9);
      const Interval interval = found.bca(0.02);
      EXPECT_NEAR(interval.low, value(expected.bca(0.02).low), near);
      EXPECT_NEAR(interval.high, value(expected.bca(0.02).high), near);
    }
}

// A column of floats is known to the rounding of floats.
TEST(Lattice, StepsOfFloats) {
  std::vector<float> thirds;
  for (const double k : whole(100, 1, 5)) thirds.push_back(static_cast<float>(k) / 3);
  EXPECT_NEAR(step(thirds), 1.0 / 3, 1e-6);
  EXPECT_EQ(distribution(thirds, statistic::mean()).method(), Method::lattice);
}

// The rule: every value is within 2^-46 of the largest size of a lattice that begins at the
// smallest value and ends at the largest.
TEST(Lattice, ValuesMayBeOffByRounding) {
  std::vector<double> data = mapped(whole(200, 1, 300), [](double k) { return k / 7; });
  data[0] = 1.0 / 7;
  data[1] = 300.0 / 7;
  const double largest = 300.0 / 7;
  for (const double off : {-0.9, -0.3, 0.3, 0.9}) {
    std::vector<double> moved = data;
    moved[17] += off * 0x1p-46 * largest;
    EXPECT_NEAR(step(moved), 1.0 / 7, 1e-12) << off;
  }
  for (const double off : {-1e6, -100.0, -1.2, 1.2, 100.0, 1e6}) {
    std::vector<double> moved = data;
    moved[17] += off * 0x1p-46 * largest;
    EXPECT_EQ(step(moved), 0) << off;
  }
}

// Next to an outlier small values are off by their own rounding, not by that of the outlier.
TEST(Lattice, AnOutlierDoesNotBlurTheRest) {
  std::vector<double> data = normals(16, 4);
  data[5] = 1e4;
  const double expected = distribution(data, statistic::mean()).quantile(0.025);
  EXPECT_LT(std::abs(expected), 1);  // the outlier is not drawn
  for (const double outlier : {1e12, 1e15, 1e18, 1e300}) {
    data[5] = std::sqrt(2) * outlier;
    EXPECT_EQ(step(data), 0) << outlier;
    EXPECT_NEAR(distribution(data, statistic::mean()).quantile(0.025), expected, 1e-12) << outlier;
  }
}

// At most 2^21 steps where the values reach down to 0, fewer where an offset costs digits.
TEST(Lattice, MayHaveTwoMillionSteps) {
  const auto sevenths = [](double most) {
    return std::vector<double>{0, 1.0 / 7, 5.0 / 7, 11.0 / 7, most / 7};
  };
  EXPECT_NEAR(step(sevenths(2'000'003)), 1.0 / 7, 1e-12);
  EXPECT_EQ(step(sevenths(2'200'003)), 0);
}

// Numbers without a step have one by chance, of K steps among m distinct values, with probability
// below 1e-6 for every data set: fewer than 0.03 of these 22,000 on average.
TEST(Lattice, NumbersWithoutAStepHaveNone) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed)
    for (const std::size_t n : {3U, 4U, 5U, 20U})
      EXPECT_EQ(step(normals(n, seed)), 0) << n << ", seed " << seed;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::vector<double> data = normals(6, seed);
    for (double& x : data) x = std::exp(3 * x);
    EXPECT_EQ(step(data), 0) << "seed " << seed;
  }
  std::vector<double> repeated = normals(4, 3);
  for (int i = 0; i < 500; ++i) repeated.push_back(repeated[static_cast<std::size_t>(i % 4)]);
  EXPECT_EQ(step(repeated), 0);
}

}  // namespace lattice_test
}  // namespace bootfold::exact
