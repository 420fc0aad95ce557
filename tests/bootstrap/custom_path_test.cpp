// A path of one's own: one file with one entry, added to the table of paths.
//
// `coins` serves the mean of one column of zeros and ones, n uniform draws for each replicate. It
// stands for what a contributor writes; path distinct, which draws one binomial number, has the
// same law.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "bootstrap/road.h"
#include "paths/entry.h"
#include "statistic/reference.h"

namespace bootfold {
namespace custom_path_test {

using namespace paths;  // NOLINT(google-build-using-namespace): an entry is written in its words

constexpr Path kCoins{100};

struct Shared {
  std::uint64_t seed;
  std::uint64_t rows;
  double share;  // of ones
};

class Coins final : public Maker {
 public:
  explicit Coins(const Shared& shared) : shared_(shared) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    for (std::uint64_t replicate = first; replicate < last; ++replicate) {
      random::Stream stream({shared_.seed, replicate, random::Purpose::binomial});
      std::uint64_t ones = 0;
      for (std::uint64_t i = 0; i < shared_.rows; ++i)
        ones += random::uniform(stream) < shared_.share ? 1 : 0;
      values[replicate - first] = static_cast<double>(ones) / static_cast<double>(shared_.rows);
    }
    worker.advance(static_cast<double>((last - first) * shared_.rows));
  }

 private:
  const Shared& shared_;
};

std::string serves(const Question& question) {
  if (question.problem().outputs != std::vector<std::string>{"mean"})
    return "it takes the mean of one column only";
  return question.traits.iid ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  Estimate found;
  const study::ValuesLook& column = question.study.columns().columns()[0];
  if (column.min != 0 || column.max != 1) found.refusal = "it takes zeros and ones only";
  found.tier = Tier::shortcut;
  found.replicate_nanoseconds = 1;
  found.reason = "a coin for every row";
  found.thread_bytes = 100;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources&) {
  const study::FeatureSummary& mean = question.study.summaries()[0];
  const statistic::Scale scale = question.problem().columns[0].scale;
  return std::make_unique<EngineOf<Shared, Coins>>(
      64, question.rows,
      std::make_shared<const Shared>(Shared{question.seed, question.rows,
                                            scale.centre + std::ldexp(mean.mean, scale.exponent)}));
}

std::vector<planning::PathEntry> with_coins() {
  const auto known = paths::table();
  std::vector<planning::PathEntry> table = {{.id = kCoins,
                                             .name = "coins",
                                             .meaning = "a coin for every row",
                                             .serves = serves,
                                             .estimate = estimate,
                                             .prepare = prepare}};
  table.insert(table.end(), known.begin(), known.end());
  return table;
}

std::vector<double> zeros_and_ones(std::size_t ones) {
  std::vector<double> values(50, 0);
  std::fill_n(values.begin(), ones, 1);
  return values;
}

// The mean of 20,000 replicates has mean p and variance p (1 - p) / n; both within five standard
// errors, which a right path misses once in 1.7 million each.
TEST(CustomPath, IsChosenPlannedAndRun) {
  const std::vector<double> x = zeros_and_ones(15);
  const Statistic mean = statistic::mean();
  const auto table = with_coins();
  Options options;
  options.replicates = 20'000;
  options.influence = true;
  const Road road(x, {&mean, 1}, options, Rows::known, table);
  EXPECT_EQ(road.plan().path, kCoins);
  EXPECT_EQ(road.plan().reason, "a coin for every row");
  const Result result = road.run();
  const double p = 0.3;
  const double variance = p * (1 - p) / 50;
  EXPECT_EQ(result.estimate(), p);
  EXPECT_NEAR(result.bias(), 0, 5 * std::sqrt(variance / 20'000));
  EXPECT_NEAR(result.standard_error(), std::sqrt(variance), 5 * result.standard_error_error());
  EXPECT_TRUE(result.companions().influences[0].usable());
}

TEST(CustomPath, RefusesInItsOwnWords) {
  const std::vector<double> x = reference::normals(50, 1);
  const Statistic mean = statistic::mean();
  const auto table = with_coins();
  Options options;
  EXPECT_NE(Road(x, {&mean, 1}, options, Rows::known, table).plan().path, kCoins);
  options.path = kCoins;
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                const Road road(x, {&mean, 1}, options, Rows::known, table);
              }),
              testing::HasSubstr("path 'coins' is not available: it takes zeros and ones only"));
}

}  // namespace custom_path_test
}  // namespace bootfold
