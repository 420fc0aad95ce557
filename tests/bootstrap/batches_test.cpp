// Functions of batches see the resamples that functions of the resample see.
#include "bootfold/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold {
namespace batches_test {

using statistic::Resample;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::vector<double> some_rows(std::size_t rows) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = std::sin(static_cast<double>(i * i));
  return values;
}

/// Depends on the order of the rows too.
double score(const Resample& resample) {
  double sum = 0;
  for (const double x : resample.column(0)) sum = 0.9 * sum + x;
  return sum + static_cast<double>(resample.rows);
}

void scores(const Batch& batch, std::span<double> values) {
  for (std::size_t r = 0; r < batch.resamples.size(); ++r) values[r] = score(batch.resamples[r]);
}

Options options_of(std::uint64_t replicates, unsigned threads, Scheme scheme = {}) {
  Options options{.replicates = replicates, .seed = 7, .scheme = std::move(scheme)};
  options.execution.threads = threads;
  return options;
}

// Lengths around the 256 rows from which replicates have a stream of their own, and schemes whose
// resamples differ in length.
TEST(Batches, MatchAFunctionOfTheResample) {
  for (const std::size_t rows : {1UL, 2UL, 20UL, 256UL, 257UL, 3000UL}) {
    const std::vector<double> data = some_rows(rows);
    std::vector<std::uint32_t> labels(rows);
    for (std::size_t i = 0; i < rows; ++i) labels[i] = static_cast<std::uint32_t>(i / 3);
    const std::vector<Scheme> schemes = {scheme::Iid{},
                                         scheme::Iid{.size = 5},
                                         scheme::Poisson{},
                                         scheme::Balanced{},
                                         scheme::Stratified{labels},
                                         scheme::Cluster{labels},
                                         scheme::CircularBlocks{1},
                                         scheme::StationaryBlocks{rows > 1 ? 1.5 : 1.0}};
    for (const Scheme& scheme : schemes)
      for (const unsigned threads : {1U, 2U, 7U}) {
        SCOPED_TRACE(text::concat(name(scheme), ", rows = ", rows, ", threads = ", threads));
        const Options options = options_of(300, threads, scheme);
        const Result batches = bootstrap_batches(data, {"score"}, scores, options);
        const Result single = bootstrap(data, statistic::callable(score), options);
        EXPECT_EQ(batches.estimate(), single.estimate());
        ASSERT_EQ(batches.replicates().size(), single.replicates().size());
        for (std::size_t r = 0; r < single.replicates().size(); ++r) {
          if (std::isnan(single.replicate(r)) && std::isnan(batches.replicate(r))) continue;
          ASSERT_EQ(batches.replicate(r), single.replicate(r)) << r;
        }
      }
  }
}

TEST(Batches, DoNotDependOnTheMemoryAndCanBeContinued) {
  const std::vector<double> data = some_rows(1000);
  const Result whole = bootstrap_batches(data, {"score"}, scores, options_of(2000, 2));
  Options small = options_of(2000, 2);
  small.memory = std::size_t{13} << 20;
  EXPECT_THAT(bootstrap_batches(data, {"score"}, scores, small).replicates(),
              ElementsAreArray(whole.replicates()));
  Options later = options_of(1300, 2);
  later.first_replicate = 700;
  Result joined = bootstrap_batches(data, {"score"}, scores, options_of(700, 2));
  joined.append(bootstrap_batches(data, {"score"}, scores, later));
  EXPECT_THAT(joined.replicates(), ElementsAreArray(whole.replicates()));
}

