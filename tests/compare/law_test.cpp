// What chance does: p-values under the null hypothesis, joint coverage, many groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bootfold/compare.h"
#include "samples.h"

namespace bootfold::comparison {
namespace {

/// The largest distance between the shares of `values` below x and x itself.
double distance_from_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    distance = std::max({distance, static_cast<double>(i + 1) / n - values[i],
                         values[i] - static_cast<double>(i) / n});
  return distance;
}

/// `groups` groups of `rows` standard normal values each.
Samples null_samples(std::size_t groups, std::size_t rows, std::uint64_t seed) {
  const std::vector<double> noise = normals(groups * rows, seed);
  Samples samples;
  samples.values = noise;
  for (std::size_t i = 0; i < noise.size(); ++i)
    samples.groups.push_back("g" + std::to_string(i % groups));
  return samples;
}

// 500 experiments without an effect. Kolmogorov's distance exceeds 2.69 / sqrt(500) = 0.12 once in
// a million; that the bootstrap takes 80 rows for all there is (a standard error too small by
// 0.6 %) and the grid of 1/150 add about 0.01.
TEST(Null, PValuesAreUniform) {
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::normal,
        interval::Method::bca, interval::Method::studentized}) {
    SCOPED_TRACE(name(method));
    std::vector<double> found;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      const Samples samples = null_samples(2, 80, seed);
      found.push_back(
          compare(
              samples.values, samples.labels(), statistic::mean(),
              {.interval = method, .replicates = 299, .seed = seed, .execution = {.threads = 1}})
              .contrasts[0]
              .p_value);
    }
    EXPECT_LT(distance_from_uniform(found), 0.13);
  }
}

// The same experiments with an effect of a quarter of a standard deviation are not: the test above
// could fail.
TEST(Null, PValuesWithAnEffectAreNotUniform) {
  std::vector<double> found;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Samples samples = null_samples(2, 80, seed);
    for (std::size_t i = 0; i < samples.values.size(); i += 2) samples.values[i] += 0.25;
    found.push_back(compare(samples.values, samples.labels(), statistic::mean(),
                            {.replicates = 299, .seed = seed, .execution = {.threads = 1}})
                        .contrasts[0]
                        .p_value);
  }
  EXPECT_GT(distance_from_uniform(found), 0.3);
}

// Five groups against a control, no effect anywhere, 300 experiments: at 10 % some group is called
// different in about 10 % of them with max-t, and in no more by Holm. Uncorrected it is 10 % for
// each group, about 35 % for one of them. Binomial(300, 0.1) lies outside [8, 58] once in a million.
// A simultaneous interval leaves 0 out where its p-value is small.
TEST(Null, CorrectionsHoldTheErrorOfAllGroupsTogether) {
  int simultaneous = 0;
  int holm = 0;
  int alone = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Samples samples = null_samples(6, 60, seed);
    const data::Labels labels = samples.labels();
    Options options{.interval = interval::Method::normal,
                    .correction = Correction::simultaneous,
                    .confidence = 0.9,
                    .replicates = 299,
                    .seed = seed,
                    .execution = {.threads = 1}};
    const auto any = [](const Comparison& found, auto&& test) {
      return static_cast<int>(std::any_of(found.contrasts.begin(), found.contrasts.end(), test));
    };
    const auto significant = [](const Contrast& c) { return c.adjusted_p_value <= 0.1; };
    const Comparison joint = compare(samples.values, labels, statistic::mean(), options);
    simultaneous += any(joint, significant);
    alone += any(joint, [](const Contrast& c) { return c.p_value <= 0.1; });
    for (const Contrast& c : joint.contrasts) {
      const bool outside = c.adjusted_interval.low > 0 || c.adjusted_interval.high < 0;
      if (std::abs(c.adjusted_p_value - 0.1) > 0.005) {
        EXPECT_EQ(outside, significant(c));
      }
      EXPECT_GE(c.adjusted_p_value, c.p_value / 2);
      EXPECT_LE(c.adjusted_interval.low, c.interval.low + 0.1);
    }
    options.correction = Correction::holm;
    holm += any(compare(samples.values, labels, statistic::mean(), options), significant);
  }
  EXPECT_GE(simultaneous, 8);
  EXPECT_LE(simultaneous, 58);
  EXPECT_LE(holm, 58);
  EXPECT_GE(alone, 75);
}

// Max-t knows that the differences share the control, so its intervals are shorter than
// Bonferroni's.
TEST(Simultaneous, IsSharperThanBonferroni) {
  const Samples samples = null_samples(11, 50, 1);
  const data::Labels labels = samples.labels();
  Options options{.interval = interval::Method::normal,
                  .correction = Correction::simultaneous,
                  .replicates = 20'000};
  const Comparison joint = compare(samples.values, labels, statistic::mean(), options);
  options.correction = Correction::bonferroni;
  const Comparison each = compare(samples.values, labels, statistic::mean(), options);
  const auto length = [](const Interval& interval) { return interval.high - interval.low; };
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_LT(length(joint.contrasts[i].adjusted_interval),
              length(each.contrasts[i].adjusted_interval));
    EXPECT_GT(length(joint.contrasts[i].adjusted_interval), length(joint.contrasts[i].interval));
    EXPECT_DOUBLE_EQ(each.contrasts[i].adjusted_interval.confidence, 0.995);
  }
}

// Monte Carlo errors: over 200 seeds the standard deviation of p-value and limits is what each run
// says. A standard deviation of 200 values is off by 5 %, so by 25 % in one of a million and a half.
TEST(MonteCarloError, IsWhatOtherSeedsChange) {
  const Samples samples = mice();
  const data::Labels labels = samples.labels();
  for (const interval::Method method : {interval::Method::percentile, interval::Method::normal,
                                        interval::Method::bca, interval::Method::studentized}) {
    SCOPED_TRACE(name(method));
    std::vector<double> p;
    std::vector<double> low;
    double said_p = 0;
    double said_low = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Contrast c =
          compare(
              samples.values, labels, statistic::mean(),
              {.interval = method, .replicates = 2000, .seed = seed, .execution = {.threads = 1}})
              .contrasts[0];
      p.push_back(c.p_value);
      low.push_back(c.interval.low);
      said_p += c.p_value_error / 200;
      said_low += c.interval.low_error / 200;
    }
    const auto deviation = [](const std::vector<double>& v) {
      double mean = 0;
      for (const double x : v) mean += x / static_cast<double>(v.size());
      double sum = 0;
      for (const double x : v) sum += (x - mean) * (x - mean);
      return std::sqrt(sum / static_cast<double>(v.size() - 1));
    };
    EXPECT_NEAR(deviation(p) / said_p, 1, 0.3);
    EXPECT_NEAR(deviation(low) / said_low, 1, 0.3);
  }
}

}  // namespace
}  // namespace bootfold::comparison
