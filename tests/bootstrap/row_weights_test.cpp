// Statistics of rows with weights, on every resample, against their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "bootfold/resample.h"
#include "text/concat.h"

namespace bootfold {
namespace row_weights_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Two columns of values far from 0, classes, and weights, some of them 0.
struct Rows {
  explicit Rows(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      const auto k = static_cast<double>(i);
      y.push_back(1000 + std::sin(k * k + 0.3) * 3 + std::round(4 * std::cos(k)));
      x.push_back(5 * std::cos(1.7 * k) + 0.2 * y.back());
      classes.push_back(std::sin(3 * k) > 0.1 ? 1 : 0);
      w.push_back(i % 7 == 3 ? 0 : 1 + std::round(20 * std::abs(std::sin(0.37 * k))) / 4);
    }
  }
  [[nodiscard]] DataView one() const { return DataView({y, w}, {"y", "w"}); }
  [[nodiscard]] DataView two() const { return DataView({y, x, w}, {"y", "x", "w"}); }

  std::vector<double> y;
  std::vector<double> x;
  std::vector<double> classes;
  std::vector<double> w;
};

/// Sums over the rows of one resample, where row i has the weight counts[i] * w[i].
struct Definition {
  Definition(const Rows& data, std::span<const std::uint8_t> drawn) : rows(data) {
    for (std::size_t i = 0; i < data.w.size(); ++i) {
      weights.push_back(drawn[i] * data.w[i]);
      n += drawn[i];
    }
    total = std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  [[nodiscard]] double mean(std::span<const double> values) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    return sum / total;
  }
  /// Weighted mean of products of deviations.
  [[nodiscard]] double moment(std::span<const double> a, std::span<const double> b) const {
    const double mean_a = mean(a);
    const double mean_b = mean(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += weights[i] * (a[i] - mean_a) * (b[i] - mean_b);
    return sum / total;
  }
  [[nodiscard]] double slope() const { return moment(rows.y, rows.x) / moment(rows.x, rows.x); }

  /// The smallest value whose cumulative weight is at least (rank - 1/2) / n of the total.
  [[nodiscard]] double order_statistic(double rank) const {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rows.y[a] < rows.y[b]; });
    double seen = 0;
    for (const std::size_t i : order) {
      seen += weights[i];
      if (seen >= (rank - 0.5) / n * total) return rows.y[i];
    }
    return NAN;
  }
  [[nodiscard]] double quantile(double q) const {
    const double place = q * (n - 1) + 1;
    const double low = std::floor(place);
    const double part = place - low;
    return order_statistic(low) * (1 - part) + (part > 0 ? order_statistic(low + 1) * part : 0);
  }
  /// By pairs of rows of different classes.
  [[nodiscard]] double area() const {
    double won = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t j = 0; j < weights.size(); ++j)
        if (rows.classes[i] == 1 && rows.classes[j] == 0) {
          const double both = weights[i] * weights[j];
          pairs += both;
          won += both * (rows.y[i] > rows.y[j] ? 1 : rows.y[i] == rows.y[j] ? 0.5 : 0);
        }
    return won / pairs;
  }

  const Rows& rows;
  std::vector<double> weights;
  double n = 0;
  double total = 0;
};

/// Counts of the first replicates under a scheme.
std::vector<std::uint8_t> counts_of(std::size_t rows, const Scheme& scheme, std::size_t count) {
  std::vector<std::uint8_t> counts(count * rows);
  resample::Counter(rows, {.seed = 7, .scheme = scheme, .replicates = count}).counts(0, counts);
  return counts;
}

