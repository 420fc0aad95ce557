// Measures of ranking: by counts in the order of the scores, against their definitions by pairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "text/concat.h"

namespace bootfold {
namespace ranked_test {

using testing::ElementsAreArray;
using testing::HasSubstr;

/// Classes, scores with many ties, and scores without.
struct Scores {
  explicit Scores(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double noise = std::sin(static_cast<double>(i * i) + 0.3);
      classes.push_back(noise + std::cos(static_cast<double>(i)) > 0.2 ? 1 : 0);
      tied.push_back(std::round(4 * (noise + classes.back())));
      plain.push_back(0.7 * noise + classes.back() * std::cos(static_cast<double>(7 * i)));
    }
  }
  [[nodiscard]] DataView view() const { return DataView({classes, tied, plain}); }

  std::vector<double> classes;
  std::vector<double> tied;
  std::vector<double> plain;
};

/// By pairs of rows: quadratic, and straight from the definition.
double area_by_pairs(std::span<const double> classes, std::span<const double> scores,
                     std::span<const std::uint8_t> counts) {
  double won = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (classes[i] == 1 && classes[j] == 0) {
        const double weight = static_cast<double>(counts[i]) * counts[j];
        pairs += weight;
        won += weight * (scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0);
      }
  return won / pairs;
}

double precision_by_pairs(std::span<const double> classes, std::span<const double> scores,
                          std::span<const std::uint8_t> counts) {
  double sum = 0;
  double positives = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (classes[i] == 0 || counts[i] == 0) continue;
    double above = 0;
    double right = 0;
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (scores[j] >= scores[i]) {
        above += counts[j];
        right += classes[j] * counts[j];
      }
    sum += counts[i] * right / above;
    positives += counts[i];
  }
  return sum / positives;
}

TEST(Ranked, IsTheMeasureOfEveryResample) {
  const Scores data(300);
  std::vector<std::uint32_t> labels(300);
  for (std::uint32_t i = 0; i < 300; ++i) labels[i] = i / 4;
  for (const Scheme& scheme :
       std::vector<Scheme>{scheme::Iid{}, scheme::Poisson{}, scheme::Cluster{labels},
                           scheme::Balanced{}, scheme::StationaryBlocks{5}}) {
    SCOPED_TRACE(name(scheme));
    constexpr std::size_t kReplicates = 21;  // two groups of 8 and a rest
    std::vector<std::uint8_t> counts(kReplicates * 300);
    resample::Counter(300, {.seed = 7, .scheme = scheme, .replicates = kReplicates})
        .counts(0, counts);
    const Options options{.replicates = kReplicates, .seed = 7, .scheme = scheme};
    const Result area = bootstrap(data.view(), statistic::roc_auc(), options);
    const Result precision = bootstrap(data.view(), statistic::average_precision(), options);
    ASSERT_EQ(area.outputs(), 3U);
    for (std::size_t r = 0; r < kReplicates; ++r) {
      const auto own = std::span<const std::uint8_t>(counts).subspan(r * 300, 300);
      EXPECT_NEAR(area.replicate(r, 0), area_by_pairs(data.classes, data.tied, own), 1e-14);
      EXPECT_NEAR(area.replicate(r, 1), area_by_pairs(data.classes, data.plain, own), 1e-14);
      EXPECT_EQ(area.replicate(r, 2), area.replicate(r, 0) - area.replicate(r, 1));
      EXPECT_NEAR(precision.replicate(r, 0), precision_by_pairs(data.classes, data.tied, own),
                  1e-14);
      EXPECT_NEAR(precision.replicate(r, 1), precision_by_pairs(data.classes, data.plain, own),
                  1e-14);
    }
  }
}

// Several super-blocks, tails of every length, and ties within and across blocks of the kernels.
TEST(Ranked, IsTheSameForAnyThreadsLevelsAndRanges) {
  for (const std::size_t rows : {1UL, 2UL, 7UL, 8UL, 9UL, 511UL, 513UL, 5000UL, 1'050'001UL}) {
    SCOPED_TRACE(text::concat(rows, " rows"));
    const Scores data(rows);
    for (const Statistic& statistic : {statistic::roc_auc(), statistic::average_precision()}) {
      if (rows > 1'000'000 && statistic.name() != "roc_auc") continue;  // sorting takes its time
      Options options{.replicates = 12, .seed = 9};
      options.execution = {.threads = 1, .level = execution::Level::portable};
      const Result expected = bootstrap(data.view(), statistic, options);
      const auto bits = [](const Result& result) {
        std::vector<std::uint64_t> found;
        for (const double value : result.replicates())
          found.push_back(std::bit_cast<std::uint64_t>(value));
        return found;
      };
      for (const auto level : execution::available_levels()) {
        options.execution = {.threads = 3, .level = level};
        EXPECT_THAT(bits(bootstrap(data.view(), statistic, options)),
                    ElementsAreArray(bits(expected)))
            << execution::name(level);
      }
      options.first_replicate = 5;
      options.replicates = 3;
      const auto part = bits(bootstrap(data.view(), statistic, options));
      EXPECT_TRUE(std::equal(part.begin(), part.end(), bits(expected).begin() + 15));
    }
  }
}

TEST(Ranked, ComesFromPathStreamAndEqualsAFunctionOfTheResample) {
  const Scores data(500);
  for (const Statistic& statistic : {statistic::roc_auc(), statistic::average_precision()}) {
    Options options{.replicates = 200, .seed = 3};
    const Result streamed = bootstrap(data.view(), statistic, options);
    EXPECT_EQ(streamed.plan().path, Path::stream);
    options.path = Path::gather;
    const Result gathered = bootstrap(data.view(), statistic, options);
    EXPECT_EQ(streamed.estimate(0), gathered.estimate(0));
    // Two samples of 200 replicates each: further apart once in a million.
    EXPECT_NEAR(streamed.standard_error(0) / gathered.standard_error(0), 1, 0.35);
  }
}

TEST(Ranked, SaysWhatItCannotRank) {
  const std::vector<double> ones(20, 1.0);
  std::vector<double> scores(20);
  for (std::size_t i = 0; i < 20; ++i) scores[i] = static_cast<double>(i);
  const Options options{.replicates = 10};
  const Result none = bootstrap(DataView({ones, scores}), statistic::roc_auc(), options);
  EXPECT_TRUE(std::isnan(none.estimate()));
  EXPECT_TRUE(std::isnan(none.replicate(0)));
  EXPECT_EQ(bootstrap(DataView({ones, scores}), statistic::average_precision(), options).estimate(),
            1);
  try {
    static_cast<void>(bootstrap(DataView({scores, scores}), statistic::roc_auc(), options));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the class of a row is 2 but must be 0 or 1"));
  }
}

}  // namespace ranked_test
}  // namespace bootfold
