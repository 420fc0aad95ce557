// Path `order` against exact laws: one beta draw stands for a whole resample.
// Every test here gives a false alarm once in a million, see laws.h.
#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>

#include "statistic/laws.h"
#include "statistic/reference.h"

namespace bootfold {
namespace quantile_law_test {

using reference::kControl;
using reference::kTreatment;

std::vector<double> rank_counts(const Result& result, std::vector<double> data) {
  std::sort(data.begin(), data.end());
  std::vector<double> counts(data.size());
  for (const double value : result.replicates()) {
    const auto at = std::lower_bound(data.begin(), data.end(), value);
    EXPECT_TRUE(at != data.end() && *at == value);
    ++counts[static_cast<std::size_t>(at - data.begin())];
  }
  return counts;
}

/// P(the k-th smallest of a resample is the data's order statistic number j), j = 1 .. n.
std::vector<double> law_of_rank(std::size_t k, std::size_t n) {
  std::vector<double> law;
  const auto below = [&](double share) {
    return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), share);
  };
  for (std::size_t j = 1; j <= n; ++j)
    law.push_back(below(static_cast<double>(j) / static_cast<double>(n)) -
                  below(static_cast<double>(j - 1) / static_cast<double>(n)));
  return law;
}

TEST(QuantileLaw, MouseMedianRanks) {
  const std::vector<double> law = {.01015005, .0981236, .23862628, .30620016,
                                   .23862628, .0981236, .01015005};
  const std::vector<double> derived = law_of_rank(4, 7);
  for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(law[j], derived[j], 1e-7);
  const Result order =
      bootstrap(kTreatment, statistic::median(), {.replicates = 1'000'000, .seed = 1});
  ASSERT_EQ(order.plan().path, Path::order);
  EXPECT_TRUE(laws::chi_square(rank_counts(order, kTreatment), derived));
  const Result gather = bootstrap(kTreatment, statistic::median(),
                                  {.replicates = 200'000, .seed = 1, .path = Path::gather});
  EXPECT_TRUE(laws::chi_square(rank_counts(gather, kTreatment), derived));
}

TEST(QuantileLaw, EveryRankOfEveryLength) {
  for (const std::size_t n : {1, 2, 3, 5, 11, 40})
    for (std::size_t k = 1; k <= n; k += std::max<std::size_t>(1, n / 5)) {
      SCOPED_TRACE(testing::Message() << "number " << k << " of " << n);
      const std::vector<double> x = reference::whole_numbers(n);
      const double q = n == 1 ? 0.5 : static_cast<double>(k - 1) / static_cast<double>(n - 1);
      const Result result =
          bootstrap(x, statistic::quantile(q), {.replicates = 50'000, .seed = k * 100 + n});
      std::vector<double> counts(n);
      bool whole = true;
      for (const double value : result.replicates()) {
        whole = whole && value == std::floor(value);
        ++counts[static_cast<std::size_t>(value)];
      }
      if (!whole) continue;  // q (n - 1) was rounded: an interpolated quantile
      EXPECT_TRUE(laws::chi_square(counts, law_of_rank(k, n)));
    }
}

TEST(QuantileLaw, MouseStandardErrors) {
  const Options options{.replicates = 1'000'000, .seed = 3};
  const auto expect = [&](const std::vector<double>& data, const Statistic& statistic,
                          double exact) {
    const Result result = bootstrap(data, statistic, options);
    EXPECT_NEAR(result.standard_error(), exact, laws::kZ * result.standard_error_error())
        << statistic.name();
    EXPECT_LT(result.standard_error_error(), 0.003 * exact);
  };
  expect(kTreatment, statistic::mean(), 23.3635234373);
  expect(kTreatment, statistic::median(), 37.8346743939);
  expect(kControl, statistic::mean(), 13.3303494604);
  expect(kControl, statistic::median(), 12.8608629);
  expect(reference::kSixteen, statistic::mean(), 14.2367687168);
}

// The law of the mean is a lattice; its 5 % and 95 % points have room to both sides.
TEST(QuantileLaw, MouseMeanPercentagePoints) {
  const Result result =
      bootstrap(kTreatment, statistic::mean(), {.replicates = 1'000'000, .seed = 4});
  const std::vector<double> means(result.replicates().begin(), result.replicates().end());
  EXPECT_NEAR(reference::quantile(means, 0.05), 49.428571, 1e-6);
  EXPECT_NEAR(reference::quantile(means, 0.95), 126.714286, 1e-6);
}

TEST(QuantileLaw, JointLawsEqualThoseOfDrawnResamples) {
  for (const std::size_t n : {2, 3, 4, 5, 7, 9, 10, 13})
    for (const auto& statistic :
         {statistic::interquartile_range(), statistic::median(), statistic::quantile(0.9)}) {
      SCOPED_TRACE(testing::Message() << statistic.name() << " of " << n);
      const std::vector<double> x = reference::normals(n, n);
      const Options options{.replicates = 60'000, .seed = n};
      Options gather = options;
      gather.path = Path::gather;
      const Result drawn = bootstrap(x, statistic, gather);
      const Result ordered = bootstrap(x, statistic, options);
      ASSERT_EQ(ordered.plan().path, Path::order);
      ASSERT_EQ(drawn.plan().path, Path::gather);
      EXPECT_TRUE(laws::same_law(ordered.replicates(), drawn.replicates()));
    }
}

TEST(QuantileLaw, ExtremesTogetherAndAlone) {
  for (const std::size_t n : {2, 3, 10, 1000}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const std::vector<double> x = reference::whole_numbers(n);
    const double top = static_cast<double>(n - 1);
    constexpr double kReplicates = 400'000;
    const Result result =
        bootstrap(x, {statistic::max(), statistic::min()},
                  {.replicates = static_cast<std::uint64_t>(kReplicates), .seed = n});
    ASSERT_EQ(result.plan().path, Path::order);
    double highest = 0;
    double lowest = 0;
    double both = 0;
    for (std::uint64_t r = 0; r < 400'000; ++r) {
      highest += result.replicate(r, 0) == top;
      lowest += result.replicate(r, 1) == 0;
      both += result.replicate(r, 0) == top && result.replicate(r, 1) == 0;
    }
    const auto rows = static_cast<double>(n);
    const double misses = std::pow(1 - 1 / rows, rows);
    EXPECT_TRUE(laws::binomial_share(highest, kReplicates, 1 - misses));
    EXPECT_TRUE(laws::binomial_share(lowest, kReplicates, 1 - misses));
    EXPECT_TRUE(
        laws::binomial_share(both, kReplicates, 1 - 2 * misses + std::pow(1 - 2 / rows, rows)));
  }
}

TEST(QuantileLaw, SeveralQuantilesAreInOrder) {
  for (const std::size_t n : {1, 2, 7, 100, 5001}) {
    const std::vector<double> x = reference::normals(n, 77);
    const std::vector<Statistic> statistics = {
        statistic::min(),          statistic::quantile(0.1), statistic::quantile(0.1),
        statistic::quantile(0.25), statistic::median(),      statistic::quantile(0.5001),
        statistic::quantile(0.9),  statistic::max()};
    const Result result = bootstrap(x, statistics, {.replicates = 5000, .seed = 1});
    ASSERT_EQ(result.plan().path, Path::order);
    for (std::uint64_t r = 0; r < 5000; ++r) {
      for (std::size_t k = 1; k < 8; ++k)
        ASSERT_LE(result.replicate(r, k - 1), result.replicate(r, k)) << "n = " << n;
      ASSERT_EQ(result.replicate(r, 1), result.replicate(r, 2));
    }
  }
}

// Whole numbers 0 .. n - 1, n odd: the median is ceil(n U) - 1, U ~ Beta(k, k), so its variance is
// that of n U plus 1/12 to within 1e-6 of itself.
TEST(QuantileLaw, StandardErrorOfTheMedianOfManyRows) {
  for (const std::size_t n : {255, 4097, 65537, 300'001}) {
    const Result result = bootstrap(reference::whole_numbers(n), statistic::median(),
                                    {.replicates = 200'000, .seed = n});
    const auto rows = static_cast<double>(n);
    const double exact = std::sqrt(rows * rows / (4 * (rows + 2)) + 1.0 / 12);
    EXPECT_NEAR(result.standard_error(), exact, laws::kZ * result.standard_error_error());
    EXPECT_NEAR(result.bias(), 0, laws::kZ * exact / std::sqrt(200'000.0));
  }
}

TEST(QuantileLaw, TiesStayTies) {
  std::vector<double> x(1000, 1);
  for (std::size_t i = 0; i < 300; ++i) x[i * 3] = 2;
  // The median is 2 if more than half of 1000 draws are: at most 500 draws of probability 0.3.
  const Result result = bootstrap(x, statistic::quantile(0.7), {.replicates = 100'000, .seed = 6});
  double twos = 0;
  for (const double value : result.replicates()) {
    ASSERT_TRUE(value >= 1 && value <= 2);
    twos += value == 2;
  }
  // Type 7 of 1000 at 0.7 lies between numbers 700 and 701: it is 2 if at most 699 draws are 1.
  const double ones_at_most_699 = boost::math::ibeta(301.0, 700.0, 0.3);
  EXPECT_TRUE(laws::binomial_share(twos, 100'000, ones_at_most_699));
}

}  // namespace quantile_law_test
}  // namespace bootfold
