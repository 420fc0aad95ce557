// Settings drawn at random from ranges.
#include "bootfold/ensemble/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bootfold/error.h"
#include "data/temp_file.h"

namespace bootfold::ensemble {
namespace sampling_test {

using testing::ElementsAre;
using testing_data::message_of;
using testing_data::says;

std::vector<double> values_of(std::size_t count, const std::string& name, ValueRange range,
                              auto&& value) {
  std::vector<double> values;
  // The learning rate keeps the settings apart.
  SamplingOptions options{.ranges = {{"learning_rate", {1e-6, 1}}, {name, range}}, .seed = 5};
  for (const Settings& settings : sample_settings(count, options))
    values.push_back(value(settings));
  return values;
}

/// The Kolmogorov distance of shares in [0, 1] from the uniform distribution.
double distance_from_uniform(std::vector<double> shares) {
  std::ranges::sort(shares);
  const auto count = static_cast<double>(shares.size());
  double distance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i)
    distance = std::max({distance, std::abs(shares[i] - static_cast<double>(i) / count),
                         std::abs(shares[i] - static_cast<double>(i + 1) / count)});
  return distance;
}

TEST(SampledSettings, AreAPrefixOfMore) {
  const std::vector<Settings> few = sample_settings(64, {.seed = 7});
  const std::vector<Settings> more = sample_settings(128, {.seed = 7});
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
  EXPECT_NE(few, sample_settings(64, {.seed = 8}));
}

TEST(SampledSettings, AreTheSameEverywhere) {
  // Known answers: a change of these changes the settings that users have drawn.
  const std::vector<Settings> drawn = sample_settings(2, {.seed = 1});
  EXPECT_EQ(drawn[0].learning_rate, 0.01225);
  EXPECT_THAT(drawn[0].architecture.hidden, ElementsAre(64, 64, 64));
  EXPECT_EQ(drawn[0].dropout, 0.2931);
  EXPECT_EQ(drawn[0].weight_decay, 0.003788);
  EXPECT_EQ(drawn[1].learning_rate, 0.001042);
  EXPECT_THAT(drawn[1].architecture.hidden, ElementsAre(32, 32, 32));
  EXPECT_EQ(drawn[1].dropout, 0.1231);
  EXPECT_EQ(drawn[1].weight_decay, 3.369e-6);
}

TEST(SampledSettings, DoNotDependOnOtherRanges) {
  const auto rate = [](const Settings& settings) { return settings.learning_rate; };
  SamplingOptions one{.ranges = {{"learning_rate", {1e-4, 1e-1}}}, .seed = 3};
  SamplingOptions two = one;
  two.ranges["dropout"] = {0, 0.5};
  std::vector<double> a;
  std::vector<double> b;
  std::ranges::transform(sample_settings(20, one), std::back_inserter(a), rate);
  std::ranges::transform(sample_settings(20, two), std::back_inserter(b), rate);
  EXPECT_EQ(a, b);
}

// Kolmogorov: of 4000 uniform draws the distance exceeds 2.7 / sqrt(4000) once in a million; four
// significant digits add less than 0.005 to both.
TEST(SampledSettings, FollowTheirLaws) {
  const double bound = 2.7 / std::sqrt(4000.0);
  std::vector<double> logarithms =
      values_of(4000, "weight_decay", {1e-6, 1e-2},
                [](const Settings& s) { return std::log(s.weight_decay / 1e-6) / std::log(1e4); });
  EXPECT_LT(distance_from_uniform(logarithms), bound + 0.005);
  EXPECT_LT(distance_from_uniform(values_of(4000, "dropout", {0, 0.5},
                                            [](const Settings& s) { return s.dropout / 0.5; })),
            bound + 0.005);
  // Three depths with probability 1/3 of 4000: outside 1333 +- 146 once in a million.
  std::vector<double> depths = values_of(4000, "depth", {1, 3}, [](const Settings& s) {
    return static_cast<double>(s.architecture.hidden.size());
  });
  for (const double depth : {1.0, 2.0, 3.0})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(depths, depth)), 1333.3, 146);
  // Seven widths.
  std::vector<double> widths = values_of(4000, "hidden", {16, 128}, [](const Settings& s) {
    return static_cast<double>(s.architecture.hidden[0]);
  });
  EXPECT_THAT(std::set<double>(widths.begin(), widths.end()),
              ElementsAre(16, 24, 32, 48, 64, 96, 128));
  for (const double width : {16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(widths, width)), 571.4, 109);
}

