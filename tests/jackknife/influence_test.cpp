// What one row does to a statistic: against naive deletion, published numbers, and theory.
#include "bootfold/influence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace influence_test {

using reference::Columns;
using testing::HasSubstr;

const Columns kLaw = {reference::kLsat, reference::kGpa};
const Columns kCity = {reference::kCityX, reference::kCityU};
const Columns kPatch = {{-1200, 2601, -2705, 1982, -1290, 351, -638, -2719},
                        {8406, 2342, 8187, 8459, 4795, 3516, 4796, 10238}};

struct Naive {
  double second = 0;
  double third = 0;
  double mean = 0;
};

/// By deleting every row and computing anew with 113 bits.
Naive naive(std::string_view name, const Columns& columns, std::size_t output = 0) {
  const std::size_t n = columns[0].size();
  std::vector<double> values;
  Naive found;
  for (std::size_t i = 0; i < n; ++i) {
    reference::Counts counts(n, 1);
    counts[i] = 0;
    values.push_back(reference::values(name, columns, counts)[output]);
    found.mean += values.back() / static_cast<double>(n);
  }
  for (const double value : values) {
    const double u = static_cast<double>(n - 1) * (found.mean - value);
    found.second += u * u;
    found.third += u * u * u;
  }
  return found;
}

// Rounding: a delete-one value is known to about 1e-16, a difference of two to 1e-16 n.
void expect_same(const Influence& found, const Naive& wanted, double relative = 1e-9) {
  const double size = std::sqrt(wanted.second);
  EXPECT_TRUE(reference::close(found.second, wanted.second, relative));
  EXPECT_NEAR(found.third, wanted.third, relative * size * size * size);
  EXPECT_TRUE(reference::close(found.mean, wanted.mean, 1e-11, 1e-3));
}

TEST(Influence, FunctionsOfSumsAreDowndated) {
  const Columns normal = {reference::normals(50, 1), reference::normals(50, 2),
                          reference::normals(50, 3)};
  for (const char* name : {"mean", "sum", "variance", "variance:0", "standard_deviation",
                           "skewness", "kurtosis", "sharpe_ratio", "proportion"}) {
    SCOPED_TRACE(name);
    const auto found = influence(normal[0], statistic::parse(name));
    ASSERT_EQ(found.size(), 1U);
    expect_same(found[0], naive(name, {normal[0]}));
    EXPECT_EQ(found[0].method, "downdated sums");
    EXPECT_EQ(found[0].rows, 50);
    EXPECT_TRUE(found[0].usable());
  }
  for (const char* name : {"ratio", "covariance", "correlation"}) {
    SCOPED_TRACE(name);
    const Columns two = {normal[0], normal[1]};
    expect_same(influence(reference::view(two), statistic::parse(name))[0], naive(name, two));
  }
  const auto found = influence(reference::view(normal), statistic::regression());
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) expect_same(found[k], naive("regression", normal, k));
}

// Far from zero the centred columns keep the digits.
TEST(Influence, NumbersFarFromZero) {
  std::vector<double> x = reference::normals(300, 4);
  for (double& value : x) value += 1e6;
  for (const char* name : {"mean", "variance", "standard_deviation"}) {
    SCOPED_TRACE(name);
    expect_same(influence(x, statistic::parse(name))[0], naive(name, {x}), 1e-5);
  }
}

TEST(Influence, QuantilesInClosedForm) {
  for (const std::size_t n : {2U, 3U, 4U, 5U, 10U, 11U, 50U, 101U})
    for (const double q : {0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 1.0}) {
      SCOPED_TRACE(testing::Message() << n << " rows, quantile " << q);
      std::vector<double> x = reference::normals(n, n);
      if (n == 50)
        for (double& value : x) value = std::round(value);  // ties
      std::vector<double> values;
      Naive wanted;
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> fewer = x;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        values.push_back(reference::quantile(fewer, q));
        wanted.mean += values.back() / static_cast<double>(n);
      }
      for (const double value : values) {
        const double u = static_cast<double>(n - 1) * (wanted.mean - value);
        wanted.second += u * u;
        wanted.third += u * u * u;
      }
      const auto found = influence(x, statistic::quantile(q));
      EXPECT_NEAR(found[0].second, wanted.second, 1e-9 * (1 + wanted.second));
      EXPECT_NEAR(found[0].third, wanted.third, 1e-9 * std::pow(1 + wanted.second, 1.5));
      EXPECT_NEAR(found[0].mean, wanted.mean, 1e-12);
      EXPECT_EQ(found[0].method, "order statistics");
    }
}

