// Quantiles and trimmed means under weights: equal weights and whole weights give what rows written
// out give, and the two ends are treated alike.
#include "numeric/quantile.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bootfold {
namespace quantile_test {

using numeric::WeightedRow;

const std::vector<double> kShares = {0, 0.01, 0.1, 0.25, 1.0 / 3, 0.5, 0.77, 0.9, 1};

std::vector<double> noise(std::size_t n, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> values(n);
  for (double& value : values) value = std::exponential_distribution<double>(1)(bits);
  return values;
}

std::vector<WeightedRow> sorted_rows(std::vector<double> values, std::vector<double> weights) {
  std::vector<WeightedRow> rows;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) rows.push_back({values[i], weights[i]});
  return rows;
}

TEST(WeightedQuantile, EqualWeightsGiveThePlainQuantile) {
  for (const double weight : {1.0, 0.1, 3e-300, 7e299})
    for (const std::size_t n : {1, 2, 3, 4, 5, 10, 11, 100, 1001}) {
      const auto rows = sorted_rows(noise(n, 1), std::vector<double>(n, weight));
      for (const double q : kShares) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", q = " << q << ", weight " << weight);
        auto plain = noise(n, 1);
        EXPECT_EQ(numeric::weighted_quantile(rows, q, n), numeric::select_quantile(plain, q));
        if (q >= 0.5) continue;
        EXPECT_NEAR(numeric::weighted_trimmed_mean(rows, q, n), numeric::trimmed_mean_of(plain, q),
                    1e-14);
      }
    }
}

TEST(WeightedQuantile, WholeWeightsThatSumToNAreRowsWrittenOut) {
  std::mt19937_64 bits(2);
  for (const std::size_t n : {1, 2, 3, 8, 31, 100})
    for (int times = 0; times < 20; ++times) {
      std::vector<double> counts(n);
      for (std::size_t i = 0; i < n; ++i) ++counts[bits() % n];
      const auto rows = sorted_rows(noise(n, 3), counts);
      std::vector<double> drawn;
      for (const WeightedRow& row : rows)
        drawn.insert(drawn.end(), static_cast<std::size_t>(row.weight), row.value);
      for (const double q : kShares) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", q = " << q);
        EXPECT_EQ(numeric::weighted_quantile(rows, q, n), numeric::select_quantile(drawn, q));
        if (q >= 0.5) continue;
        EXPECT_NEAR(numeric::weighted_trimmed_mean(rows, q, n), numeric::trimmed_mean_of(drawn, q),
                    1e-14);
      }
    }
}

// An odd number of rows: the value at which the cumulative weight passes one half.
TEST(WeightedQuantile, MedianOfThreeRows) {
  const std::vector<double> x = {1, 2, 4};
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0.5, 0.3, 0.3}), 0.5, 3), 2);
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0.7, 0.3, 0.3}), 0.5, 3), 1);
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0.3, 0.3, 0.7}), 0.5, 3), 4);
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0, 0, 0.7}), 0.5, 3), 4);
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0, 0, 0.7}), 0, 3), 4);
  EXPECT_EQ(numeric::weighted_quantile(sorted_rows(x, {0.7, 0, 0}), 1, 3), 1);
}

// Without a third of the weight at each end: of 3 + 2 + 1 the first and the last 2 are cut.
TEST(WeightedQuantile, TrimmedMeanKeepsPartsOfRows) {
  const auto rows = sorted_rows({10, 20, 30}, {3, 2, 1});
  EXPECT_NEAR(numeric::weighted_trimmed_mean(rows, 0.34, 3), (1 * 10 + 1 * 20) / 2.0, 1e-13);
}

TEST(WeightedQuantile, BothEndsAreTreatedAlike) {
  for (const std::size_t n : {2, 3, 10, 101}) {
    const std::vector<double> values = noise(n, 4);
    const std::vector<double> weights = noise(n, 5);
    const auto rows = sorted_rows(values, weights);
    std::vector<WeightedRow> mirrored;
    for (std::size_t i = n; i-- > 0;) mirrored.push_back({-rows[i].value, rows[i].weight});
    for (const double q : {0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", q = " << q);
      EXPECT_NEAR(numeric::weighted_quantile(rows, q, n),
                  -numeric::weighted_quantile(mirrored, 1 - q, n), 1e-14);
      if (q >= 0.5) continue;
      EXPECT_NEAR(numeric::weighted_trimmed_mean(rows, q, n),
                  -numeric::weighted_trimmed_mean(mirrored, q, n), 1e-14);
    }
  }
}

TEST(WeightedQuantile, IntegersDecideAsTheDefinitionSays) {
  for (std::uint64_t n = 1; n < 12; ++n)
    for (std::uint64_t total = 1; total < 30; ++total)
      for (std::uint64_t rank = 1; rank <= n; ++rank)
        for (std::uint64_t seen = 0; seen <= total; ++seen)
          ASSERT_EQ(seen >= numeric::weight_of_rank(total, rank, n),
                    2 * seen * n >= (2 * rank - 1) * total);
  constexpr std::uint64_t kRows = std::uint64_t{1} << 39;
  constexpr auto kTotal = static_cast<unsigned __int128>(1) << 79;
  constexpr auto kRow = kTotal / kRows;
  EXPECT_TRUE(numeric::weight_of_rank(kTotal, kRows, kRows) == kTotal - kRow / 2);
  EXPECT_TRUE(numeric::weight_of_rank(kTotal + 1, 1, kRows) == kRow / 2 + 1);
}

}  // namespace quantile_test
}  // namespace bootfold