TEST(RowWeights, GiveTheWeightedStatisticOfEveryResample) {
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kReplicates = 11;
  const Rows data(kRows);
  namespace st = statistic;
  for (const Scheme& scheme :
       std::vector<Scheme>{scheme::Iid{}, scheme::Poisson{}, scheme::Balanced{}}) {
    SCOPED_TRACE(name(scheme));
    const Options options{
        .replicates = kReplicates,
        .seed = 7,
        .scheme = scheme,
        .path = std::holds_alternative<scheme::Balanced>(scheme) ? Path::gather : Path::stream};
    const auto counts = counts_of(kRows, scheme, kReplicates);
    const Result one =
        bootstrap(data.one(),
                  {st::weighted(st::mean()), st::weighted(st::sum()), st::weighted(st::variance()),
                   st::weighted(st::standard_deviation()), st::weighted(st::proportion(1001))},
                  options);
    const Result two = bootstrap(data.two(),
                                 {st::weighted(st::correlation()), st::weighted(st::covariance(0)),
                                  st::weighted(st::regression())},
                                 options);
    const Result order = bootstrap(
        data.one(), {st::weighted(st::median()), st::weighted(st::interquartile_range())}, options);
    const Result area =
        bootstrap(DataView({data.classes, data.y, data.w}), st::weighted(st::roc_auc()),
                  {.replicates = kReplicates, .seed = 7, .scheme = scheme});
    EXPECT_THAT(one.plan().outputs,
                ElementsAre("weighted_mean", "weighted_sum", "weighted_variance",
                            "weighted_standard_deviation", "weighted_proportion:1001"));
    for (std::size_t r = 0; r < kReplicates; ++r) {
      const Definition d(data, std::span(counts).subspan(r * kRows, kRows));
      EXPECT_NEAR(one.replicate(r, 0), d.mean(data.y), 1e-6);
      EXPECT_NEAR(one.replicate(r, 1) / (d.mean(data.y) * d.total), 1, 1e-7);
      EXPECT_NEAR(one.replicate(r, 2), d.moment(data.y, data.y) * d.n / (d.n - 1), 1e-4);
      EXPECT_NEAR(one.replicate(r, 3), std::sqrt(one.replicate(r, 2)), 1e-9);
      std::vector<double> above(kRows);
      for (std::size_t i = 0; i < kRows; ++i) above[i] = data.y[i] > 1001 ? 1 : 0;
      EXPECT_NEAR(one.replicate(r, 4), d.mean(above), 1e-6);
      EXPECT_NEAR(two.replicate(r, 1), d.moment(data.y, data.x), 1e-4);
      EXPECT_NEAR(two.replicate(r, 0),
                  d.moment(data.y, data.x) / std::sqrt(d.moment(data.y, data.y)) /
                      std::sqrt(d.moment(data.x, data.x)),
                  1e-5);
      EXPECT_NEAR(two.replicate(r, 3), d.slope(), 1e-5);
      EXPECT_NEAR(two.replicate(r, 2), d.mean(data.y) - d.slope() * d.mean(data.x), 1e-3);
      EXPECT_NEAR(order.replicate(r, 0), d.quantile(0.5), 1e-9);
      EXPECT_NEAR(order.replicate(r, 1), d.quantile(0.75) - d.quantile(0.25), 1e-9);
    }
    if (std::holds_alternative<scheme::Balanced>(scheme)) {  // counts are those of the sampler
      for (std::size_t r = 0; r < kReplicates; ++r)
        EXPECT_NEAR(area.replicate(r),
                    Definition(data, std::span(counts).subspan(r * kRows, kRows)).area(), 1e-12);
    }
  }
}

TEST(RowWeights, OfOneChangeNoReplicate) {
  const Rows data(200);
  const std::vector<double> ones(200, 1.0);
  const DataView weighted({data.y, ones});
  const DataView plain{data.y};
  for (const Statistic& statistic :
       {statistic::mean(), statistic::variance(), statistic::skewness(), statistic::kurtosis(),
        statistic::sharpe_ratio()}) {
    SCOPED_TRACE(statistic.name());
    const Options options{.replicates = 20, .path = Path::stream};
    const Result expected = bootstrap(plain, statistic, options);
    const Result found = bootstrap(weighted, statistic::weighted(statistic), options);
    for (std::size_t r = 0; r < 20; ++r)
      EXPECT_NEAR(found.replicate(r) / expected.replicate(r), 1, 1e-6);
    EXPECT_NEAR(found.estimate() / expected.estimate(), 1, 1e-10);
  }
  const Options gathered{.replicates = 20, .path = Path::gather};
  const Statistic trimmed = statistic::trimmed_mean(0.1);
  const Result expected = bootstrap(plain, trimmed, gathered);
  const Result found = bootstrap(weighted, statistic::weighted(trimmed), gathered);
  for (std::size_t r = 0; r < 20; ++r) EXPECT_NEAR(found.replicate(r), expected.replicate(r), 1e-9);
}

// A common factor changes sums only; quantiles not at all.
TEST(RowWeights, MatterOnlyInTheirRatios) {
  const Rows data(300);
  std::vector<double> tenth = data.w;
  for (double& w : tenth) w *= 0x1p-5;
  for (const Statistic& inner : {statistic::mean(), statistic::variance(), statistic::median()}) {
    SCOPED_TRACE(inner.name());
    const Statistic statistic = statistic::weighted(inner);
    const Result expected = bootstrap(data.one(), statistic, {.replicates = 50});
    const Result found = bootstrap(DataView({data.y, tenth}), statistic, {.replicates = 50});
    EXPECT_EQ(found.estimate(), expected.estimate());
    for (std::size_t r = 0; r < 50; ++r) EXPECT_EQ(found.replicate(r), expected.replicate(r));
  }
}