TEST(SampledSettings, HaveFourDigitsWithinTheirRange) {
  for (const double rate :
       values_of(500, "clip", {0.0123456, 0.1}, [](const Settings& s) { return s.clip; })) {
    EXPECT_GE(rate, 0.0123456);
    EXPECT_LE(rate, 0.1);
    char text[32];
    std::snprintf(text, sizeof text, "%.3e", rate);
    if (rate > 0.01235) {
      EXPECT_EQ(std::stod(text), rate);
    }
  }
}

TEST(SampledSettings, TakeListsAsChoices) {
  SamplingOptions options{.ranges = {{"learning_rate", {1e-4, 1e-1}}, {"hidden", {5, 11}}}};
  options.bases.resize(2);
  options.bases[0].optimizer = Optimizer::adamw;
  options.bases[1].architecture.hidden = {1, 1};
  std::size_t adamw = 0;
  std::set<std::size_t> widths;
  for (const Settings& settings : sample_settings(400, options)) {
    const bool first = settings.optimizer == Optimizer::adamw;
    adamw += first ? 1U : 0U;
    EXPECT_EQ(settings.architecture.hidden.size(), first ? 1U : 2U);
    widths.insert(settings.architecture.hidden.begin(), settings.architecture.hidden.end());
  }
  EXPECT_NEAR(static_cast<double>(adamw), 200, 49);  // Binomial(400, 1/2): once in a million
  EXPECT_THAT(widths, ElementsAre(5, 6, 8, 11));
}

TEST(SampledSettings, RejectInvalidRanges) {
  const auto refuses = [](const std::map<std::string, ValueRange>& ranges) {
    return message_of<InvalidArgument>([&] { static_cast<void>(sample_settings(4, {ranges})); });
  };
  EXPECT_TRUE(
      says(refuses({{"learning_rate", {1e-2, 1e-4}}}), "0.01..1e-04", "low end", "0.001..0.03"));
  EXPECT_TRUE(says(refuses({{"weight_decay", {0, 1e-2}}}), "above 0", "logarithm"));
  EXPECT_TRUE(says(refuses({{"dropout", {0, 1}}}), "within 0..0.9"));
  EXPECT_TRUE(says(refuses({{"hidden", {1.5, 3}}}), "whole"));
  EXPECT_TRUE(says(refuses({{"activation", {1, 3}}}), "activation", "learning_rate"));
  EXPECT_TRUE(says(refuses({{"depth", {2, 3}}}), "sample is 4", "2 different settings"));
  const auto parse = [](std::string_view text) {
    return message_of<InvalidArgument>(
        [&] { static_cast<void>(parse_range(range_options()[0], "rate", text)); });
  };
  EXPECT_TRUE(says(parse("1e-4..x"), "rate is '1e-4..x'", "two numbers"));
  EXPECT_TRUE(says(parse(".."), "two numbers"));
  EXPECT_TRUE(says(parse("1e-2..1e-4"), "rate is 1e-2..1e-4", "low end"));
  EXPECT_EQ(parse_range(range_options()[0], "rate", "1e-4..1e-2"), (ValueRange{1e-4, 1e-2}));
  SamplingOptions none{.ranges = {{"depth", {1, 3}}}};
  none.bases[0].architecture.hidden = {};
  EXPECT_TRUE(
      says(message_of<InvalidArgument>([&] { static_cast<void>(sample_settings(4, none)); }),
           "no hidden layer"));
}

}  // namespace sampling_test
}  // namespace bootfold::ensemble