// Columns lie one behind the other, resamples within them: what a matrix library wants.
TEST(Batches, ColumnsAreAdjacentMatrices) {
  const std::vector<double> first = some_rows(40);
  std::vector<double> second(40);
  std::transform(first.begin(), first.end(), second.begin(), [](double x) { return 2 * x; });
  std::size_t calls = 0;
  const Result result = bootstrap_batches(
      DataView(std::vector<ColumnView>{first, second}), {"a", "b"},
      [&](const Batch& batch, std::span<double> values) {
        ++calls;
        const std::size_t count = batch.resamples.size();
        ASSERT_EQ(batch.rows, 40U);
        for (std::size_t r = 0; r < count; ++r) {
          ASSERT_EQ(batch.resamples[r].columns[0], batch.memory.get() + r * 40);
          ASSERT_EQ(batch.resamples[r].columns[1], batch.memory.get() + (count + r) * 40);
          for (std::size_t i = 0; i < 40; ++i)
            ASSERT_EQ(batch.resamples[r].columns[1][i], 2 * batch.resamples[r].columns[0][i]);
          values[2 * r] = batch.resamples[r].columns[0][0];
          values[2 * r + 1] = batch.resamples[r].columns[1][0];
        }
      },
      options_of(10'000, 2));
  EXPECT_GT(calls, 3U);
  EXPECT_EQ(result.outputs(), 2U);
  for (std::size_t r = 0; r < 10'000; ++r)
    ASSERT_EQ(result.replicate(r, 1), 2 * result.replicate(r, 0));
}

TEST(Batches, MemoryThatIsKeptIsNotReused) {
  const std::vector<double> data = some_rows(5000);
  std::vector<std::pair<std::shared_ptr<double[]>, std::vector<double>>> kept;
  static_cast<void>(bootstrap_batches(
      data, {"score"},
      [&](const Batch& batch, std::span<double> values) {
        const std::size_t size = batch.resamples.size() * batch.rows;
        kept.emplace_back(batch.memory, std::vector(batch.memory.get(), batch.memory.get() + size));
        scores(batch, values);
      },
      options_of(500, 2)));
  ASSERT_GT(kept.size(), 4U);
  for (const auto& [memory, values] : kept)
    EXPECT_TRUE(std::equal(values.begin(), values.end(), memory.get()));
}

TEST(Batches, FunctionRunsOnTheCallingThreadOnly) {
  const auto caller = std::this_thread::get_id();
  bool elsewhere = false;
  static_cast<void>(bootstrap_batches(
      some_rows(2000), {"score"},
      [&](const Batch& batch, std::span<double> values) {
        elsewhere = elsewhere || std::this_thread::get_id() != caller;
        scores(batch, values);
      },
      options_of(2000, 7)));
  EXPECT_FALSE(elsewhere);
}

TEST(Batches, PassExceptionsOn) {
  int calls = 0;
  EXPECT_THROW(static_cast<void>(bootstrap_batches(
                   some_rows(2000), {"score"},
                   [&](const Batch&, std::span<double>) {
                     if (++calls == 3) throw std::domain_error("enough");
                   },
                   options_of(100'000, 3))),
               std::domain_error);
  EXPECT_EQ(calls, 3);
}

TEST(Batches, CanBeCancelled) {
  std::stop_source stop;
  Options options = options_of(1'000'000, 2);
  options.execution.stop = stop.get_token();
  int calls = 0;
  EXPECT_THROW(static_cast<void>(bootstrap_batches(
                   some_rows(2000), {"score"},
                   [&](const Batch& batch, std::span<double> values) {
                     if (++calls == 5) stop.request_stop();
                     scores(batch, values);
                   },
                   options)),
               Cancelled);
  EXPECT_LT(calls, 10);
}

TEST(Batches, ReportProgress) {
  std::vector<double> told;
  Options options = options_of(5000, 2);
  options.execution.progress = [&](execution::Progress progress) {
    told.push_back(progress.done / progress.total);
  };
  static_cast<void>(bootstrap_batches(some_rows(1000), {"score"}, scores, options));
  ASSERT_GT(told.size(), 2U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
}

// The engine refuses what is not finite; here the function has to know.
TEST(Batches, TakeRowsOfAnyValue) {
  const std::vector<double> data = {1, std::nan(""), HUGE_VAL, 4};
  const Result result = bootstrap_batches(
      data, {"defined"},
      [](const Batch& batch, std::span<double> values) {
        for (std::size_t r = 0; r < batch.resamples.size(); ++r)
          values[r] = static_cast<double>(std::count_if(batch.resamples[r].column(0).begin(),
                                                        batch.resamples[r].column(0).end(),
                                                        [](double x) { return std::isfinite(x); }));
      },
      options_of(10, 1));
  EXPECT_EQ(result.estimate(), 2);
}

template <class... Arguments>
std::string message_of(const Arguments&... arguments) {
  try {
    static_cast<void>(bootstrap_batches(arguments...));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Batches, RejectInvalidArguments) {
  const std::vector<double> data = some_rows(10);
  const std::vector<std::string> one = {"score"};
  EXPECT_THAT(message_of(DataView(data), std::vector<std::string>(), BatchFunction(scores)),
              HasSubstr("no outputs"));
  EXPECT_THAT(message_of(DataView(data), one, BatchFunction(scores),
                         options_of(10, 1, scheme::Jackknife{})),
              HasSubstr("jackknife"));
  EXPECT_THAT(
      message_of(DataView(data), one, BatchFunction(scores), options_of(10, 1, scheme::Bayesian{})),
      HasSubstr("bayesian"));
  EXPECT_THAT(message_of(DataView(std::vector<double>()), one, BatchFunction(scores)),
              HasSubstr("no rows"));
}

}  // namespace batches_test
}  // namespace bootfold