// Drawing rows by their weights gives another law with the same estimate.
TEST(RowWeights, HaveTheLinearizedStandardError) {
  const Rows data(400);
  const Result found = bootstrap(data.one(), statistic::weighted(statistic::mean()),
                                 {.replicates = 40'000, .seed = 3});
  double squares = 0;
  double total = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    squares += std::pow(data.w[i] * (data.y[i] - found.estimate()), 2);
    total += data.w[i];
  }
  const double linearized = std::sqrt(squares) / total;
  // The Monte Carlo error is 0.35 %; terms of the second order are below 1 %.
  EXPECT_NEAR(found.standard_error() / linearized, 1, 0.025);
  std::vector<double> probabilities(data.w.begin(), data.w.end());
  const Result drawn =
      bootstrap(DataView{data.y}, statistic::mean(),
                {.replicates = 40'000, .seed = 3, .scheme = scheme::Unequal{probabilities}});
  EXPECT_NEAR(drawn.estimate(), found.estimate(), 1e-9);
  EXPECT_GT(std::abs(drawn.standard_error() / linearized - 1), 0.1);
}

TEST(RowWeights, HaveEveryInterval) {
  const Rows data(120);
  const Statistic mean = statistic::weighted(statistic::mean());
  const Result found =
      bootstrap(data.one(), mean,
                {.replicates = 20'000, .seed = 5, .influence = true, .standard_errors = true});
  EXPECT_EQ(found.companions().error_method, "formula");
  const double width = interval::normal(found).high - interval::normal(found).low;
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::bca,
        interval::Method::studentized, interval::Method::abc}) {
    const Interval own = interval::make(method, found);
    SCOPED_TRACE(interval::name(method));
    EXPECT_EQ(own.status, interval::Status::good);
    EXPECT_NEAR((own.high - own.low) / width, 1, 0.06);
  }
  // The influence of a row on a weighted mean: w (x - m) / mean weight.
  const Influence influence = infinitesimal(data.one(), mean)[0];
  double squares = 0;
  double total = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    squares += std::pow(data.w[i] * (data.y[i] - found.estimate()), 2);
    total += data.w[i];
  }
  EXPECT_NEAR(influence.standard_error(), std::sqrt(squares) / total, 1e-9);
}

// Rows near the ends are in fewer moving blocks, which the centre takes into account.
TEST(RowWeights, OfOneChangeNoCentreOfMovingBlocks) {
  std::vector<double> x(100);
  for (std::size_t i = 0; i < 100; ++i)
    x[i] = std::pow(static_cast<double>(i), 2) + static_cast<double>(i % 7);
  const std::vector<double> ones(100, 1.0);
  const Options options{.replicates = 50, .scheme = scheme::MovingBlocks{30}};
  for (const Statistic& inner :
       {statistic::mean(), statistic::median(), statistic::trimmed_mean(0.1)}) {
    const Result plain = bootstrap(x, inner, options);
    const Result found = bootstrap(DataView({x, ones}), statistic::weighted(inner), options);
    EXPECT_NE(plain.centre(), plain.estimate());
    EXPECT_NEAR(found.centre() / plain.centre(), 1, 1e-9) << inner.name();
  }
}

// Drawn by probabilities p, a row with the weight w has the weight w p in the estimate.
TEST(RowWeights, MultiplyProbabilitiesInEstimates) {
  const std::vector<double> x = {1, 2, 3, 5, 7, 8};
  const std::vector<double> w = {1, 2, 0.5, 1, 2, 1};
  std::vector<double> squares;
  for (const double weight : w) squares.push_back(weight * weight);
  const Options drawn{.replicates = 10, .scheme = scheme::Unequal{w}};
  for (const Statistic& inner :
       {statistic::mean(), statistic::median(), statistic::trimmed_mean(0.2)})
    EXPECT_NEAR(bootstrap(DataView({x, w}), statistic::weighted(inner), drawn).estimate(),
                bootstrap(DataView({x, squares}), statistic::weighted(inner), {.replicates = 10})
                    .estimate(),
                1e-12)
        << inner.name();
}

// The largest weight is 2^60 times the others, which count all the same.
TEST(RowWeights, MayBeTiny) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<double> w = {1e9, 1e-9, 1e-9, 1e-9, 1e-9};
  const Result found =
      bootstrap(DataView({x, w}), statistic::weighted(statistic::median()), {.replicates = 2000});
  EXPECT_EQ(found.undefined(), 0U);
  EXPECT_GT(found.standard_error(), 1);
}

TEST(RowWeights, KeepTheirBitsForAnyThreadsAndLevels) {
  const Rows data(5000);
  for (const Statistic& inner : {statistic::mean(), statistic::median(), statistic::variance()}) {
    SCOPED_TRACE(inner.name());
    const Statistic statistic = statistic::weighted(inner);
    Options options{.replicates = 40, .seed = 2};
    options.execution = {.threads = 1, .level = execution::Level::portable};
    const Result expected = bootstrap(data.one(), statistic, options);
    options.execution = {.threads = 3};
    const Result threads = bootstrap(data.one(), statistic, options);
    options.first_replicate = 17;
    options.replicates = 9;
    const Result part = bootstrap(data.one(), statistic, options);
    for (std::size_t r = 0; r < 40; ++r)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(threads.replicate(r)),
                std::bit_cast<std::uint64_t>(expected.replicate(r)));
    for (std::size_t r = 0; r < 9; ++r) EXPECT_EQ(part.replicate(r), expected.replicate(17 + r));
  }
}

