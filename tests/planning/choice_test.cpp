// Which path the plan takes, what it says about it, and that the machine has no part in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "statistic/reference.h"

namespace bootfold {
namespace choice_test {

using testing::AllOf;
using testing::HasSubstr;

std::vector<double> coins(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; i += 3) x[i] = 1;
  return x;
}

TEST(Choice, TheCheapestPathThatServes) {
  const Statistic call =
      statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; });
  EXPECT_EQ(plan(coins(100'000), statistic::mean()).path, Path::distinct);
  EXPECT_EQ(plan(coins(100'000), statistic::mean()).distinct_rows, 2U);
  EXPECT_EQ(plan(reference::normals(15, 1), statistic::mean()).path, Path::gather);
  EXPECT_EQ(plan(reference::normals(100'000, 1), statistic::mean()).path, Path::stream);
  EXPECT_EQ(plan(reference::normals(100'000, 1), statistic::median()).path, Path::order);
  EXPECT_EQ(plan(reference::normals(10, 1), statistic::interquartile_range()).path, Path::order);
  EXPECT_EQ(plan(reference::normals(1000, 1), statistic::trimmed_mean(0.1)).path, Path::stream);
  EXPECT_EQ(plan(reference::normals(1000, 1), call).path, Path::gather);
  // Each kind by its own path, unless they are asked for on the same resamples.
  const std::vector<double> x = reference::normals(1000, 1);
  const std::vector both{statistic::mean(), statistic::median()};
  EXPECT_EQ(plan(x, both).paths(), "stream and order");
  EXPECT_EQ(plan(x, both, {.joint = true}).path, Path::stream);
  const std::vector called{statistic::mean(), call};
  EXPECT_EQ(plan(x, called).paths(), "stream and gather");
  EXPECT_EQ(plan(x, called, {.joint = true}).path, Path::gather);
  // Features, not rows, have to be few.
  EXPECT_EQ(plan(reference::normals(100'000, 1), statistic::proportion(0.5)).path, Path::distinct);
}

TEST(Choice, DoesNotDependOnThreadsLevelsOrMemory) {
  for (const std::size_t n : {10, 200, 300, 1000, 3000, 100'000})
    for (const auto& data : {reference::normals(n, 1), coins(n)})
      for (const auto& statistic :
           {statistic::mean(), statistic::kurtosis(), statistic::median()}) {
        const Plan first = plan(data, statistic, {.replicates = 1000});
        for (const unsigned threads : {1U, 3U, 64U})
          for (const execution::Level level : execution::available_levels())
            for (const std::size_t memory : {std::size_t{20} << 20, std::size_t{1} << 30}) {
              Options options{.replicates = 1000, .memory = memory};
              options.execution.threads = threads;
              options.execution.level = level;
              const Plan other = plan(data, statistic, options);
              EXPECT_EQ(other.path, first.path);
              EXPECT_EQ(other.reason, first.reason);
              EXPECT_EQ(other.digits, first.digits);
              EXPECT_EQ(other.sum_error, first.sum_error);
              EXPECT_EQ(other.distinct_rows, first.distinct_rows);
              EXPECT_LE(other.working_bytes, memory);
              EXPECT_EQ(other.level, level);
              EXPECT_LE(other.threads, threads);
            }
      }
}

TEST(Choice, RunsAsPlanned) {
  for (const std::size_t n : {10, 300, 5000}) {
    const std::vector<double> x = reference::normals(n, 1);
    const Options options{.replicates = 20, .seed = 1};
    EXPECT_EQ(plan(x, statistic::mean(), options).explain(),
              bootstrap(x, statistic::mean(), options).plan().explain());
  }
}

TEST(Choice, ForcedPathsAreTaken) {
  const std::vector<double> x = coins(1000);
  for (const Path path : {Path::stream, Path::gather, Path::distinct}) {
    const Plan forced = plan(x, statistic::mean(), {.path = path});
    EXPECT_EQ(forced.path, path);
  }
  EXPECT_EQ(plan(x, statistic::median(), {.path = Path::gather}).path, Path::gather);
  EXPECT_EQ(plan(x, statistic::median(), {.path = Path::order}).path, Path::order);
}

TEST(Choice, NamesTheMemoryLimit) {
  const std::vector<double> x = reference::normals(1000, 1);
  const Plan usual = plan(x, statistic::mean());
  EXPECT_EQ(usual.memory_limit, execution::default_memory());
  const Plan limited = plan(x, statistic::mean(), {.memory = std::size_t{96} << 20});
  EXPECT_EQ(limited.memory_limit, std::size_t{96} << 20);
  EXPECT_THAT(limited.explain(), HasSubstr(" MiB to work of 96.0 MiB allowed, "));
}

TEST(Choice, ExplainsItself) {
  const std::vector<double> x = reference::normals(123'456, 1);
  Options options{.replicates = 7'000'000};
  options.execution.threads = 3;
  const Plan found = plan(x, statistic::mean(), options);
  EXPECT_THAT(found.explain(),
              AllOf(HasSubstr("path        stream"), HasSubstr("123,456 rows x 7,000,000"),
                    HasSubstr("1 number each"), HasSubstr("fixed point"), HasSubstr("base 256"),
                    HasSubstr("error at most"), HasSubstr("threads     3"),
                    HasSubstr("53.4 MiB for the result"), HasSubstr("time        about")));
  EXPECT_EQ(found.result_bytes, 56'000'000U);
  EXPECT_GT(found.seconds, 0);
  EXPECT_THAT(plan(coins(5000), statistic::mean()).explain(),
              AllOf(HasSubstr("only 2 distinct rows among 5,000"), HasSubstr("1 binomial draw"),
                    HasSubstr("exact")));
  EXPECT_THAT(plan(x, statistic::median()).explain(),
              AllOf(HasSubstr("path        order"), HasSubstr("beta draws"), HasSubstr("no sums")));
  const std::vector both{statistic::mean(), statistic::median()};
  EXPECT_THAT(plan(x, both, {.joint = true}).explain(),
              AllOf(HasSubstr("windows around"), HasSubstr("2 numbers each")));
  EXPECT_THAT(plan(x, both).explain(), AllOf(HasSubstr("run         mean\n  path      stream"),
                                             HasSubstr("run         median\n  path      order"),
                                             HasSubstr("2 numbers each")));
}

// Ninety-nine windows into the sorted data take more room than one.
TEST(Choice, ManyQuantilesAreCountedInTheMemory) {
  const std::vector<double> x = reference::uniforms(1'000'000, 1);
  std::vector<Statistic> all;
  for (int k = 1; k < 100; ++k) all.push_back(statistic::quantile(k / 100.0));
  const Plan one = plan(x, statistic::median(), {.replicates = 10});
  const Plan many = plan(x, all, {.replicates = 10});
  // Ten standard deviations to both sides of each: 20 * sqrt(p (1 - p) n) values of 8 bytes.
  double windows = 0;
  for (int k = 1; k < 100; ++k) windows += 20 * std::sqrt(k / 100.0 * (1 - k / 100.0) * 1e6) * 8;
  EXPECT_GT(static_cast<double>(many.working_bytes - one.working_bytes), windows / 2);
}

}  // namespace choice_test
}  // namespace bootfold
