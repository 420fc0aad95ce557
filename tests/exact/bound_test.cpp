// The error bound bounds: against enumeration, convolution in more digits, and each of its parts.
#include <gtest/gtest.h>

#include <numbers>

#include "bootfold/exact.h"
#include "exact/laws.h"
#include "exact/nodes.h"
#include "exact/tail_bound.h"
#include "study/study.h"

namespace bootfold::exact {
namespace bound_test {

/// Largest difference of two laws at many places, also just before and at values of the first.
double distance(const Distribution& a, const Distribution& b, int places = 400) {
  double most = 0;
  const auto look = [&](double x) {
    most = std::max({most, std::abs(a.cdf(x) - b.cdf(x)), std::abs(a.below(x) - b.below(x))});
  };
  for (int i = 1; i < places; ++i) look(a.quantile(static_cast<double>(i) / places));
  for (int i = -places; i <= places; ++i)
    look(a.mean() + 7.0 * i / places * a.standard_error() + 1e-3);
  return most;
}

// All 1,352,078 resamples of 12 rows without a common step, and the same law from its
// characteristic function: it is far from continuous, and the bound says how far.
TEST(SlowErrorBound, HoldsAgainstEnumeration) {
  const std::vector<double> data = normals(12, 5);
  const Distribution all = distribution(data, statistic::mean(), {.method = Method::enumeration});
  const Distribution series =
      distribution(data, statistic::mean(), {.method = Method::characteristic, .tolerance = 1});
  EXPECT_LT(all.error_bound(), 1e-12);
  EXPECT_LT(series.error_bound(), 1e-3);
  EXPECT_LE(distance(all, series, 10), all.error_bound() + series.error_bound());
  EXPECT_NEAR(all.standard_error(), series.standard_error(), 1e-12);
}

// Whole numbers: the atoms of the law are what frequencies up to a limit cannot see.
TEST(SlowErrorBound, HoldsWhereTheLawHasLargeAtoms) {
  std::vector<double> data;
  for (int i = 0; i < 200; ++i) data.push_back(i * i % 23);
  const Distribution lattice = distribution(data, statistic::mean());
  EXPECT_EQ(lattice.method(), Method::lattice);
  const Distribution series =
      distribution(data, statistic::mean(), {.method = Method::characteristic, .tolerance = 1});
  EXPECT_GT(series.error_bound(), 1e-4);  // an atom here has probability 0.004
  EXPECT_LE(distance(lattice, series, 10), lattice.error_bound() + series.error_bound());
  EXPECT_THROW(
      static_cast<void>(distribution(data, statistic::mean(), {.method = Method::characteristic})),
      InvalidArgument);
}

// Eight decimals: a lattice with trillions of points, for which the two ways share no formula of
// the bound.
TEST(ErrorBound, LatticeAndCharacteristicAgree) {
  std::vector<double> data;
  for (const double z : normals(3000, 8)) data.push_back(std::round(1e8 * std::exp(z)) / 1e8);
  const Distribution lattice = distribution(data, statistic::mean(), {.method = Method::lattice});
  const Distribution series =
      distribution(data, statistic::mean(), {.method = Method::characteristic});
  EXPECT_LT(lattice.error_bound(), 2e-12);
  EXPECT_LT(series.error_bound(), 1e-9);
  EXPECT_LE(distance(lattice, series), lattice.error_bound() + series.error_bound());
  for (const double p : {0.005, 0.025, 0.5, 0.9})
    EXPECT_NEAR(lattice.quantile(p), series.quantile(p), 1e-7 * series.standard_error());
}

// The 1024th convolution power by ten squarings in 64 bits.
TEST(ErrorBound, HoldsAgainstConvolution) {
  std::vector<double> data;
  std::vector<long double> law(12);
  for (int i = 0; i < 1024; ++i) {
    data.push_back(i % 7 == 0 ? 11 : i % 5);
    law[static_cast<std::size_t>(data.back())] += 1.0L / 1024;
  }
  for (int square = 0; square < 10; ++square) {
    std::vector<long double> next(2 * law.size() - 1);
    for (std::size_t i = 0; i < law.size(); ++i)
      for (std::size_t j = 0; j < law.size(); ++j) next[i + j] += law[i] * law[j];
    law = std::move(next);
  }
  const Distribution lattice = distribution(data, statistic::mean());
  ASSERT_EQ(lattice.method(), Method::lattice);
  EXPECT_LT(lattice.error_bound(), 2e-12);
  long double below = 0;
  for (std::size_t sum = 0; sum < law.size(); ++sum) {
    const double x = static_cast<double>(sum) / 1024;
    ASSERT_NEAR(lattice.below(x), static_cast<double>(below), lattice.error_bound()) << x;
    below += law[sum];
    ASSERT_NEAR(lattice.cdf(x), static_cast<double>(below), lattice.error_bound()) << x;
  }
}

study::ColumnSummary summary_of(const std::vector<double>& data) {
  const Statistic mean = statistic::mean();
  study::Study study(data, {&mean, 1});
  study.look_at_columns({}, {});
  return study.problem().columns[0];
}

Rows rows_of(const std::vector<double>& data) {
  return Rows(ColumnView(data), summary_of(data).scale);
}

/// E exp(i u sum) in 64 bits.
std::complex<long double> direct(const Rows& rows, long double u) {
  std::complex<long double> mean = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    mean += std::polar(1.0L, u * static_cast<long double>(rows.at(row)));
  mean /= static_cast<long double>(rows.rows());
  return std::polar(std::pow(std::abs(mean), static_cast<long double>(rows.rows())),
                    static_cast<long double>(rows.rows()) * std::arg(mean));
}

// Frequencies that are not computed: each |phi|^n is summed up and compared with what was charged.
TEST(ErrorBound, FrequenciesThatAreLeftOutAreNegligible) {
  std::vector<std::vector<double>> all = {normals(300, 1), normals(300, 2)};
  for (double& x : all[1]) x = std::exp(2 * x);
  all.push_back(normals(400, 3));
  all.back()[7] = 1e2;
  for (const auto& data : all) {
    const Rows rows = rows_of(data);
    const Spread spread = spread_of(rows, {});
    Frequencies frequencies;
    frequencies.base = 0.3 / std::sqrt(static_cast<double>(data.size()) * spread.variance);
    frequencies.last = 4000;
    frequencies.near = 4000;
    const Cover found = cover(spread, Pairs(rows), frequencies, 0, {});
    std::vector<bool> computed(4001);
    for (const NodeRange& range : found.nodes)
      for (std::uint64_t k = range.first; k < range.last; ++k) computed[k] = true;
    double harmonic = 0;
    double plain = 0;
    std::size_t left_out = 0;
    for (std::size_t k = 1; k <= 4000; ++k) {
      if (computed[k]) continue;
      ++left_out;
      const auto size = static_cast<double>(
          std::abs(direct(rows, static_cast<long double>(frequencies.base) * k)));
      ASSERT_LE(size, 1.3e-14) << k;
      harmonic += size / static_cast<double>(k);
      plain += size;
    }
    EXPECT_GT(left_out, 500U);
    EXPECT_LE(harmonic, found.harmonic);
    EXPECT_LE(plain, found.plain);
  }
}

TEST(ErrorBound, RoundingOfNodesIsBounded) {
  for (const std::size_t n : {5U, 130U, 3000U}) {
    const std::vector<double> data = normals(n, n);
    const Rows rows = rows_of(data);
    const Spread spread = spread_of(rows, {});
    const double period = 17 * std::sqrt(static_cast<double>(n) * spread.variance);
    const NodeRange range{1, 200};
    const Computed found = compute_nodes(rows, spread, period, {&range, 1}, 0, {});
    ASSERT_EQ(found.nodes.size(), 199U);
    double harmonic = 0;
    for (const Node& node : found.nodes) {
      const auto exact = direct(rows, 2 * std::numbers::pi_v<long double> *
                                          static_cast<long double>(node.number) / period);
      harmonic += static_cast<double>(std::abs(exact - std::complex<long double>(node.value))) /
                  static_cast<double>(node.number);
    }
    EXPECT_LE(harmonic, found.harmonic);
    EXPECT_LT(found.harmonic, 1e-11);
    EXPECT_GT(harmonic, 0);
  }
}

}  // namespace bound_test
}  // namespace bootfold::exact
