// What there is no law of, and what can be asked of one: messages that say what to do instead.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "bootfold/exact.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace misuse_test {

std::string refusal(const std::vector<double>& data, const Statistic& statistic,
                    const Options& options = {}) {
  return message_of<InvalidArgument>(
      [&] { static_cast<void>(distribution(data, statistic, options)); });
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Misuse, StatisticsWithoutALaw) {
  expect_parts(refusal(normals(100, 1), statistic::variance()),
               {"variance", "100 rows", "mean, sum, proportion", "replicates=1000000"});
  expect_parts(refusal(normals(200, 1), statistic::interquartile_range()),
               {"interquartile_range", "6,000,000"});
}

TEST(Misuse, SeveralColumns) {
  const reference::Columns columns = {{1, 2, 3}, {4, 5, 6}};
  expect_parts(message_of<InvalidArgument>([&] {
                 static_cast<void>(distribution(reference::view(columns), statistic::mean()));
               }),
               {"mean", "2 values", "choose one column"});
}

TEST(Misuse, MethodsThatCannotServe) {
  const std::vector<double> data = {1, 2, 4, 9};
  for (const Method method : {Method::binomial, Method::order, Method::constant})
    expect_parts(refusal(data, statistic::mean(), {.method = method}),
                 {std::string(name(method)).c_str(), "is not available for 'mean'"});
  expect_parts(refusal(normals(50, 2), statistic::mean(), {.method = Method::lattice}),
               {"method lattice is not available"});
  expect_parts(refusal(normals(50, 2), statistic::mean(), {.method = Method::enumeration}),
               {"method enumeration is not available"});
}

TEST(Misuse, ABoundAboveTheTolerance) {
  expect_parts(refusal(normals(2000, 2), statistic::mean(), {.tolerance = 1e-12}),
               {"error bound", "at most 1e-12", "common step", "replicates=1000000"});
  expect_parts(refusal(normals(50, 2), statistic::mean(), {.tolerance = 0}), {"tolerance is 0"});
}

TEST(Misuse, InvalidProbabilitiesAndInfiniteZ0) {
  const Distribution law = distribution(kSixteen, statistic::mean());
  for (const double p : {-0.1, 0.0, 1.0, std::nan("")})
    EXPECT_THROW(static_cast<void>(law.quantile(p)), InvalidArgument) << p;
  EXPECT_THROW(static_cast<void>(law.percentile({.confidence = 1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(law.bca(std::nan(""))), InvalidArgument);
  // Every resample's largest row is at most the sample's.
  const Distribution max = distribution(kSixteen, statistic::max());
  EXPECT_TRUE(std::isfinite(max.z0()));
  const Distribution constant = distribution(std::vector<double>(9, 2.0), statistic::mean());
  expect_parts(
      message_of<InvalidArgument>([&] { static_cast<void>(constant.bca(0, {}, Ties::strict)); }),
      {"z0 is -inf", "percentile"});
}

// An extreme acceleration runs past the pole of the transformation: the limit is the end of the
// law.
TEST(Misuse, ExtremeAccelerations) {
  const Distribution law = distribution(kSixteen, statistic::mean());
  const Interval interval = law.bca(2);
  EXPECT_LE(interval.low, interval.high);
  EXPECT_GE(interval.low, 10);
  EXPECT_LE(interval.high, 213);
}

TEST(Misuse, QuantileRangeHoldsTheQuantile) {
  const Distribution law = distribution(normals(1000, 3), statistic::mean());
  const auto [low, high] = law.quantile_range(0.975);
  EXPECT_LE(low, law.quantile(0.975));
  EXPECT_GE(high, law.quantile(0.975));
  EXPECT_LT(high - low, 1e-7 * law.standard_error());
  EXPECT_GT(high - low, 0);
}

TEST(Outline, GivesTheMethodWithoutComputingTheLaw) {
  EXPECT_EQ(outline(normals(100'000, 1), statistic::mean()).method, Method::characteristic);
  EXPECT_EQ(outline(kSixteen, statistic::mean()).method, Method::lattice);
  EXPECT_EQ(outline(kSixteen, statistic::median()).method, Method::order);
  EXPECT_EQ(outline(normals(8, 1), statistic::skewness()).method, Method::enumeration);
  EXPECT_EQ(outline(std::vector<double>{0, 1, 1}, statistic::mean()).method, Method::binomial);
}

// Other columns are not looked at, and do not change the method.
TEST(Outline, OfAnExpressionIsThatOfItsColumns) {
  const std::vector<double> other = normals(16, 1);
  const DataView both({ColumnView(other), ColumnView(kSixteen)}, {"other", "x"});
  const Statistic named = statistic::expression("mean(x)");
  EXPECT_EQ(outline(both, named).method, Method::lattice);
  EXPECT_EQ(distribution(both, named).quantile(0.05),
            distribution(kSixteen, statistic::mean()).quantile(0.05));
}

// Slow work ends within a second of being asked to.
TEST(Cancel, EndsAnEnumeration) {
  const auto slow = statistic::callable([](const statistic::Resample& r) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return r.column(0)[0];
  });
  std::stop_source source;
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(static_cast<void>(
                   distribution(normals(12, 1), slow, {.execution = {.stop = source.get_token()}})),
               Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Cancel, EndsTheCharacteristicFunction) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(static_cast<void>(distribution(normals(100'000, 1), statistic::mean(),
                                              {.execution = {.stop = source.get_token()}})),
               Cancelled);
}

}  // namespace misuse_test
}  // namespace bootfold::exact