Statistic called_range() {
  return statistic::callable([](const statistic::Resample& resample) {
    const std::vector<double> copy(resample.column(0).begin(), resample.column(0).end());
    return reference::quantile(copy, 0.75) - reference::quantile(copy, 0.25);
  });
}

TEST(Influence, InterquartileRangeIsThatOfACallable) {
  const std::vector<double> x = reference::normals(41, 6);
  const auto closed = influence(x, statistic::interquartile_range())[0];
  const auto called = influence(x, called_range())[0];
  EXPECT_NEAR(closed.second, called.second, 1e-10);
  EXPECT_NEAR(closed.third, called.third, 1e-9);
  EXPECT_EQ(called.method, "delete-one");
}

struct Mean {
  double sum = 0;
  double rows = 0;
  void accumulate(double value, double weight) {
    sum += weight * value;
    rows += weight;
  }
  void merge(const Mean& part) {
    sum += part.sum;
    rows += part.rows;
  }
  [[nodiscard]] double finish() const { return sum / rows; }
};

Statistic called_mean() {
  return statistic::callable([](const statistic::Resample& resample) {
    double sum = 0;
    for (const double value : resample.column(0)) sum += value;
    return sum / static_cast<double>(resample.rows);
  });
}

TEST(Influence, CallablesAndAccumulatorsAreEvaluatedWithoutEachRow) {
  const std::vector<double> x = reference::normals(500, 7);
  for (const Statistic& statistic : {called_mean(), statistic::accumulator(Mean{})}) {
    SCOPED_TRACE(statistic.name());
    const auto found = influence(x, statistic);
    expect_same(found[0], naive("mean", {x}));
    EXPECT_EQ(found[0].method, "delete-one");
  }
}

