// What chance does: p-values under the null hypothesis, joint coverage, many groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "bootfold/compare.h"
#include "samples.h"
#include "statistic/spread.h"

namespace bootfold::comparison {
namespace law_test {

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

// 1000 experiments without an effect: two groups of 80 normal rows. A bootstrap takes these rows
// for all there is, so its standard error is sqrt(79 / 80) of Student's, and P(p <= x) = P(|t| >= z
// sqrt(79 / 80)), z the normal quantile of 1 - x / 2 and t of 158 degrees of freedom; studentized
// p-values are uniform. Shares of R = 999 replicates keep that law, on a grid of 2 / (R + 1),
// because a binomial with uniform p is uniform. The normal method's standard error of R replicates,
// and BCa's z0, blur z by a variance of up to 0.003 in excess of that of a share, which moves the
// law by at most 0.003 * 0.242. Massart: beyond all this the distance exceeds sqrt(log(2 / alarm) /
// 2000) with a probability of at most `alarm`.
TEST(Null, PValuesHaveTheLawOfTheory) {
  constexpr double kAlarm = 1e-6 / 5;
  const double most = std::sqrt(std::log(2 / kAlarm) / 2000) + 2.0 / 1000 + 0.003 * 0.242;
  const boost::math::students_t student(158);
  const auto law = [&](double p) {
    const double z = quantile(complement(boost::math::normal(), p / 2));
    return 2 * cdf(complement(student, z * std::sqrt(79.0 / 80)));
  };
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::normal,
        interval::Method::bca, interval::Method::studentized}) {
    SCOPED_TRACE(name(method));
    std::vector<double> found;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      const Samples samples = null_samples(2, 80, seed);
      const double p =
          compare(
              samples.values, samples.labels(), statistic::mean(),
              {.interval = method, .replicates = 999, .seed = seed, .execution = {.threads = 1}})
              .contrasts[0]
              .p_value;
      found.push_back(method == interval::Method::studentized ? p : law(p));
    }
    EXPECT_LT(distance_from_uniform(found), most);
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
// each group, about 35 % for one of them. Binomial(300, 0.1) lies outside [8, 58] once in a
// million. A simultaneous interval leaves 0 out where its p-value is small.
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

// Over 200 seeds p-value and limits vary as each run says; see statistic/spread.h.
TEST(MonteCarloError, IsTheStandardDeviationOverSeeds) {
  constexpr double kAlarm = 1e-6 / 12;
  const Samples samples = mice();
  const data::Labels labels = samples.labels();
  for (const interval::Method method : {interval::Method::percentile, interval::Method::normal,
                                        interval::Method::bca, interval::Method::studentized}) {
    SCOPED_TRACE(name(method));
    laws::Spread p;
    laws::Spread low;
    laws::Spread high;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Contrast c =
          compare(
              samples.values, labels, statistic::mean(),
              {.interval = method, .replicates = 2000, .seed = seed, .execution = {.threads = 1}})
              .contrasts[0];
      p.add(c.p_value, c.p_value_error);
      low.add(c.interval.low, c.interval.low_error);
      high.add(c.interval.high, c.interval.high_error);
    }
    EXPECT_TRUE(p.honest(kAlarm));
    EXPECT_TRUE(low.honest(kAlarm));
    EXPECT_TRUE(high.honest(kAlarm));
  }
}

// Of simultaneous limits and p-values too, where the standard errors of all differences vary with
// the seed, and of one difference alone, where they cancel. A p-value error that knows of the count
// alone is 0.7 of the right one. 400 seeds.
TEST(MonteCarloError, OfSimultaneousLimits) {
  constexpr double kAlarm = 1e-6 / 10;
  for (const std::size_t groups : {2U, 4U}) {
    SCOPED_TRACE(groups);
    Samples samples = null_samples(groups, 20, 5);
    for (std::size_t i = 0; i < samples.values.size(); ++i)
      samples.values[i] += 0.15 * static_cast<double>(i % groups);
    const data::Labels labels = samples.labels();
    std::vector<laws::Spread> p(groups - 1);
    std::vector<laws::Spread> low(groups - 1);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const Comparison found = compare(samples.values, labels, statistic::mean(),
                                       {.correction = Correction::simultaneous,
                                        .replicates = 500,
                                        .seed = seed,
                                        .execution = {.threads = 1}});
      for (std::size_t i = 0; i < found.contrasts.size(); ++i) {
        const Contrast& c = found.contrasts[i];
        p[i].add(c.adjusted_p_value, c.adjusted_p_value_error);
        low[i].add(c.adjusted_interval.low, c.adjusted_interval.low_error);
      }
    }
    for (const laws::Spread& each : p) EXPECT_TRUE(each.honest(kAlarm));
    for (const laws::Spread& each : low) EXPECT_TRUE(each.honest(kAlarm));
  }
}

}  // namespace law_test
}  // namespace bootfold::comparison