// Clusters are summed before they are drawn; groups that share clusters are drawn jointly.
TEST(RowWeights, GoWithClustersAndComparisons) {
  const Rows data(240);
  std::vector<std::uint32_t> clusters(240);
  data::Labels groups{{}, {"A", "B"}, "g"};
  for (std::uint32_t i = 0; i < 240; ++i) {
    clusters[i] = i / 8;
    groups.codes.push_back(i % 2);
  }
  const Statistic mean = statistic::weighted(statistic::mean());
  const Result found =
      bootstrap(data.one(), mean, {.replicates = 2000, .scheme = scheme::Cluster{clusters}});
  const std::vector<std::uint8_t> once(240, 1);
  EXPECT_NEAR(found.estimate(), Definition(data, once).mean(data.y), 1e-9);
  const Comparison compared =
      compare(data.one(), groups, mean, {.replicates = 2000, .scheme = scheme::Cluster{clusters}});
  EXPECT_EQ(compared.shared_clusters, 30U);
  std::vector<std::uint8_t> odd(240);
  std::vector<std::uint8_t> even(240);
  for (std::size_t i = 0; i < 240; ++i) (i % 2 == 0 ? even : odd)[i] = 1;
  EXPECT_NEAR(compared.groups[0].estimate, Definition(data, even).mean(data.y), 1e-9);
  EXPECT_NEAR(compared.contrasts[0].estimate,
              Definition(data, odd).mean(data.y) - Definition(data, even).mean(data.y), 1e-9);
}

TEST(RowWeights, OfDrawnRowsMayAllBeZero) {
  const std::vector<double> y = {1, 2, 3};
  const std::vector<double> w = {0, 0, 2};
  for (const Statistic& inner : {statistic::mean(), statistic::median(), statistic::proportion()}) {
    const Result found =
        bootstrap(DataView({y, w}), statistic::weighted(inner), {.replicates = 1000});
    EXPECT_EQ(found.estimate(), inner.name() == "proportion" ? 1 : 3);
    EXPECT_NEAR(static_cast<double>(found.undefined()), 1000 * 8.0 / 27, 75);  // 5 deviations
  }
}

// As for one row: there is nothing to draw from.
TEST(RowWeights, OfOneRowAloneHaveNoInterval) {
  const std::vector<double> y = {1, 2, 3, 4};
  const std::vector<double> w = {0, 0, 2, 0};
  for (const Statistic& inner : {statistic::mean(), statistic::median()}) {
    const Result found =
        bootstrap(DataView({y, w}), statistic::weighted(inner), {.replicates = 1000});
    EXPECT_EQ(interval::percentile(found).status, interval::Status::undefined);
  }
}

TEST(RowWeights, MustNotBeNegativeAndNotAllZero) {
  const std::vector<double> y = {1, 2, 3};
  const std::vector<double> negative = {1, -2, 3};
  const std::vector<double> none = {0, 0, 0};
  const auto run = [&](const std::vector<double>& w, const Statistic& inner) {
    static_cast<void>(bootstrap(DataView({y, w}, {"y", "w"}), statistic::weighted(inner)));
  };
  for (const Statistic& inner : {statistic::mean(), statistic::median()}) {
    EXPECT_THAT(
        [&] { run(negative, inner); },
        ThrowsMessage<DataError>(HasSubstr("column w holds weights, but one of them is -2")));
    EXPECT_THAT([&] { run(none, inner); }, ThrowsMessage<DataError>(HasSubstr("all are 0")));
    EXPECT_THAT(
        [&] {
          run({1e308, 1e308, 1}, inner);
        },
        ThrowsMessage<DataError>(HasSubstr("scale them down")));
  }
  EXPECT_THAT(
      [] {
        static_cast<void>(statistic::weighted(
            statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; })));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("weights cannot be applied to")));
}

}  // namespace row_weights_test
}  // namespace bootfold
