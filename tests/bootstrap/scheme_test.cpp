// Every scheme through the engine: the fast ways of functions of sums give what drawing the
// resample out gives, standard errors are those of theory, and bits do not depend on threads,
// instruction set, memory or how a run is cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "random/theory.h"
#include "statistic/reference.h"

namespace bootfold {
namespace scheme_test {

using reference::normals;
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::uint32_t> labels(std::size_t rows, std::uint32_t groups) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < rows; ++i)
    result.push_back(static_cast<std::uint32_t>(i * i + i / 3) % groups);
  return result;
}

Statistic callable_mean() {
  return statistic::callable([](const statistic::Resample& r) {
    const auto x = r.column(0);
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  });
}

struct Named {
  const char* name;
  Scheme scheme;
};

/// All schemes on `rows` rows; labels and weights live as long as the fixture.
class Schemes : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 1500;
  const std::vector<double> x = normals(kRows, 3);
  const std::vector<std::uint32_t> strata = labels(kRows, 5);
  const std::vector<std::uint32_t> clusters = labels(kRows, 40);
  const std::vector<double> weights = reference::uniforms(kRows, 9);

  [[nodiscard]] std::vector<Named> drawing_rows() const {
    return {{"iid", scheme::Iid{}},
            {"fewer", scheme::Iid{200}},
            {"more", scheme::Iid{2000}},
            {"poisson", scheme::Poisson{}},
            {"balanced", scheme::Balanced{}},
            {"weighted", scheme::Unequal{weights}},
            {"stratified", scheme::Stratified{strata}},
            {"cluster", scheme::Cluster{clusters}},
            {"two stages", scheme::Cluster{clusters, true}},
            {"moving", scheme::MovingBlocks{20}},
            {"circular", scheme::CircularBlocks{20}},
            {"stationary", scheme::StationaryBlocks{20}}};
  }
  [[nodiscard]] std::vector<Named> all() const {
    auto schemes = drawing_rows();
    schemes.push_back({"bayesian", scheme::Bayesian{}});
    return schemes;
  }
  [[nodiscard]] static bool weighs(const Scheme& scheme) {
    return std::holds_alternative<scheme::Unequal>(scheme);
  }
};

// Where the fast way draws the same rows as the sampler, replicates agree one by one.
TEST_F(Schemes, GiveSumsThatEqualThoseOfTheDrawnRows) {
  for (const auto& [name, scheme] : drawing_rows()) {
    if (std::holds_alternative<scheme::Unequal>(scheme)) continue;
    SCOPED_TRACE(name);
    const bool streams = std::holds_alternative<scheme::Poisson>(scheme) ||
                         std::get_if<scheme::MovingBlocks>(&scheme) != nullptr ||
                         std::get_if<scheme::CircularBlocks>(&scheme) != nullptr ||
                         std::get_if<scheme::StationaryBlocks>(&scheme) != nullptr;
    Options options{.replicates = 100, .seed = 5, .scheme = scheme, .tolerance = 1e-12};
    if (!streams) options.path = Path::gather;
    const Result fast = bootstrap(x, statistic::mean(), options);
    options.path.reset();
    const Result drawn = bootstrap(x, callable_mean(), options);
    EXPECT_NEAR(fast.estimate(), drawn.estimate(), 1e-14);
    for (std::size_t r = 0; r < 100; ++r)
      ASSERT_NEAR(fast.replicate(r), drawn.replicate(r), 1e-10) << "replicate " << r;
  }
}

double sum_of_squares(std::span<const double> x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum;
}

/// Whether the standard error of many replicates is `expected`; false alarm once in a million.
testing::AssertionResult has_error(const Result& result, double expected) {
  return theory::is_normal(result.standard_error(), expected, result.standard_error_error());
}

