// mad, gini, top_share and spearman of rows with weights, against pairs of rows and rows that are
// written out.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bootfold/bootstrap.h"
#include "bootfold/influence.h"
#include "statistic/reference.h"

namespace bootfold {
namespace weighted_ordered_test {

using Values = std::vector<double>;
using reference::Columns;

double estimate(const Statistic& statistic, const Columns& columns) {
  return bootstrap(reference::view(columns), statistic, {.replicates = 5}).estimate();
}

const Values kX = {3, 0.5, 8, 3, 1, 12.5, 0, 3};
const Values kY = {2, 7, 7, 1, 4, 9, 3, 2};

TEST(WeightedOrdered, WholeWeightsAreRowsWrittenOut) {
  const Values weights = {2, 0, 1, 1, 3, 1, 0, 0};  // as many as there are rows, as mad needs
  Columns written(2);
  for (std::size_t i = 0; i < kX.size(); ++i) {
    written[0].insert(written[0].end(), static_cast<std::size_t>(weights[i]), kX[i]);
    written[1].insert(written[1].end(), static_cast<std::size_t>(weights[i]), kY[i]);
  }
  for (const Statistic& statistic :
       {statistic::mad(), statistic::gini(), statistic::top_share(0.3), statistic::top_share(1)})
    EXPECT_NEAR(estimate(statistic::weighted(statistic), {kX, weights}),
                estimate(statistic, {written[0]}), 1e-14)
        << statistic.name();
  EXPECT_NEAR(estimate(statistic::weighted(statistic::spearman()), {kX, kY, weights}),
              estimate(statistic::spearman(), written), 1e-14);
}

TEST(WeightedOrdered, GiniAndSpearmanAreThoseOfPairs) {
  const Values weights = {0.3, 2.5, 0, 1.25, 7, 0.01, 1, 3};
  double total = 0;
  double sum = 0;
  double pairs = 0;
  Values a(kX.size());
  Values b(kX.size());
  for (std::size_t i = 0; i < kX.size(); ++i) {
    total += weights[i];
    sum += weights[i] * kX[i];
    for (std::size_t j = 0; j < kX.size(); ++j) {
      pairs += weights[i] * weights[j] * std::abs(kX[i] - kX[j]);
      a[i] += weights[j] * (kX[j] < kX[i] ? 1 : kX[j] > kX[i] ? -1 : 0);
      b[i] += weights[j] * (kY[j] < kY[i] ? 1 : kY[j] > kY[i] ? -1 : 0);
    }
  }
  EXPECT_NEAR(estimate(statistic::weighted(statistic::gini()), {kX, weights}),
              pairs / (2 * total * sum), 1e-14);
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    aa += weights[i] * a[i] * a[i];
    bb += weights[i] * b[i] * b[i];
    ab += weights[i] * a[i] * b[i];
  }
  EXPECT_NEAR(estimate(statistic::weighted(statistic::spearman()), {kX, kY, weights}),
              ab / std::sqrt(aa * bb), 1e-14);
}

TEST(WeightedOrdered, CommonFactorsChangeNothing) {
  const Values weights = {0.3, 2.5, 0, 1.25, 7, 0.01, 1, 3};
  for (const double factor : {1e-300, 1e300}) {
    Values others;
    Values large;
    for (const double each : weights) others.push_back(each * factor);
    for (const double each : kX) large.push_back(each * 1e307);
    for (const Statistic& statistic : {statistic::gini(), statistic::top_share(0.3)})
      EXPECT_NEAR(estimate(statistic::weighted(statistic), {large, others}),
                  estimate(statistic::weighted(statistic), {kX, weights}), 1e-13);
    EXPECT_NEAR(estimate(statistic::weighted(statistic::spearman()), {kX, kY, others}),
                estimate(statistic::weighted(statistic::spearman()), {kX, kY, weights}), 1e-13);
  }
}

TEST(WeightedOrdered, UndefinedWhereTheyAreWithoutWeights) {
  const Values weights(4, 1.5);
  const Values zeros(4, 0.0);
  for (const Statistic& statistic : {statistic::gini(), statistic::top_share(0.3)}) {
    EXPECT_TRUE(std::isnan(estimate(statistic::weighted(statistic), {zeros, weights})));
    EXPECT_TRUE(std::isnan(estimate(statistic::weighted(statistic), {{1, 2, -1, 4}, weights})));
    // A row of weight 0 does not count.
    EXPECT_FALSE(
        std::isnan(estimate(statistic::weighted(statistic), {{1, 2, -1, 4}, {1, 1, 0, 1}})));
  }
  EXPECT_TRUE(std::isnan(estimate(statistic::weighted(statistic::spearman()),
                                  {zeros, {1, 2, 3, 4}, {0.1, 0.2, 0.7, 3}})));
}

// Rows drawn by probabilities: the estimate has these as weights.
TEST(WeightedOrdered, ProbabilitiesAreWeightsOfEstimates) {
  const Values weights = {0.3, 2.5, 0, 1.25, 7, 0.01, 1, 3};
  const Options options{.replicates = 5, .scheme = scheme::Unequal{weights}};
  for (const Statistic& statistic :
       {statistic::mad(), statistic::gini(), statistic::top_share(0.3)})
    EXPECT_NEAR(bootstrap(ColumnView(kX), statistic, options).estimate(),
                estimate(statistic::weighted(statistic), {kX, weights}), 1e-14);
}

}  // namespace weighted_ordered_test
}  // namespace bootfold
