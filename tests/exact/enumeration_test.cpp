// Every method against all n^n sequences of draws, and the methods against each other.
#include <gtest/gtest.h>

#include "bootfold/exact.h"
#include "exact/laws.h"
#include "statistic/laws.h"

namespace bootfold::exact {
namespace enumeration_test {

const std::vector<std::vector<double>>& samples() {
  static const std::vector<std::vector<double>> all = {
      {3, 1},
      {0.5, 2.25, -1.75},
      {1, 2, 2, 7},
      {0.1, 0.3, 0.7, 1.9, 2.2},
      {1.37, -0.11, 2.93, 0.05, 5.5, 5.5},
      {1, 0, 0, 1, 0, 1},
      {-3, -3, -3, 4, 4, 11},
      {1.0 / 3, std::sqrt(2.0), 0.1 + 0.2, 3.1, -2.0 / 7, std::exp(1.0)},
  };
  return all;
}

TEST(BruteForce, MeanByTheChosenMethod) {
  for (const auto& data : samples()) {
    SCOPED_TRACE(testing::PrintToString(data));
    expect_law(distribution(data, statistic::mean()), brute_force(data, mean_of));
  }
}

TEST(BruteForce, MeanByEnumerationAndByLattice) {
  for (const auto& data : samples()) {
    SCOPED_TRACE(testing::PrintToString(data));
    const auto expected = brute_force(data, mean_of);
    expect_law(distribution(data, statistic::mean(), {.method = Method::enumeration}), expected);
    if (data[0] == 1.0 / 3) continue;  // no lattice
    expect_law(distribution(data, statistic::mean(), {.method = Method::lattice}), expected);
  }
}

TEST(BruteForce, SumIsAMeanTimesRows) {
  const std::vector<double> data = {1.37, -0.11, 2.93, 0.05, 5.5, 5.5};
  expect_law(distribution(data, statistic::sum()),
             brute_force(data, [](const auto& r) { return 6 * mean_of(r); }));
}

TEST(BruteForce, QuantilesOfAnyWeight) {
  for (const auto& data : samples())
    for (const double q : {0.0, 0.1, 0.25, 0.37, 0.5, 0.8, 0.99, 1.0}) {
      SCOPED_TRACE(testing::Message() << testing::PrintToString(data) << " quantile " << q);
      const auto expected =
          brute_force(data, [q](const auto& r) { return reference::quantile(r, q); });
      expect_law(distribution(data, statistic::quantile(q)), expected);
      expect_law(distribution(data, statistic::quantile(q), {.method = Method::enumeration}),
                 expected);
    }
}

TEST(BruteForce, MinMaxMedianAndProportion) {
  for (const auto& data : samples()) {
    SCOPED_TRACE(testing::PrintToString(data));
    expect_law(distribution(data, statistic::min()), brute_force(data, [](const auto& r) {
                 return *std::min_element(r.begin(), r.end());
               }));
    expect_law(distribution(data, statistic::max()), brute_force(data, [](const auto& r) {
                 return *std::max_element(r.begin(), r.end());
               }));
    expect_law(distribution(data, statistic::median()),
               brute_force(data, [](const auto& r) { return reference::quantile(r, 0.5); }));
    expect_law(distribution(data, statistic::proportion(1)), brute_force(data, [](const auto& r) {
                 return static_cast<double>(
                            std::count_if(r.begin(), r.end(), [](double x) { return x > 1; })) /
                        static_cast<double>(r.size());
               }));
  }
}

double spread(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

struct Squares {
  double sum = 0;
  void accumulate(double value, double weight) { sum += weight * value * value; }
  void merge(const Squares& part) { sum += part.sum; }
  [[nodiscard]] double finish() const { return sum; }
};

// A user's own: a function of the resample, an accumulator, a function of sums, two quantiles.
TEST(BruteForce, AnyStatisticOfFewRows) {
  for (const auto& data : samples()) {
    SCOPED_TRACE(testing::PrintToString(data));
    expect_law(distribution(data, statistic::callable([](const statistic::Resample& r) {
                              return spread(r.column(0));
                            })),
               brute_force(data, [](const auto& r) { return spread(r); }));
    expect_law(distribution(data, statistic::accumulator(Squares{})),
               brute_force(data, [](const auto& r) {
                 double sum = 0;
                 for (const double x : r) sum += x * x;
                 return sum;
               }));
    expect_law(distribution(data, statistic::variance(0)), brute_force(data, [](const auto& r) {
                 const double m = mean_of(r);
                 double sum = 0;
                 for (const double x : r) sum += (x - m) * (x - m);
                 return sum / static_cast<double>(r.size());
               }));
    expect_law(distribution(data, statistic::interquartile_range()),
               brute_force(data, [](const auto& r) {
                 return reference::quantile(r, 0.75) - reference::quantile(r, 0.25);
               }));
  }
}

// Of 3 rows 3 of the 27 sequences draw one row only: there the correlation is undefined.
TEST(Enumeration, UndefinedValuesAreWeighedAndLeftOut) {
  const reference::Columns columns = {{1, 2, 4}, {3, 1, 7}};
  const Distribution law = distribution(reference::view(columns), statistic::correlation());
  EXPECT_NEAR(law.undefined(), 3.0 / 27, 1e-15);
  double sum = 0;
  for (const Atom& atom : law.atoms()) sum += atom.probability;
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_EQ(law.cdf(1), 1);
}

// A thousand rows with two distinct values: 1001 resamples, whatever the statistic.
TEST(Enumeration, FewDistinctRows) {
  std::vector<double> data(1000, 2.0);
  std::fill(data.begin(), data.begin() + 300, 5.0);
  const Distribution law = distribution(data, statistic::standard_deviation(0));
  EXPECT_EQ(law.method(), Method::enumeration);
  const Distribution share = distribution(data, statistic::proportion(3));
  EXPECT_EQ(share.method(), Method::binomial);
  // sd = 3 sqrt(p (1 - p)) rises with p up to 1/2.
  for (const double p : {0.28, 0.3, 0.313})
    EXPECT_NEAR(law.cdf(3 * std::sqrt(p * (1 - p))), share.cdf(p), 1e-11) << p;
}

// A lattice law of n rows against plain convolution of the law of one draw.
TEST(Lattice, IsTheConvolutionPower) {
  const std::vector<int> whole = {0, 0, 1, 3, 3, 3, 8, 20, 20, 41, 5, 6, 17, 2};
  for (const double step : {1.0, 0.01, 0.125, 5.0}) {
    std::vector<double> data;
    for (const int x : whole) data.push_back(-3 + step * x);
    const Distribution law = distribution(data, statistic::mean(), {.method = Method::lattice});
    const std::vector<double> expected = laws::law_of_sum(whole, whole.size());
    double below = 0;
    for (std::size_t sum = 0; sum < expected.size(); ++sum) {
      const double value = -3 + step * static_cast<double>(sum) / 14;
      EXPECT_NEAR(law.below(value), below, law.error_bound()) << value;
      below += expected[sum];
      EXPECT_NEAR(law.cdf(value), below, law.error_bound()) << value;
    }
    EXPECT_LT(law.error_bound(), 1e-12);
  }
}

// 0/1 data by all ways that there are.
TEST(Methods, AgreeOnZeroOneData) {
  std::vector<double> data(200);
  std::fill(data.begin(), data.begin() + 37, 1.0);
  const Distribution binomial = distribution(data, statistic::mean());
  EXPECT_EQ(binomial.method(), Method::binomial);
  const Distribution share = distribution(data, statistic::proportion());
  const Distribution lattice = distribution(data, statistic::mean(), {.method = Method::lattice});
  const Distribution all = distribution(data, statistic::mean(), {.method = Method::enumeration});
  for (int count = 0; count <= 200; ++count) {
    const double x = count / 200.0;
    EXPECT_NEAR(binomial.cdf(x), lattice.cdf(x), 1e-12);
    EXPECT_NEAR(binomial.cdf(x), all.cdf(x), 1e-12);
    EXPECT_NEAR(binomial.below(x), lattice.below(x), 1e-12);
    EXPECT_EQ(binomial.cdf(x), share.cdf(x));
  }
  EXPECT_NEAR(binomial.standard_error(), std::sqrt(0.185 * 0.815 / 200), 1e-13);
}

}  // namespace enumeration_test
}  // namespace bootfold::exact
