// Functions of counts: the replicates of the engine's own statistics, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "bootfold/batches.h"
#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "text/concat.h"

namespace bootfold {
namespace count_batches_test {

using testing::ElementsAreArray;
using testing::HasSubstr;

/// Whole numbers, whose sums are exact in every arithmetic.
std::vector<double> whole_numbers(std::size_t rows) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = static_cast<double>(i * i % 101) - 50;
  return values;
}

/// Means and sums by counts of any type.
CountFunction means(const std::vector<double>& data) {
  return [&data](const CountBatch& batch, std::span<double> values) {
    std::visit(
        [&](auto counts) {
          for (std::size_t r = 0; r < batch.replicates; ++r) {
            double sum = 0;
            double rows = 0;
            for (std::size_t i = 0; i < batch.rows; ++i) {
              const auto count = static_cast<double>(counts[r * batch.rows + i]);
              sum += count * data[i];
              rows += count;
            }
            values[r] = sum / rows;
          }
        },
        batch.counts);
  };
}

Options options_of(std::uint64_t replicates, unsigned threads, Scheme scheme = {}) {
  Options options{.replicates = replicates, .seed = 7, .scheme = std::move(scheme)};
  options.execution.threads = threads;
  return options;
}

TEST(CountBatches, MatchTheMeansOfPathStream) {
  for (const std::size_t rows : {std::size_t{300}, std::size_t{5000}}) {
    const std::vector<double> data = whole_numbers(rows);
    std::vector<std::uint32_t> labels(rows);
    for (std::size_t i = 0; i < rows; ++i) labels[i] = i % 3 == 0 ? 1 : 0;
    for (const Scheme& scheme : std::vector<Scheme>{
             scheme::Iid{}, scheme::Iid{.size = rows / 2}, scheme::Poisson{},
             rows > 1000 ? Scheme(scheme::Stratified{labels}) : Scheme(scheme::Iid{})}) {
      SCOPED_TRACE(text::concat(name(scheme), ", rows = ", rows));
      Options options = options_of(200, 2, scheme);
      options.first_replicate = 5;
      const Result found = bootstrap_counts(data, {"mean"}, means(data), options);
      options.path = Path::stream;
      const Result expected = bootstrap(data, statistic::mean(), options);
      EXPECT_NEAR(found.estimate(), expected.estimate(), 1e-12);
      EXPECT_EQ(found.plan().path, Path::stream);
      // Means of whole numbers are multiples of 1 / rows: this near they are the same.
      for (std::size_t r = 0; r < 200; ++r)
        EXPECT_NEAR(found.replicate(r), expected.replicate(r), 1e-12) << r;
    }
  }
}

TEST(CountBatches, MatchFunctionsOfTheResampleUnderOtherSchemes) {
  const std::vector<double> data = whole_numbers(200);
  std::vector<std::uint32_t> labels(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) labels[i] = static_cast<std::uint32_t>(i / 5);
  const Statistic mean = statistic::callable([](const statistic::Resample& resample) {
    const auto column = resample.column(0);
    return std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
  });
  for (const Scheme& scheme : std::vector<Scheme>{
           scheme::Balanced{}, scheme::Cluster{labels}, scheme::Cluster{labels, true},
           scheme::StationaryBlocks{}, scheme::MovingBlocks{10}, scheme::Stratified{labels}}) {
    SCOPED_TRACE(name(scheme));
    const Options options = options_of(100, 2, scheme);
    const Result found = bootstrap_counts(data, {"mean"}, means(data), options);
    const Result expected = bootstrap(data, mean, options);
    EXPECT_EQ(found.plan().path, Path::gather);
    for (std::size_t r = 0; r < 100; ++r)
      EXPECT_NEAR(found.replicate(r), expected.replicate(r), 1e-12) << r;
  }
}

TEST(CountBatches, WeightsServeSchemesThatTakeSumsOnly) {
  const std::vector<double> data = whole_numbers(3000);
  std::vector<double> weights(data.size());
  std::iota(weights.begin(), weights.end(), 1.0);
  for (const Scheme& scheme :
       std::vector<Scheme>{scheme::Bayesian{}, scheme::Unequal{weights}, scheme::Iid{}}) {
    SCOPED_TRACE(name(scheme));
    Options options = options_of(100, 2, scheme);
    const Result found = bootstrap_counts(data, {"mean"}, means(data), options, Takes::weights);
    if (std::holds_alternative<scheme::Iid>(scheme)) options.path = Path::stream;
    const Result expected = bootstrap(data, statistic::mean(), options);
    for (std::size_t r = 0; r < 100; ++r)
      EXPECT_NEAR(found.replicate(r), expected.replicate(r), 1e-9) << r;
  }
}

TEST(CountBatches, AreTheSameForAnyThreadsAndMemoryAndExtend) {
  const std::vector<double> data = whole_numbers(20'000);
  const Result expected = bootstrap_counts(data, {"mean"}, means(data), options_of(500, 1));
  std::set<std::size_t> sizes;
  for (const unsigned threads : {2U, 7U})
    for (const std::size_t memory : {std::size_t{16} << 20, std::size_t{1} << 30}) {
      Options options = options_of(500, threads);
      options.memory = memory;
      const auto function = means(data);
      const Result found = bootstrap_counts(
          data, {"mean"},
          [&](const CountBatch& batch, std::span<double> values) {
            if (batch.first != Batch::kData) sizes.insert(batch.replicates);
            function(batch, values);
          },
          options);
      EXPECT_THAT(found.replicates(), ElementsAreArray(expected.replicates()));
      EXPECT_EQ(found.plan().fingerprint, expected.plan().fingerprint);
    }
  EXPECT_EQ(sizes.size(), 2U) << "all batches of a run have one shape";
  Result part = bootstrap_counts(data, {"mean"}, means(data), options_of(200, 2));
  Options later = options_of(300, 2);
  later.first_replicate = 200;
  part.append(bootstrap_counts(data, {"mean"}, means(data), later));
  EXPECT_THAT(part.replicates(), ElementsAreArray(expected.replicates()));
  EXPECT_EQ(plan_counts(data, {"mean"}, options_of(500, 2)).fingerprint,
            expected.plan().fingerprint);
  EXPECT_NE(plan_counts(data, {"mean"}, options_of(500, 2), Takes::weights).fingerprint,
            expected.plan().fingerprint);
}

TEST(CountBatches, PlansIncludeBothBatches) {
  const std::vector<double> data = whole_numbers(500'000);
  Options options = options_of(100, 1);
  for (const std::size_t memory : {std::size_t{64} << 20, std::size_t{4} << 30}) {
    options.memory = memory;
    for (const Takes takes : {Takes::counts, Takes::weights}) {
      const std::size_t bytes = takes == Takes::counts ? 1 : sizeof(double);
      std::size_t largest = 0;
      const Result result = bootstrap_counts(
          data, {"none"},
          [&](const CountBatch& batch, std::span<double> values) {
            std::fill(values.begin(), values.end(), 0.0);
            largest = std::max(largest, batch.replicates * batch.rows * bytes);
          },
          options, takes);
      EXPECT_GT(result.plan().working_bytes, 2 * largest);
      EXPECT_LE(result.plan().working_bytes, memory);
    }
  }
  // Two replicates of doubles are 7.6 MiB.
  options.memory = std::size_t{16} << 20;
  EXPECT_NO_THROW(static_cast<void>(plan_counts(data, {"none"}, options)));
  EXPECT_THAT([&] { static_cast<void>(plan_counts(data, {"none"}, options, Takes::weights)); },
              testing::ThrowsMessage<InvalidArgument>(HasSubstr("needs at least 21 MiB")));
}

TEST(CountBatches, KeptCountsAreNotOverwritten) {
  const std::vector<double> data = whole_numbers(10'000);
  std::vector<CountBatch> kept;
  Options options = options_of(300, 2);
  options.memory = std::size_t{32} << 20;
  const Result result = bootstrap_counts(
      data, {"none"},
      [&](const CountBatch& batch, std::span<double> values) {
        std::fill(values.begin(), values.end(), 0.0);
        if (batch.first != Batch::kData) kept.push_back(batch);
      },
      options);
  ASSERT_GT(kept.size(), 2U);
  const resample::Counter counter(data.size(), {.seed = 7});
  for (const CountBatch& batch : kept) {
    std::vector<std::uint8_t> expected(batch.replicates * batch.rows);
    counter.counts(batch.first, expected);
    EXPECT_THAT(std::get<0>(batch.counts), ElementsAreArray(expected));
  }
}

TEST(CountBatches, ErrorsAndCancellationEndTheRun) {
  const std::vector<double> data = whole_numbers(50'000);
  Options options = options_of(5000, 2);
  options.memory = std::size_t{32} << 20;
  EXPECT_THROW(static_cast<void>(bootstrap_counts(
                   data, {"x"},
                   [](const CountBatch& batch, std::span<double>) {
                     if (batch.first != Batch::kData) throw std::runtime_error("mine");
                   },
                   options)),
               std::runtime_error);
  std::stop_source stop;
  options.execution.stop = stop.get_token();
  EXPECT_THROW(static_cast<void>(bootstrap_counts(
                   data, {"x"}, [&](const CountBatch&, std::span<double>) { stop.request_stop(); },
                   options)),
               Cancelled);
  for (const Scheme& scheme : std::vector<Scheme>{scheme::Bayesian{}, scheme::Jackknife{}})
    EXPECT_THROW(
        static_cast<void>(bootstrap_counts(data, {"x"}, means(data), options_of(10, 1, scheme))),
        InvalidArgument);
  EXPECT_THROW(static_cast<void>(bootstrap_counts(data, {}, means(data))), InvalidArgument);
}

}  // namespace count_batches_test
}  // namespace bootfold
