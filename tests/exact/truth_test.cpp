// Published and doubly checked numbers: the exact bootstrap of the books' data.
#include <gtest/gtest.h>

#include "bootfold/bootfold.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace truth_test {

TEST(Truth, MouseTreatmentStandardErrors) {
  EXPECT_NEAR(distribution(kTreatment, statistic::mean()).standard_error(), 23.3635234373, 1e-10);
  EXPECT_NEAR(distribution(kTreatment, statistic::median()).standard_error(), 37.8346743939, 1e-10);
}

TEST(Truth, MouseControlStandardErrors) {
  EXPECT_NEAR(distribution(reference::kControl, statistic::mean()).standard_error(), 13.3303494604,
              1e-10);
  EXPECT_NEAR(distribution(reference::kControl, statistic::median()).standard_error(), 12.8608629,
              1e-7);
}

TEST(Truth, MouseTreatmentLawOfTheMedianOverRanks) {
  const Distribution law = distribution(kTreatment, statistic::median());
  const double expected[] = {.01015005, .0981236, .23862628, .30620016,
                             .23862628, .0981236, .01015005};
  ASSERT_EQ(law.atoms().size(), 7U);
  std::vector<double> sorted = kTreatment;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t rank = 0; rank < 7; ++rank) {
    EXPECT_EQ(law.atoms()[rank].value, sorted[rank]);
    EXPECT_NEAR(law.atoms()[rank].probability, expected[rank], 5e-9);
  }
}

TEST(Truth, MouseTreatmentTails) {
  const Distribution law = distribution(kTreatment, statistic::mean());
  EXPECT_NEAR(law.quantile(0.05), 49.428571, 5e-7);
  EXPECT_NEAR(law.quantile(0.95), 126.714286, 5e-7);
}

TEST(Truth, SixteenIntervals) {
  const Distribution law = distribution(kSixteen, statistic::mean());
  EXPECT_NEAR(law.standard_error(), 14.2367687168, 1e-10);
  EXPECT_DOUBLE_EQ(law.percentile().low, 28.8625);
  EXPECT_DOUBLE_EQ(law.percentile().high, 84.2375);
  EXPECT_DOUBLE_EQ(law.basic().low, 23.75);
  EXPECT_DOUBLE_EQ(law.basic().high, 79.125);
  const Interval bca = law.bca(.06152887, {}, Ties::strict);
  EXPECT_DOUBLE_EQ(bca.low, 32.2375);
  EXPECT_DOUBLE_EQ(bca.high, 91.375);
  EXPECT_EQ(bca.method, "bca");
}

// The normal interval needs only moments: 53.99375 -+ 1.959963984540054 * 14.2367687168.
TEST(Truth, SixteenNormalInterval) {
  const Interval interval = distribution(kSixteen, statistic::mean()).normal();
  EXPECT_NEAR(interval.low, 53.99375 - 1.959963984540054 * 14.2367687168, 1e-9);
  EXPECT_NEAR(interval.high, 53.99375 + 1.959963984540054 * 14.2367687168, 1e-9);
}

TEST(Truth, OneSidedIntervals) {
  const Distribution law = distribution(kSixteen, statistic::mean());
  const Interval less = law.percentile({.confidence = 0.975, .alternative = Alternative::less});
  EXPECT_EQ(less.low, -std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(less.high, 84.2375);
  const Interval greater = law.basic({.confidence = 0.975, .alternative = Alternative::greater});
  EXPECT_DOUBLE_EQ(greater.low, 23.75);
  EXPECT_EQ(greater.high, std::numeric_limits<double>::infinity());
}

// The cumulants of a mean are those of one draw over n^(j-1): the skewness of the law is that of
// the data over sqrt(n), the excess of the kurtosis that of the data over n.
TEST(Truth, CumulantsOfTheMean) {
  const Distribution law = distribution(kSixteen, statistic::mean());
  const double m = mean_of(kSixteen);
  double data[5] = {};
  for (const double x : kSixteen)
    for (int p = 2; p <= 4; ++p) data[p] += std::pow(x - m, p) / 16;
  double found[5] = {};
  for (const Atom& atom : law.atoms())
    for (int p = 2; p <= 4; ++p) found[p] += std::pow(atom.value - m, p) * atom.probability;
  EXPECT_NEAR(found[3] / std::pow(found[2], 1.5), data[3] / std::pow(data[2], 1.5) / 4, 1e-10);
  EXPECT_NEAR(found[4] / (found[2] * found[2]) - 3, (data[4] / (data[2] * data[2]) - 3) / 16,
              1e-10);
}

// Efron's 3200 replicates gave 0.132; the spread of an estimate from so many is 0.002.
TEST(SlowTruth, AllResamplesOfTheLawSchools) {
  const reference::Columns columns = {reference::kLsat, reference::kGpa};
  const Distribution law =
      distribution(reference::view(columns), statistic::correlation(), {.resamples = 80'000'000});
  EXPECT_EQ(law.method(), Method::enumeration);
  EXPECT_NE(law.reason().find("77,558,760"), std::string::npos);
  EXPECT_NEAR(law.estimate(), 0.776374491289, 1e-12);
  EXPECT_NEAR(law.standard_error(), 0.132, 0.008);
  // And the engine agrees: a million replicates, six of their standard errors.
  const Result drawn = bootstrap(reference::view(columns), statistic::correlation(),
                                 {.replicates = 1'000'000, .seed = 3});
  EXPECT_NEAR(law.standard_error(), drawn.standard_error(), 6 * drawn.standard_error_error());
  RecordProperty("standard_error", std::to_string(law.standard_error()));
}

}  // namespace truth_test
}  // namespace bootfold::exact
