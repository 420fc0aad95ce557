// What rows do under other schemes: skewness and standard error of means over all resamples.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "bootfold/bootstrap.h"
#include "bootfold/influence.h"
#include "statistic/reference.h"

namespace bootfold {
namespace law_test {

using Labels = std::vector<std::uint32_t>;

/// The law of a number over all resamples.
class Law {
 public:
  void add(long double value, long double probability) {
    for (int k = 0; k < 4; ++k) sums_[k] += probability * std::pow(value, k);
  }
  [[nodiscard]] double deviation() const {
    EXPECT_NEAR(static_cast<double>(sums_[0]), 1, 1e-14);
    return static_cast<double>(std::sqrt(second()));
  }
  [[nodiscard]] double mean() const { return static_cast<double>(sums_[1]); }
  /// A sixth of the skewness.
  [[nodiscard]] double acceleration() const {
    const long double mean = sums_[1];
    const long double third = sums_[3] - 3 * mean * sums_[2] + 2 * mean * mean * mean;
    return static_cast<double>(third / (6 * std::pow(second(), 1.5L)));
  }

 private:
  [[nodiscard]] long double second() const { return sums_[2] - sums_[1] * sums_[1]; }
  long double sums_[4] = {};
};

/// Calls see(digits) for all numbers with these bases.
void for_all(const std::vector<std::size_t>& bases,
             const std::function<void(const std::vector<std::size_t>&)>& see) {
  std::vector<std::size_t> digits(bases.size());
  for (;;) {
    see(digits);
    std::size_t at = 0;
    while (at < digits.size() && ++digits[at] == bases[at]) digits[at++] = 0;
    if (at == digits.size()) return;
  }
}

/// `draws` independent rows, each with its probability.
Law law_of_draws(const std::vector<double>& x, const std::vector<double>& probabilities,
                 std::size_t draws) {
  Law law;
  for_all(std::vector<std::size_t>(draws, x.size()), [&](const auto& rows) {
    long double sum = 0;
    long double probability = 1;
    for (const std::size_t row : rows) {
      sum += x[row];
      probability *= probabilities[row];
    }
    law.add(sum / static_cast<long double>(draws), probability);
  });
  return law;
}

/// Blocks that start at one of the first `starts` rows, the last one cut.
Law law_of_blocks(const std::vector<double>& x, std::size_t starts, std::size_t length) {
  const std::size_t n = x.size();
  const std::size_t blocks = (n + length - 1) / length;
  Law law;
  for_all(std::vector<std::size_t>(blocks, starts), [&](const auto& start) {
    long double sum = 0;
    for (std::size_t place = 0; place < n; ++place)
      sum += x[(start[place / length] + place % length) % n];
    law.add(sum / static_cast<long double>(n),
            std::pow(static_cast<long double>(starts), -static_cast<long double>(blocks)));
  });
  return law;
}

/// All sequences of rows; the next row follows with probability 1 - 1 / length, or a new block.
Law law_of_stationary(const std::vector<double>& x, long double length) {
  const std::size_t n = x.size();
  const auto size = static_cast<long double>(n);
  Law law;
  for_all(std::vector<std::size_t>(n, n), [&](const auto& rows) {
    long double sum = x[rows[0]];
    long double probability = 1 / size;
    for (std::size_t i = 1; i < n; ++i) {
      sum += x[rows[i]];
      probability *= 1 / length / size + (rows[i] == (rows[i - 1] + 1) % n ? 1 - 1 / length : 0);
    }
    law.add(sum / size, probability);
  });
  return law;
}

Influence of_mean(const std::vector<double>& x, const Scheme& scheme) {
  return influence(x, statistic::mean(), {.scheme = scheme})[0];
}

/// The mean is linear: standard error and acceleration are those of the law itself.
void expect_law(const Influence& found, const Law& law) {
  EXPECT_TRUE(found.usable()) << found.problem;
  EXPECT_TRUE(reference::close(found.standard_error(), law.deviation(), 1e-12));
  EXPECT_NEAR(found.acceleration(), law.acceleration(), 1e-12);
}

/// And so are ABC's.
void expect_law(const AbcCurve& found, const Law& law) {
  EXPECT_EQ(found.problem, "");
  EXPECT_TRUE(reference::close(found.deviation, law.deviation(), 1e-10));
  EXPECT_NEAR(found.acceleration, law.acceleration(), 1e-9);
  EXPECT_NEAR(found.curvature, 0, 1e-5);  // differences over small steps
}

AbcCurve curve_of(const DataView& data, const Statistic& statistic, const Scheme& scheme) {
  return abc_curves(data, {&statistic, 1}, {.scheme = scheme})[0];
}

const std::vector<double> kFive = {1, 7, 2.5, 30, 4};
const std::vector<double> kSix = {1, 7, 2.5, 30, 4, -3};

TEST(InfluenceLaw, OfMoreOrFewerDrawsHasTheSkewnessOfAllResamples) {
  for (const std::uint64_t size : {1U, 3U, 5U, 7U}) {
    SCOPED_TRACE(size);
    const Law law = law_of_draws(kFive, std::vector<double>(5, 0.2), size);
    const Influence found = of_mean(kFive, scheme::Iid{.size = size});
    EXPECT_NEAR(found.acceleration(), law.acceleration(), 1e-12);
    if (size != 5) expect_law(found, law);
    expect_law(curve_of(kFive, statistic::mean(), scheme::Iid{.size = size}), law);
  }
}

TEST(InfluenceLaw, WeightedHasTheSkewnessOfAllResamples) {
  const std::vector<double> weights = {1, 3, 0, 0.5, 3.5};
  std::vector<double> probabilities;
  for (const double weight : weights) probabilities.push_back(weight / 8);
  for (const std::uint64_t size : {0U, 3U, 6U}) {
    SCOPED_TRACE(size);
    const Law law = law_of_draws(kFive, probabilities, size == 0 ? 5 : size);
    const Scheme scheme = scheme::Unequal{weights, size};
    const Influence found = of_mean(kFive, scheme);
    expect_law(found, law);
    EXPECT_EQ(found.method, "downdated sums, with unequal probabilities");
    EXPECT_NEAR(found.estimate, law.mean(), 1e-13);
    expect_law(curve_of(kFive, statistic::mean(), scheme), law);
  }
}

TEST(InfluenceLaw, StratifiedHasTheSkewnessOfAllResamples) {
  const Labels strata = {4, 0, 4, 0, 4, 2};  // the last row is alone, and constant under the scheme
  Law law;
  for_all({3, 3, 3, 2, 2}, [&](const auto& digits) {
    const std::size_t of_four[] = {0, 2, 4};
    const std::size_t of_zero[] = {1, 3};
    long double sum = kSix[5];
    for (std::size_t k = 0; k < 3; ++k) sum += kSix[of_four[digits[k]]];
    for (std::size_t k = 3; k < 5; ++k) sum += kSix[of_zero[digits[k]]];
    law.add(sum / 6, 1 / 108.0L);
  });
  const Scheme scheme = scheme::Stratified{strata};
  expect_law(of_mean(kSix, scheme), law);
  EXPECT_EQ(of_mean(kSix, scheme).method, "downdated sums, within strata");
  EXPECT_EQ(of_mean(kSix, scheme).rows, 6);
  expect_law(curve_of(kSix, statistic::mean(), scheme), law);
}

TEST(InfluenceLaw, BlocksHaveTheSkewnessOfAllResamples) {
  for (const auto& x : {kFive, kSix})
    for (const std::size_t length : {1U, 2U, 3U, 4U}) {
      SCOPED_TRACE(testing::Message() << x.size() << " rows, blocks of " << length);
      expect_law(of_mean(x, scheme::MovingBlocks{length}),
                 law_of_blocks(x, x.size() - length + 1, length));
      expect_law(of_mean(x, scheme::CircularBlocks{length}), law_of_blocks(x, x.size(), length));
    }
  EXPECT_EQ(of_mean(kFive, scheme::MovingBlocks{2}).method, "downdated sums, in blocks");
}

TEST(InfluenceLaw, StationaryBlocksHaveTheSkewnessOfAllResamples) {
  for (const auto& x : {kFive, kSix})
    for (const double length : {1.0, 1.25, 2.0, 4.5, 5.0}) {
      SCOPED_TRACE(testing::Message() << x.size() << " rows, blocks of " << length);
      expect_law(of_mean(x, scheme::StationaryBlocks{length}), law_of_stationary(x, length));
    }
}

// The same of more rows by summing over all pairs and triples of places.
TEST(InfluenceLaw, StationaryBlocksOfManyLengths) {
  std::vector<double> x = reference::uniforms(83, 5);
  for (double& value : x) value = -std::log(value);
  const std::size_t n = x.size();
  const auto size = static_cast<long double>(n);
  long double mean = 0;
  for (const double value : x) mean += value / size;
  for (const double length : {1.5, 9.0, 40.0, 83.0}) {
    long double second = 0;
    long double third = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const long double a = x[i] - mean;
      long double inside = 0;
      second += a * a;
      third += a * a * a;
      for (std::size_t m = 1; m < n; ++m) {
        const long double b = x[(i + m) % n] - mean;
        const long double weight =
            (1 - m / size) * std::pow(1 - 1 / static_cast<long double>(length), m);
        second += 2 * weight * a * b;
        third += 3 * weight * a * b * (a + b + 2 * inside);
        inside += b;
      }
    }
    const Influence found = of_mean(x, scheme::StationaryBlocks{length});
    EXPECT_TRUE(reference::close(found.second, static_cast<double>(second), 1e-10));
    EXPECT_NEAR(found.acceleration(), static_cast<double>(third / (6 * std::pow(second, 1.5L))),
                1e-11);
  }
}

TEST(InfluenceLaw, TwoStagesHaveTheSkewnessOfAllResamples) {
  const Labels clusters = {0, 0, 1, 1, 5, 5};
  Law law;
  for_all({3, 3, 3, 2, 2, 2, 2, 2, 2}, [&](const auto& digits) {
    long double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += kSix[2 * digits[k / 2] + digits[3 + k]];
    law.add(sum / 6, 1 / (27.0L * 64));
  });
  const Influence found = of_mean(kSix, scheme::Cluster{clusters, true});
  expect_law(found, law);
  EXPECT_EQ(found.method, "downdated sums, in two stages");
}

// Equal clusters: the mean of their means.
TEST(InfluenceLaw, WholeClustersHaveTheSkewnessOfAllResamples) {
  const Labels clusters = {0, 0, 1, 1, 5, 5};
  const std::vector<double> means = {4, 16.25, 0.5};
  const Law law = law_of_draws(means, std::vector<double>(3, 1 / 3.0), 3);
  const Influence found = of_mean(kSix, scheme::Cluster{clusters});
  EXPECT_NEAR(found.acceleration(), law.acceleration(), 1e-12);
  EXPECT_EQ(found.method, "downdated sums, by cluster");
  EXPECT_EQ(found.rows, 3);
}

// And of the replicates that are really drawn. 200,000 of them know a standard error to 0.0016 of
// it or a little more (their kurtosis is near 3), and a sixth of the skewness to
// sqrt(6 / 200000) / 6 = 0.0009: six such errors are passed by chance once in 10^8. The seed is
// fixed.
TEST(InfluenceLaw, ReplicatesOfEveryScheme) {
  std::vector<double> x = reference::uniforms(60, 2);
  for (double& value : x) value = -std::log(value);
  const std::vector<double> weights = reference::uniforms(60, 3);
  Labels thirds(60);
  Labels clusters(60);
  for (std::uint32_t i = 0; i < 60; ++i) {
    thirds[i] = i % 9 / 3;
    clusters[i] = i / 3;
  }
  for (const Scheme& scheme :
       {Scheme(scheme::Iid{}), Scheme(scheme::Iid{25}), Scheme(scheme::Iid{100}),
        Scheme(scheme::Unequal{weights}), Scheme(scheme::Unequal{weights, 33}),
        Scheme(scheme::Stratified{thirds}), Scheme(scheme::Cluster{clusters}),
        Scheme(scheme::Cluster{clusters, true}), Scheme(scheme::MovingBlocks{7}),
        Scheme(scheme::CircularBlocks{7}), Scheme(scheme::StationaryBlocks{4})}) {
    SCOPED_TRACE(name(scheme));
    const Result result =
        bootstrap(x, statistic::mean(),
                  {.replicates = 200'000, .seed = 1, .scheme = scheme, .influence = true});
    Law law;
    for (const double value : result.replicates()) law.add(value - x[0], 1 / 200'000.0L);
    const Influence& found = result.companions().influences[0];
    // The jackknife's standard error has another divisor: n - 1.
    const double error =
        found.deleted ? std::sqrt(found.second) / found.rows : found.standard_error();
    EXPECT_TRUE(reference::close(error, law.deviation(), 0.01));
    EXPECT_NEAR(found.acceleration(), law.acceleration(), 0.0054);
    EXPECT_GT(found.acceleration(), 0.01);
  }
}

}  // namespace law_test
}  // namespace bootfold
