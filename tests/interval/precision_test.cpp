// As many replicates as it takes.
#include "bootfold/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace precision_test {

using interval::Method;
using testing::HasSubstr;

// For normal replicates: p (1 - p) / (density / precision)^2, 0.025 * 0.975 / 0.05844507^2 * 1e4.
TEST(Precision, TheFirstRoundIsRightForNormalReplicates) {
  EXPECT_EQ(first_replicates(0.01, Method::percentile, {}), 71'360U);
  EXPECT_EQ(first_replicates(0.01, Method::normal, {}), 29'208U);
  EXPECT_EQ(first_replicates(0.9, Method::percentile, {}), 1000U);
}

TEST(Precision, IsMetAndTheBitsAreThoseOfOneRun) {
  std::vector<double> skewed = reference::normals(40, 1);
  for (double& value : skewed) value = std::exp(2 * value);
  for (const Method method : {Method::percentile, Method::bca, Method::studentized}) {
    SCOPED_TRACE(interval::name(method));
    const Reached reached =
        bootstrap_to_precision(skewed, statistic::mean(), {.precision = 0.03, .method = method},
                               {.seed = 7, .first_replicate = 5});
    EXPECT_TRUE(reached.met);
    EXPECT_LE(reached.precision, 0.03);
    const Result& result = reached.result;
    const Interval found = interval::make(method, result);
    EXPECT_LE(std::max(found.low_error, found.high_error), 0.03 * result.standard_error());
    EXPECT_EQ(reached.rounds.back(), result.plan().replicates);
    EXPECT_EQ(reached.rounds.front(), first_replicates(0.03, method, {}));
    const Result whole = bootstrap(skewed, statistic::mean(),
                                   {.replicates = result.plan().replicates,
                                    .seed = 7,
                                    .first_replicate = 5,
                                    .influence = method == Method::bca,
                                    .standard_errors = method == Method::studentized});
    EXPECT_TRUE(std::equal(whole.replicates().begin(), whole.replicates().end(),
                           result.replicates().begin(), result.replicates().end()));
    EXPECT_EQ(whole.companions().replicate_errors, result.companions().replicate_errors);
    EXPECT_EQ(interval::make(method, whole).limits(), found.limits());
    EXPECT_EQ(whole.standard_error(), result.standard_error());
  }
}

// A long tail needs more than normal replicates would: a second round.
TEST(Precision, ALongTailTakesMoreRounds) {
  // The square of a mean near 0: chi-square, whose upper limit has three times the error.
  std::vector<double> x = reference::normals(200, 2);
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 200;
  for (double& value : x) value -= mean;
  const auto square = statistic::sums(
      1, [](std::span<const double> row, std::span<double> features) { features[0] = row[0]; },
      [](const statistic::Folded& folded) { return folded.mean(0) * folded.mean(0); });
  const Reached reached = bootstrap_to_precision(x, square, {.precision = 0.05});
  EXPECT_TRUE(reached.met);
  EXPECT_GT(reached.rounds.size(), 1U);
}

TEST(Precision, EndsAtTheMost) {
  const Reached reached = bootstrap_to_precision(reference::kSixteen, statistic::mean(),
                                                 {.precision = 0.001, .most = 5000});
  EXPECT_FALSE(reached.met);
  EXPECT_EQ(reached.result.plan().replicates, 5000U);
  EXPECT_GT(reached.precision, 0.001);
}

TEST(Precision, ConstantDataNeedNoMore) {
  const Reached reached =
      bootstrap_to_precision(std::vector<double>(9, 2.5), statistic::mean(), {.precision = 0.1});
  EXPECT_TRUE(reached.met);
  EXPECT_EQ(reached.rounds.size(), 1U);
}

TEST(Precision, InvalidOptionsAreRejected) {
  for (const double precision : {0.0, 1.0, -0.1, reference::kNan})
    EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                  static_cast<void>(bootstrap_to_precision(reference::kSixteen, statistic::mean(),
                                                           {.precision = precision}));
                }),
                HasSubstr("precision is"));
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                static_cast<void>(bootstrap_to_precision(reference::kSixteen, statistic::mean(), {},
                                                         {.scheme = scheme::Balanced{}}));
              }),
              HasSubstr("balanced"));
}

TEST(Append, RefusesAnotherRun) {
  Result first = bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 10, .seed = 1});
  const Result other =
      bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 10, .seed = 2});
  EXPECT_THROW(first.append(other), InvalidArgument);
}

}  // namespace precision_test
}  // namespace bootfold