// Beyond 10,000 rows: G = 1000 random groups, of the sums T of whose deviations d the sums of
// squares Q and cubes C estimate those of the rows, m_2 and m_3 (m_k: the sum of d^k). Rows share a
// group with probability 1/G, pairs independently of each other and triples nearly so, hence
// exactly for Q and to 1/G for C
//   var Q = 2/G (m_2^2 - m_4), cov = 6/G (m_3 m_2 - m_5),
//   var C = 9/G (m_4 m_2 + m_3^2 - 2 m_6) + 6/G^2 (m_2^3 - 3 m_4 m_2 + 2 m_6),
// and by the delta method those of the standard error and of the acceleration C / (6 Q^1.5). In
// 6000 simulated groupings of such rows the acceleration had skewness 0.24 and kurtosis 3.2: six
// deviations happen less than once in a million. Sorted rows must not matter.
TEST(Influence, GroupsOfManyRows) {
  std::vector<double> x = reference::uniforms(20'000, 8);
  for (double& value : x) value = -std::log(value);
  std::sort(x.begin(), x.end());
  constexpr double kGroups = 1000;
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  std::array<double, 7> m = {};
  for (const double value : x)
    for (int k = 2; k <= 6; ++k) m.at(static_cast<std::size_t>(k)) += std::pow(value - mean, k);
  const double of_squares = 2 / kGroups * (m[2] * m[2] - m[4]);
  const double of_both = 6 / kGroups * (m[3] * m[2] - m[5]);
  const double of_cubes = 9 / kGroups * (m[4] * m[2] + m[3] * m[3] - 2 * m[6]) +
                          6 / kGroups / kGroups * (m[2] * m[2] * m[2] - 3 * m[4] * m[2] + 2 * m[6]);
  const double slope = 1.5 * m[3] / m[2];
  const double of_acceleration =
      (of_cubes - 2 * slope * of_both + slope * slope * of_squares) / (36 * std::pow(m[2], 3));
  const auto exact = influence(x, statistic::mean())[0];
  ASSERT_GT(exact.acceleration(), 4 * std::sqrt(of_acceleration));  // there is something to see
  for (const Statistic& statistic : {called_mean(), statistic::accumulator(Mean{})}) {
    const auto found = influence(x, statistic)[0];
    EXPECT_EQ(found.method, "delete-a-group, 1000 groups");
    EXPECT_EQ(found.rows, 1000);
    EXPECT_NEAR(found.standard_error() / exact.standard_error(), 1,
                6 * std::sqrt(of_squares) / (2 * m[2]));
    EXPECT_NEAR(found.acceleration(), exact.acceleration(), 6 * std::sqrt(of_acceleration));
  }
}

TEST(Influence, LawSchool) {
  const auto found = influence(reference::view(kLaw), statistic::correlation())[0];
  EXPECT_NEAR(found.estimate, 0.776374491289, 1e-12);
  EXPECT_NEAR(found.standard_error(), 0.142518618602, 1e-11);
  EXPECT_NEAR(found.acceleration(), -0.075671564938, 1e-11);
  const auto derivatives = infinitesimal(reference::view(kLaw), statistic::correlation())[0];
  EXPECT_NEAR(derivatives.standard_error(), 0.124276, 5e-7);
  EXPECT_EQ(derivatives.method, "derivatives of sums");
}

TEST(Influence, Patch) {
  const auto found = influence(reference::view(kPatch), statistic::ratio())[0];
  EXPECT_NEAR(found.estimate, -0.0713061, 5e-8);
  EXPECT_NEAR(found.bias(), 0.0080025, 5e-8);
  EXPECT_NEAR(found.standard_error(), 0.1055278, 5e-8);
}

TEST(Influence, City) {
  const auto found = infinitesimal(reference::view(kCity), statistic::ratio())[0];
  EXPECT_NEAR(found.estimate, 1.5203125, 1e-12);
  // R boot's derivatives are differences to one side over a step of 0.001 / n, 1e-4: so their sum
  // is off by a few 1e-5 of itself.
  EXPECT_NEAR(found.standard_error() * found.standard_error(), 0.03248701, 3e-5 * 0.03248701);
  double exact = 0;
  for (std::size_t i = 0; i < 10; ++i)
    exact += std::pow((reference::kCityX[i] - 1.5203125 * reference::kCityU[i]) / 64, 2) / 100;
  EXPECT_NEAR(found.standard_error() * found.standard_error(), exact, 1e-9);
}

TEST(Influence, Sixteen) {
  EXPECT_NEAR(influence(reference::kSixteen, statistic::mean())[0].acceleration(), .06152887, 5e-9);
}

TEST(Influence, SeveralSamplesCombine) {
  const auto treatment = influence(reference::kTreatment, statistic::mean())[0];
  const auto control = influence(reference::kControl, statistic::mean())[0];
  const auto both = combined_influence({{treatment, 1}, {control, -1}});
  EXPECT_NEAR(both.acceleration(), 0.011008228344026734, 1e-15);
  EXPECT_NEAR(both.estimate, treatment.estimate - control.estimate, 1e-12);
  // The two exact standard errors of the bootstrap: for means derivatives give them.
  EXPECT_NEAR(both.standard_error(), std::hypot(23.3635234373, 13.3303494604), 1e-8);
  EXPECT_NEAR(combined_influence({{treatment, 2}}).acceleration(), treatment.acceleration(), 1e-15);
  const auto constant = influence(std::vector<double>{5, 5, 5}, statistic::mean())[0];
  EXPECT_NEAR(combined_influence({{treatment, 1}, {constant, -1}}).acceleration(),
              treatment.acceleration(), 1e-15);
  EXPECT_FALSE(combined_influence({{constant, 1}}).usable());
  const auto undefined = influence(std::vector<double>{1, 1, 9}, statistic::skewness())[0];
  EXPECT_EQ(combined_influence({{treatment, 1}, {undefined, 1}}).problem, undefined.problem);
}

// Above 2^20 rows the step is larger than 1 / (n - 1), and nothing else changes.
TEST(Influence, MillionsOfRows) {
  std::vector<double> x = reference::uniforms(1'100'000, 9);
  for (double& value : x) value = 1000 - std::log(value);
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  double second = 0;
  double third = 0;
  for (const double value : x) {
    second += std::pow(value - mean, 2);
    third += std::pow(value - mean, 3);
  }
  const auto found = influence(x, {statistic::mean(), statistic::standard_deviation()});
  EXPECT_EQ(found[0].method, "downdated sums, steps of 2^-20");
  EXPECT_TRUE(reference::close(found[0].second, second, 1e-5));
  EXPECT_TRUE(reference::close(found[0].acceleration(), third / (6 * std::pow(second, 1.5)), 1e-5));
  EXPECT_TRUE(reference::close(found[0].standard_error(),
                               std::sqrt(second) / static_cast<double>(x.size()), 1e-5));
  // Exponential: the standard deviation has influence (d^2 - 1) / 2, of variance (9 - 1) / 4.
  EXPECT_NEAR(found[1].standard_error() * std::sqrt(1.1e6), std::sqrt(2.0), 0.05);
  // Its bias is that of the square root: -(kurtosis - 1) / 8 / n = -1 / n.
  EXPECT_NEAR(found[1].bias() * 1.1e6, -1, 0.1);
}

TEST(Influence, TheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> x = reference::normals(700'000, 10);
  const std::vector<double> few = reference::normals(300, 11);
  const auto numbers = [](const Influence& found) {
    return std::vector<double>{found.second, found.third, found.mean, found.shift, found.estimate};
  };
  for (const Statistic& statistic : {statistic::kurtosis(), statistic::median()})
    for (const unsigned threads : {1U, 2U, 7U})
      EXPECT_EQ(numbers(influence(x, statistic, {.execution = {.threads = threads}})[0]),
                numbers(influence(x, statistic, {.execution = {.threads = 3}})[0]));
  for (const unsigned threads : {1U, 2U, 7U})
    EXPECT_EQ(numbers(influence(few, called_mean(), {.execution = {.threads = threads}})[0]),
              numbers(influence(few, called_mean(), {.execution = {.threads = 3}})[0]));
}

TEST(Influence, StatisticsOfAllKindsTogether) {
  const std::vector<double> x = reference::normals(200, 12);
  const auto together = influence(x, {statistic::median(), statistic::mean(), called_mean()});
  ASSERT_EQ(together.size(), 3U);
  EXPECT_EQ(together[0].second, influence(x, statistic::median())[0].second);
  EXPECT_EQ(together[1].second, influence(x, statistic::mean())[0].second);
  EXPECT_EQ(together[2].second, influence(x, called_mean())[0].second);
}

TEST(Influence, NothingVaries) {
  for (const Statistic& statistic :
       {statistic::mean(), statistic::median(), called_mean(), statistic::variance()}) {
    SCOPED_TRACE(statistic.name());
    const auto found = influence(std::vector<double>(20, 0.1), statistic)[0];
    EXPECT_FALSE(found.usable());
    EXPECT_THAT(found.problem, HasSubstr("0/0"));
    EXPECT_TRUE(std::isnan(found.acceleration()));
    EXPECT_EQ(found.standard_error(), 0);
  }
}

TEST(Influence, UndefinedWithoutARow) {
  // Without the 9 the rest is constant and has no skewness.
  const auto found = influence(std::vector<double>{1, 1, 1, 1, 9}, statistic::skewness())[0];
  EXPECT_FALSE(found.usable());
  EXPECT_EQ(found.undefined, 1U);
  EXPECT_THAT(found.problem, HasSubstr("1 of the 5 rows"));
  EXPECT_TRUE(std::isnan(found.acceleration()));
  EXPECT_TRUE(std::isnan(found.standard_error()));
}

TEST(Influence, OneRow) {
  for (const Statistic& statistic :
       {statistic::mean(), statistic::median(), called_mean(), statistic::variance()}) {
    SCOPED_TRACE(statistic.name());
    const auto found = influence(std::vector<double>{3}, statistic)[0];
    EXPECT_FALSE(found.usable());
    EXPECT_THAT(found.problem, HasSubstr("only one row"));
  }
}

TEST(Influence, NumbersWhoseCubesNoDoubleHolds) {
  std::vector<double> x = reference::normals(30, 13);
  for (double& value : x) value *= 1e150;
  const auto found = influence(x, statistic::mean())[0];
  EXPECT_FALSE(found.usable());
  EXPECT_THAT(found.problem, HasSubstr("scale the column"));
}

TEST(Influence, CanBeCancelled) {
  std::stop_source stop;
  std::atomic<int> calls = 0;
  const auto slow = statistic::callable([&](const statistic::Resample&) {
    if (++calls == 5) stop.request_stop();
    return 0.0;
  });
  EXPECT_THROW(static_cast<void>(influence(reference::normals(5000, 1), slow,
                                           {.execution = {.stop = stop.get_token()}})),
               Cancelled);
  EXPECT_LT(calls, 100);
}

TEST(Influence, DerivativesAreForFunctionsOfSums) {
  EXPECT_THAT(reference::message_of<InvalidArgument>([] {
                static_cast<void>(infinitesimal(reference::kSixteen, statistic::median()));
              }),
              HasSubstr("influence()"));
}

// Rows drawn one by one alike, whatever their counts' law: the same as iid.
TEST(Influence, SchemesThatDrawRowsAlike) {
  const std::vector<double> x = reference::normals(60, 14);
  const double iid = influence(x, statistic::mean())[0].second;
  for (const Scheme& scheme : {Scheme(scheme::Poisson{}), Scheme(scheme::Bayesian{}),
                               Scheme(scheme::Balanced{}), Scheme(scheme::Iid{.size = 60})})
    EXPECT_EQ(influence(x, statistic::mean(), {.scheme = scheme})[0].second, iid);
}

}  // namespace influence_test
}  // namespace bootfold
