// Hostile data: constant, single, huge offsets, denormals, outliers, other number types; any
// threads.
#include <gtest/gtest.h>

#include "bootfold/exact.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace nasty_test {

TEST(Nasty, ConstantRows) {
  const std::vector<double> data(50, 3.25);
  for (const char* name : {"mean", "median", "sum", "variance:0", "max", "trimmed_mean:0.1"}) {
    SCOPED_TRACE(name);
    const Distribution law = distribution(data, statistic::parse(name));
    EXPECT_EQ(law.method(), Method::constant);
    EXPECT_EQ(law.atoms().size(), 1U);
    EXPECT_EQ(law.standard_error(), 0);
    EXPECT_EQ(law.bias(), 0);
    EXPECT_EQ(law.percentile().low, law.estimate());
    EXPECT_EQ(law.percentile().high, law.estimate());
    EXPECT_EQ(law.error_bound(), 0);
  }
  EXPECT_NE(message_of<InvalidArgument>([&] {
              static_cast<void>(distribution(data, statistic::skewness()));
            }).find("undefined"),
            std::string::npos);
}

TEST(Nasty, OneRow) {
  const std::vector<double> data = {-7.5};
  EXPECT_EQ(distribution(data, statistic::mean()).estimate(), -7.5);
  EXPECT_EQ(distribution(data, statistic::median()).quantile(0.9), -7.5);
}

// Adding 1e9 to multiples of 1/64, which loses nothing, moves the law and changes nothing else.
TEST(Nasty, HugeOffset) {
  std::vector<double> data;
  for (const double z : normals(500, 4)) data.push_back(std::round(64 * z) / 64);
  std::vector<double> moved = data;
  for (double& x : moved) x += 1e9;
  const Distribution here = distribution(data, statistic::mean());
  const Distribution there = distribution(moved, statistic::mean());
  EXPECT_NEAR(there.standard_error(), here.standard_error(), 1e-12);
  for (const double p : {0.01, 0.025, 0.5, 0.975})
    EXPECT_NEAR(there.quantile(p) - 1e9, here.quantile(p), 2e-7);
}

TEST(Nasty, HugeOffsetOfNumbersWithoutAStep) {
  std::vector<double> data = normals(2000, 6);
  for (double& x : data) x += 1e9;
  const Distribution law = distribution(data, statistic::mean());
  EXPECT_LT(law.error_bound(), 1e-9);
  EXPECT_NEAR(law.quantile(0.975) - law.estimate(), 1.96 * law.standard_error(),
              0.03 * law.standard_error());
}

// A power of two scales the law, down to denormals and up to the end of the range.
TEST(Nasty, ScalesByPowersOfTwo) {
  const std::vector<double> data = normals(1000, 9);
  const Distribution law = distribution(data, statistic::mean());
  for (const int exponent : {-900, 1000}) {
    std::vector<double> scaled = data;
    for (double& x : scaled) x = std::ldexp(x, exponent);
    const Distribution other = distribution(scaled, statistic::mean());
    EXPECT_EQ(std::ldexp(other.standard_error(), -exponent), law.standard_error());
    for (const double p : {0.01, 0.5, 0.975})
      EXPECT_NEAR(std::ldexp(other.quantile(p), -exponent), law.quantile(p), 1e-12) << exponent;
  }
}

TEST(Nasty, Denormals) {
  std::vector<double> data;
  for (int i = 0; i < 9; ++i) data.push_back(std::ldexp(i * i, -1074));
  const Distribution law = distribution(data, statistic::median());
  EXPECT_EQ(law.estimate(), std::ldexp(16, -1074));
  const Distribution mean = distribution(data, statistic::mean());
  EXPECT_EQ(mean.method(), Method::lattice);
  EXPECT_NEAR(mean.cdf(mean.estimate()), 0.55, 0.06);
}

// Two rows far out: how often they are drawn makes lumps, and the bound is kept all the same.
TEST(Nasty, TwoHugeOutliers) {
  std::vector<double> data = normals(2000, 12);
  data[10] = 4e3;
  data[20] = 4e3;
  const Distribution law = distribution(data, statistic::mean());
  EXPECT_LT(law.error_bound(), 1e-6);
  // Neither is drawn: (1 - 2/n)^n; one of them once: the next lump, a mean of 2 higher.
  const double none = std::pow(1 - 2.0 / 2000, 2000);
  EXPECT_NEAR(law.cdf(1), none, 1e-6 + law.error_bound());
  EXPECT_NEAR(law.cdf(3) - law.cdf(1), 2 * std::pow(1 - 2.0 / 2000, 1999), 2e-6);
}

TEST(Nasty, NotANumberIsRefused) {
  const std::vector<double> data = {1, 2, std::nan(""), 4};
  EXPECT_NE(message_of<DataError>([&] {
              static_cast<void>(distribution(data, statistic::mean()));
            }).find("row 3"),
            std::string::npos);
}

TEST(Nasty, FloatsAndIntegersAreReadAsTheyLie) {
  const std::vector<float> floats = {1.5F, 2.25F, 7, -1};
  const std::vector<double> doubles(floats.begin(), floats.end());
  const Distribution a = distribution(floats, statistic::mean());
  const Distribution b = distribution(doubles, statistic::mean());
  ASSERT_EQ(a.atoms().size(), b.atoms().size());
  for (std::size_t i = 0; i < a.atoms().size(); ++i)
    EXPECT_EQ(a.atoms()[i].value, b.atoms()[i].value);
}

// Same bits whoever computes.
TEST(Nasty, ThreadsAndInstructionSetsDoNotMatter) {
  std::vector<double> cents;
  for (const double z : normals(300'000, 2)) cents.push_back(std::round(100 * std::exp(z)) / 100);
  std::vector<double> thirds;
  for (const double cent : cents) thirds.push_back(std::round(cent) / 3);
  std::vector<std::pair<std::vector<double>, const char*>> jobs = {
      {normals(300'000, 1), "mean"}, {cents, "mean"},
      {normals(2000, 3), "mean"},    {thirds, "mean"},
      {normals(14, 6), "mean"},      {normals(20, 4), "median"},
      {normals(9, 5), "skewness"}};
  for (const auto& [data, name] : jobs) {
    std::vector<double> first;
    for (const execution::Level level : execution::available_levels())
      for (const unsigned threads : {1U, 2U, 7U}) {
        if (threads != 2 && level != execution::Level::portable) continue;
        const Distribution law = distribution(data, statistic::parse(name),
                                              {.execution = {.threads = threads, .level = level}});
        const std::vector<double> found = {
            law.estimate(),     law.mean(),         law.standard_error(), law.quantile(0.025),
            law.quantile(0.77), law.error_bound(),  law.cdf(law.mean()),  law.undefined(),
            law.z0(),           law.quantile(0.001)};
        if (first.empty()) first = found;
        EXPECT_EQ(found, first) << name << " of " << data.size() << ", " << threads << " threads, "
                                << execution::name(level);
      }
  }
}

}  // namespace nasty_test
}  // namespace bootfold::exact
