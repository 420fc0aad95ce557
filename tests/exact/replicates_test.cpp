// The Monte Carlo engine draws from these laws. 200,000 replicates; Kolmogorov-Smirnov at one false
// alarm in a million (conservative where the law has atoms); seeds are fixed.
#include <gtest/gtest.h>

#include "bootfold/bootstrap.h"
#include "bootfold/exact.h"
#include "exact/laws.h"
#include "statistic/laws.h"

namespace bootfold::exact {
namespace replicates_test {

void expect_same(const std::vector<double>& data, const Statistic& statistic) {
  SCOPED_TRACE(testing::Message() << statistic.name() << " of " << data.size() << " rows");
  const Distribution law = distribution(data, statistic);
  const Result drawn = bootstrap(data, statistic, {.replicates = 200'000, .seed = 21});
  EXPECT_TRUE(laws::kolmogorov_smirnov(drawn.replicates(), [&](double x) { return law.cdf(x); }) ||
              !law.atoms().empty());
  // At atoms: shares at most and below a few values, each within 4.89 standard deviations.
  for (const double p : {0.01, 0.1, 0.5, 0.8, 0.99}) {
    const double x = law.quantile(p);
    const double blur = 1e-9 * law.standard_error();
    const auto at_most = std::count_if(drawn.replicates().begin(), drawn.replicates().end(),
                                       [&](double r) { return r <= x + blur; });
    const double expected = law.cdf(x);
    if (expected < 1 - 1e-4) {
      EXPECT_TRUE(laws::binomial_share(static_cast<double>(at_most), 200'000, expected)) << p;
    }
  }
  EXPECT_EQ(law.estimate(), drawn.estimate());
  EXPECT_NEAR(law.standard_error(), drawn.standard_error(),
              laws::kZ * drawn.standard_error_error() + 1e-12);
  EXPECT_NEAR(law.bias(), drawn.bias(), laws::kZ * law.standard_error() / std::sqrt(200'000.0));
}

TEST(Replicates, FollowTheLawOfTheMean) {
  std::vector<double> skewed = normals(2000, 3);
  for (double& x : skewed) x = std::exp(x);
  expect_same(skewed, statistic::mean());
  expect_same(skewed, statistic::sum());
  expect_same(kSixteen, statistic::mean());
}

TEST(Replicates, FollowTheLawOfQuantiles) {
  expect_same(normals(501, 4), statistic::median());
  expect_same(normals(500, 5), statistic::median());
  expect_same(normals(1000, 6), statistic::quantile(0.93));
  expect_same(kSixteen, statistic::max());
}

TEST(Replicates, FollowTheLawOfAProportion) {
  expect_same(normals(800, 7), statistic::proportion(1.2));
}

}  // namespace replicates_test
}  // namespace bootfold::exact