TEST_F(Schemes, HaveTheStandardErrorOfTheory) {
  const auto n = static_cast<double>(kRows);
  const auto run = [&](const Scheme& scheme) {
    return bootstrap(x, statistic::mean(),
                     {.replicates = 40'000, .seed = 8, .scheme = scheme, .rescale = 0});
  };
  const double squares = sum_of_squares(x);
  EXPECT_TRUE(has_error(run(scheme::Iid{}), std::sqrt(squares) / n));
  EXPECT_EQ(run(scheme::Iid{1400}).plan().path, Path::stream);
  EXPECT_TRUE(has_error(run(scheme::Iid{1400}), std::sqrt(squares / n / 1400)));
  EXPECT_EQ(run(scheme::Iid{30}).plan().path, Path::gather);
  EXPECT_TRUE(has_error(run(scheme::Iid{30}), std::sqrt(squares / n / 30)));
  EXPECT_TRUE(has_error(run(scheme::Iid{4000}), std::sqrt(squares / n / 4000)));
  EXPECT_EQ(run(scheme::Bayesian{}).plan().path, Path::weights);
  EXPECT_TRUE(has_error(run(scheme::Bayesian{}), std::sqrt(squares / n / (n + 1))));

  std::map<std::uint32_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < kRows; ++i) groups[strata[i]].push_back(x[i]);
  double within = 0;
  for (const auto& [label, values] : groups) within += sum_of_squares(values);
  EXPECT_EQ(run(scheme::Stratified{strata}).plan().path, Path::stream);
  EXPECT_TRUE(has_error(run(scheme::Stratified{strata}), std::sqrt(within) / n));
}

// Clusters of equal size: the mean is the mean of cluster means.
TEST(ClusterScheme, HasTheStandardErrorOfClusterMeans) {
  constexpr std::size_t kClusters = 500;
  constexpr std::size_t kSize = 4;
  const std::vector<double> x = normals(kClusters * kSize, 4);
  std::vector<std::uint32_t> cluster;
  std::vector<double> means(kClusters);
  for (std::size_t i = 0; i < x.size(); ++i) {
    cluster.push_back(static_cast<std::uint32_t>(i % kClusters));
    means[i % kClusters] += x[i] / kSize;
  }
  const Result result =
      bootstrap(x, statistic::mean(), {.replicates = 40'000, .scheme = scheme::Cluster{cluster}});
  EXPECT_THAT(result.plan().reason, HasSubstr("500 clusters"));
  EXPECT_EQ(result.plan().rows, x.size());
  EXPECT_TRUE(has_error(result, std::sqrt(sum_of_squares(means)) / kClusters));
}

/// The variance over all starts of the sum of `length` rows from a start on; rows go round.
double variance_of_windows(std::span<const double> x, std::size_t length, std::size_t starts) {
  std::vector<double> sums;
  for (std::size_t start = 0; start < starts; ++start) {
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += x[(start + i) % x.size()];
    sums.push_back(sum);
  }
  return sum_of_squares(sums) / static_cast<double>(starts);
}

// The exact variance of the mean, for these rows. Fixed blocks are independent: n / L whole ones
// and one cut to what is left. Under the stationary scheme rows k apart are neighbours k apart with
// probability (1 - 1/L)^k and unrelated otherwise, so their covariance is (1 - 1/L)^k times the
// circular autocovariance c_k, and n var = c_0 + 2 sum (1 - k/n) (1 - 1/L)^k c_k.
TEST(BlockSchemes, HaveTheStandardErrorOfTheory) {
  constexpr std::size_t kRows = 1013;
  constexpr std::size_t kLength = 20;
  constexpr std::size_t kRest = kRows % kLength;
  constexpr double kCount = kRows;
  std::vector<double> x = normals(kRows, 6);
  for (std::size_t i = 1; i < kRows; ++i) x[i] += 0.7 * x[i - 1];
  const auto fixed = [&](std::size_t starts) {
    return std::sqrt(static_cast<double>(kRows / kLength) *
                         variance_of_windows(x, kLength, starts) +
                     variance_of_windows(x, kRest, starts)) /
           kCount;
  };
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / kCount;
  double stationary = 0;
  for (std::size_t k = 0; k < kRows; ++k) {
    double covariance = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      covariance += (x[i] - mean) * (x[(i + k) % kRows] - mean) / kCount;
    const auto lag = static_cast<double>(k);
    stationary +=
        (k == 0 ? 1 : 2) * (1 - lag / kCount) * std::pow(1 - 1.0 / kLength, lag) * covariance;
  }
  const double independent = std::sqrt(sum_of_squares(x)) / kCount;
  const auto check = [&](const Scheme& scheme, double expected) {
    SCOPED_TRACE(name(scheme));
    const Result result =
        bootstrap(x, statistic::mean(), {.replicates = 100'000, .seed = 4, .scheme = scheme});
    EXPECT_EQ(result.plan().path, Path::blocks);
    EXPECT_TRUE(has_error(result, expected));
    EXPECT_GT(expected, 1.8 * independent);  // neighbours are alike, and blocks know it
  };
  check(scheme::MovingBlocks{kLength}, fixed(kRows - kLength + 1));
  check(scheme::CircularBlocks{kLength}, fixed(kRows));
  check(scheme::StationaryBlocks{kLength}, std::sqrt(stationary / kCount));
}

bool same_bits(const Result& a, const Result& b, std::size_t offset = 0) {
  for (std::size_t i = 0; i < b.replicates().size(); ++i)
    if (std::bit_cast<std::uint64_t>(a.replicates()[offset + i]) !=
        std::bit_cast<std::uint64_t>(b.replicates()[i]))
      return false;
  return !b.replicates().empty();
}

TEST_F(Schemes, GiveTheSameBitsHoweverTheyAreRun) {
  for (const auto& [name, scheme] : all()) {
    const std::vector<std::vector<Statistic>> families = {
        {statistic::variance()},
        {statistic::median()},
        {statistic::trimmed_mean(0.1), statistic::mean(), statistic::interquartile_range()}};
    for (const std::vector<Statistic>& statistics : families) {
      if (statistics[0].name() != "variance" && weighs(scheme)) continue;
      SCOPED_TRACE(testing::Message() << name << ", " << statistics[0].name());
      Options options{.replicates = 300, .seed = 2, .scheme = scheme};
      const auto run = [&] { return bootstrap(x, statistics, options); };
      options.execution.threads = 1;
      const Result one = run();
      for (const unsigned threads : {2U, 7U}) {
        options.execution.threads = threads;
        EXPECT_TRUE(same_bits(one, run())) << threads << " threads";
      }
      for (const auto level : execution::available_levels()) {
        options.execution.level = level;
        EXPECT_TRUE(same_bits(one, run())) << execution::name(level);
      }
      options.execution.level.reset();
      options.memory = std::size_t{16} << 20;
      EXPECT_TRUE(same_bits(one, run())) << "less memory";
      if (std::holds_alternative<scheme::Balanced>(scheme)) continue;
      options.first_replicate = 100;
      options.replicates = 77;
      EXPECT_TRUE(same_bits(one, run(), 100 * one.outputs())) << "a part of the run";
    }
  }
}

// Strata far apart, and so many rows that a top-up looks them up: a row of another stratum would
// show.
TEST(StratifiedScheme, TopsManyRowsUpFromTheirOwnStratum) {
  constexpr std::size_t kMany = 1'000'000;
  random::Stream stream({.seed = 4});
  std::vector<double> x(kMany);
  std::vector<std::uint32_t> strata(kMany);
  std::vector<double> apart[3];
  for (std::size_t i = 0; i < kMany; ++i) {
    strata[i] = static_cast<std::uint32_t>(stream() % 3);
    x[i] = 1000.0 * strata[i] + random::normal(stream);
    apart[strata[i]].push_back(x[i]);
  }
  double within = 0;
  for (const auto& values : apart) within += sum_of_squares(values);
  Options options{.replicates = 400, .seed = 5, .scheme = scheme::Stratified{strata}};
  const Result copied = bootstrap(x, statistic::mean(), options);
  EXPECT_TRUE(has_error(copied, std::sqrt(within) / kMany));
  EXPECT_TRUE(theory::is_normal(copied.bias(), 0, copied.standard_error() / std::sqrt(400)));
  options.memory = std::size_t{28} << 20;  // no room for a copy of the rows in order
  EXPECT_TRUE(same_bits(copied, bootstrap(x, statistic::mean(), options)));

  // Of many columns they are looked up in order.
  const std::vector<ColumnView> columns(9, ColumnView(x));
  const Result many =
      bootstrap(DataView(columns), statistic::mean(),
                {.replicates = 400, .seed = 5, .scheme = scheme::Stratified{strata}});
  for (std::size_t r = 0; r < 400; ++r)
    for (const std::size_t c : {0U, 8U}) EXPECT_EQ(many.replicate(r, c), copied.replicate(r));
}

// Beyond a super-block too, replicates that miss a huge row have digits of their own: about 37 % of
// them do (false alarm below 1e-9 for fewer than 15 of 120).
TEST(HugeRow, LeavesTheDigitsOfTheOthersBeyondASuperBlock) {
  random::Stream stream({.seed = 6});
  std::vector<double> x(1'500'000);
  for (double& value : x) value = 5 + random::normal(stream);
  x[777'777] = 1e18;
  const Result result = bootstrap(x, statistic::mean(), {.replicates = 120, .seed = 2});
  std::set<double> without;
  for (const double value : result.replicates())
    if (value < 100) without.insert(value);
  EXPECT_GE(without.size(), 15U);
  EXPECT_NEAR(*without.begin(), 5, 0.01);
  EXPECT_GT(*without.rbegin() - *without.begin(), 1e-4);
}

// Of a thousand draws from a million hardly one meets the huge row; the others have their own
// digits.
TEST(MOutOfN, KeepsTheDigitsOfReplicatesWithoutTheHugeRow) {
  std::vector<double> x = reference::normals(1'000'001, 6);
  x[500'000] = 1e7;
  const Result result = bootstrap(x, statistic::standard_deviation(),
                                  {.replicates = 40, .seed = 5, .scheme = scheme::Iid{1000}});
  std::size_t usual = 0;
  for (const double value : result.replicates()) usual += value > 0.85 && value < 1.15;
  EXPECT_GE(usual,
            38U);  // one of 1,000 replicates has the row; the rest is 6 deviations off once in 1e8
}

TEST(ClusterScheme, RefusesAMemoryThatWouldChangeThePath) {
  const std::vector<double> x = reference::normals(200'000, 2);
  std::vector<std::uint32_t> own(x.size());
  std::iota(own.begin(), own.end(), 0U);
  try {
    static_cast<void>(bootstrap(
        x, statistic::mean(),
        {.replicates = 2, .scheme = scheme::Cluster{own}, .memory = std::size_t{16} << 20}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("16.0 MiB"), HasSubstr("200,000 clusters"),
                                             HasSubstr("at least 19 MiB")));
  }
}

TEST_F(Schemes, WithOneStratumAreIid) {
  const std::vector<std::uint32_t> one(kRows, 3);
  const Options plain{.replicates = 100};
  Options stratified = plain;
  stratified.scheme = scheme::Stratified{one};
  EXPECT_TRUE(same_bits(bootstrap(x, statistic::mean(), plain),
                        bootstrap(x, statistic::mean(), stratified)));
}

TEST_F(Schemes, EstimateWithTheWeightsOfTheScheme) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    sum += weights[i] * x[i];
    total += weights[i];
  }
  const Result result =
      bootstrap(x, statistic::mean(), {.replicates = 20'000, .scheme = scheme::Unequal{weights}});
  EXPECT_NEAR(result.estimate(), sum / total, 1e-13);
  EXPECT_TRUE(theory::is_normal(result.bias(), 0, result.standard_error() / std::sqrt(20'000)));
}

TEST_F(Schemes, PoissonReplicatesWithoutRowsAreUndefined) {
  const std::vector<double> two = {1, 2};
  for (const Statistic& statistic : {statistic::mean(), statistic::median()}) {
    const Result result =
        bootstrap(two, statistic, {.replicates = 10'000, .scheme = scheme::Poisson{}});
    EXPECT_TRUE(theory::is_binomial(result.undefined(), 10'000, std::exp(-2)));
  }
}

std::string complaint(const std::vector<double>& x, const Statistic& statistic,
                      const Options& options) {
  try {
    static_cast<void>(bootstrap(x, statistic, options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST_F(Schemes, UnsupportedCombinationsAreExplained) {
  EXPECT_THAT(complaint(x, statistic::mean(), {.first_replicate = 5, .scheme = scheme::Balanced{}}),
              AllOf(HasSubstr("balanced"), HasSubstr("5")));
  EXPECT_THAT(
      complaint(x, statistic::mean(), {.scheme = scheme::MovingBlocks{20}, .path = Path::stream}),
      AllOf(HasSubstr("stream"), HasSubstr("moving")));
  EXPECT_THAT(complaint(x, statistic::mean(), {.path = Path::blocks}),
              AllOf(HasSubstr("blocks"), HasSubstr("iid")));
  EXPECT_THAT(complaint(x, statistic::mean(), {.scheme = scheme::MovingBlocks{1501}}),
              HasSubstr("1501"));
}

TEST_F(Schemes, InfluenceOfClustersIsTheJackknifeOverClusters) {
  Options options{.replicates = 1000, .scheme = scheme::Cluster{clusters}, .influence = true};
  const Result result = bootstrap(x, statistic::mean(), options);
  // The jackknife over clusters, by hand.
  std::map<std::uint32_t, std::pair<double, double>> sums;
  double sum = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    sums[clusters[i]].first += x[i];
    sums[clusters[i]].second += 1;
    sum += x[i];
  }
  std::vector<double> without;
  for (const auto& [label, cluster] : sums)
    without.push_back((sum - cluster.first) / (kRows - cluster.second));
  const auto count = static_cast<double>(without.size());
  const double expected = std::sqrt((count - 1) / count * sum_of_squares(without));
  EXPECT_NEAR(result.companions().influences.at(0).standard_error(), expected, 1e-9 * expected);
  EXPECT_EQ(result.companions().influences.at(0).rows, count);
}

TEST_F(Schemes, RefuseIntervalsThatNeedMoreThanTheyKnow) {
  EXPECT_THAT(complaint(x, statistic::mean(),
                        {.scheme = scheme::StationaryBlocks{20}, .standard_errors = true}),
              AllOf(HasSubstr("stationary"), HasSubstr("studentized"), HasSubstr("percentile")));
}

// Quantiles of fewer or more draws than rows: the drawn rows give the same law as their positions.
TEST(OrderPath, OfAnotherNumberOfDrawsHasTheLawOfTheDrawnRows) {
  const std::vector<double> x = reference::whole_numbers(20);
  for (const std::uint64_t size : {3, 60}) {
    Options options{.replicates = 50'000, .scheme = scheme::Iid{size}};
    const Result ordered = bootstrap(x, statistic::max(), options);
    EXPECT_EQ(ordered.plan().path, Path::order);
    EXPECT_EQ(ordered.estimate(), x.back());
    EXPECT_EQ(bootstrap(x, statistic::quantile(0.4), options).estimate(),
              bootstrap(x, statistic::quantile(0.4)).estimate());
    // P(max <= k) = (k / 20)^size.
    std::vector<std::uint64_t> observed(20);
    for (const double value : ordered.replicates())
      ++observed.at(static_cast<std::size_t>(value - x.front()));
    std::vector<double> law;
    for (int k = 1; k <= 20; ++k)
      law.push_back(std::pow(k / 20.0, size) - std::pow((k - 1) / 20.0, size));
    EXPECT_TRUE(theory::follows(observed, law)) << size << " draws";
  }
}

}  // namespace scheme_test
}  // namespace bootfold
