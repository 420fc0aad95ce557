// Statistics that users write, and what happens when these fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "bootfold/error.h"
#include "resample/super_blocks.h"
#include "statistic/reference.h"

namespace bootfold {
namespace user_test {

using reference::close;

Statistic variation() {  // the example of statistic.h
  return statistic::sums(
      2,
      [](std::span<const double> row, std::span<double> out) {
        out[0] = row[0];
        out[1] = row[0] * row[0];
      },
      [](const statistic::Folded& f) {
        return std::sqrt(f.mean(1) - f.mean(0) * f.mean(0)) / f.mean(0);
      },
      "variation");
}

struct LogMean {
  double sum = 0;
  double rows = 0;
  void accumulate(double value, double weight) {
    sum += weight * std::log(value);
    rows += weight;
  }
  void merge(const LogMean& part) {
    sum += part.sum;
    rows += part.rows;
  }
  [[nodiscard]] double finish() const { return std::exp(sum / rows); }
};

std::vector<double> prices(std::size_t n) {
  std::vector<double> x = reference::uniforms(n, 3);
  for (double& value : x) value = 1 + 5 * value;
  return x;
}

TEST(User, SumsAreThoseOfTheResample) {
  for (const std::size_t n : {1, 16, 17, 300, 66000})
    for (const Path path : {Path::stream, Path::gather}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << name(path));
      const std::vector<double> x = prices(n);
      const Result result = bootstrap(
          x, variation(), {.replicates = 10, .seed = 1, .path = path, .tolerance = 1e-10});
      EXPECT_EQ(result.plan().outputs[0], "variation");
      for (std::uint64_t r = 0; r < 10; ++r) {
        const auto counts = reference::counts_of(path, n, 1, r);
        const double mean = reference::values("mean", {x}, counts)[0];
        const double deviation = reference::values("standard_deviation:0", {x}, counts)[0];
        EXPECT_NEAR(result.replicate(r), deviation / mean, 1e-7);
      }
    }
}

TEST(User, SumsOfSeveralColumns) {
  const reference::Columns xy = {prices(500), reference::normals(500, 4)};
  const Statistic product = statistic::sums(
      1, [](std::span<const double> row, std::span<double> out) { out[0] = row[0] * row[1]; },
      [](const statistic::Folded& f) { return f.sum(0); });
  const Result result =
      bootstrap(reference::view(xy), product,
                {.replicates = 5, .seed = 1, .path = Path::stream, .tolerance = 1e-11});
  for (std::uint64_t r = 0; r < 5; ++r) {
    const auto counts = reference::counts_of(Path::stream, 500, 1, r);
    reference::Real sum = 0;
    for (std::size_t i = 0; i < 500; ++i) sum += xy[0][i] * xy[1][i] * counts[i];
    EXPECT_TRUE(close(result.replicate(r), static_cast<double>(sum), 1e-9, 100));
  }
}

TEST(User, AccumulatorSeesEveryRowWithItsWeight) {
  for (const std::size_t n : {1, 16, 256, 257, 4097, 65537, 140'000})
    for (const Path path : {Path::stream, Path::gather}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << name(path));
      const std::vector<double> x = prices(n);
      const Result result = bootstrap(x, statistic::accumulator(LogMean{}),
                                      {.replicates = 4, .seed = 1, .path = path});
      for (std::uint64_t r = 0; r < 4; ++r) {
        const auto counts = reference::counts_of(path, n, 1, r);
        long double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::log(x[i]) * counts[i];
        const auto truth = static_cast<double>(std::exp(sum / static_cast<long double>(n)));
        EXPECT_TRUE(close(result.replicate(r), truth, 1e-12));
      }
    }
  EXPECT_EQ(plan(prices(256), statistic::accumulator(LogMean{})).path, Path::gather);
  EXPECT_EQ(plan(prices(257), statistic::accumulator(LogMean{})).path, Path::stream);
}

TEST(User, CallableSeesTheRowsInTheOrderOfDrawing) {
  const std::vector<double> x = reference::whole_numbers(300);
  const Statistic first_times_last = statistic::callable([](const statistic::Resample& resample) {
    EXPECT_EQ(resample.rows, 300U);
    return resample.column(0).front() * 1000 + resample.column(0).back();
  });
  const Result result = bootstrap(x, first_times_last, {.replicates = 50, .seed = 3});
  EXPECT_EQ(result.estimate(), 299);
  for (std::uint64_t r = 0; r < 50; ++r) {
    const auto rows = resample::indices(300, {3, r});
    EXPECT_EQ(result.replicate(r), rows.front() * 1000.0 + rows.back());
  }
}

/// A number that tells every row of the resample and its place.
double digest(const statistic::Resample& resample) {
  double value = 0;
  for (std::size_t row = 0; row < resample.rows; ++row)
    for (std::size_t c = 0; c < resample.columns.size(); ++c)
      value = std::fmod(value * 31 + resample.column(c)[row], 1e9 + 7);
  return value;
}

/// The same of columns whose rows are repeated.
double digest_of(const std::vector<std::vector<double>>& columns,
                 std::span<const std::uint32_t> counts) {
  std::vector<std::vector<double>> made(columns.size());
  std::vector<const double*> pointers;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t row = 0; row < counts.size(); ++row)
      made[c].insert(made[c].end(), counts[row], columns[c][row]);
    pointers.push_back(made[c].data());
  }
  return digest({pointers, made[0].size()});
}

// Two columns, one of them of 32 bits; up to two super-blocks.
TEST(User, CallableInAnyOrderSeesTheRowsAsOftenAsTheyAreCounted) {
  const Statistic statistic = statistic::callable(digest, "digest", statistic::RowOrder::any);
  for (const std::size_t n : {257U, 4097U, 1'048'577U}) {
    SCOPED_TRACE(n);
    const std::vector<double> x = reference::whole_numbers(n);
    const std::vector<float> y(n, 3.0F);
    const DataView data({ColumnView(x), ColumnView(y)});
    Options options{.replicates = n > 100'000 ? 2U : 20U, .seed = 3, .first_replicate = 4};
    options.path = Path::stream;
    const Result result = bootstrap(data, statistic, options);
    for (std::uint64_t r = 0; r < options.replicates; ++r) {
      const auto counts = resample::counts(n, {3, 4 + r});
      EXPECT_EQ(result.replicate(r), digest_of({x, {y.begin(), y.end()}}, counts));
    }
  }
}

// Schemes with counts of their own: few draws, no fixed number of draws, strata whose rows are
// mixed, weights with so many draws that counts need more than a byte.
TEST(User, CallableInAnyOrderFollowsTheCountsOfEveryScheme) {
  constexpr std::size_t kRows = 600;
  const std::vector<double> x = reference::whole_numbers(kRows);
  std::vector<std::uint32_t> strata(kRows);
  std::vector<double> weights(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    strata[i] = static_cast<std::uint32_t>(i % 2);
    weights[i] = static_cast<double>(1 + i % 5);
  }
  for (const Scheme& scheme : {Scheme(scheme::Iid{.size = 50}), Scheme(scheme::Poisson{}),
                               Scheme(scheme::Stratified{strata}),
                               Scheme(scheme::Unequal{.probabilities = weights, .size = 40'000})}) {
    SCOPED_TRACE(name(scheme));
    Options options{.replicates = 20, .seed = 3, .scheme = scheme};
    options.path = Path::stream;
    const Result result =
        bootstrap(x, statistic::callable(digest, "digest", statistic::RowOrder::any), options);
    const resample::Counter counter(kRows, {.seed = 3, .scheme = scheme});
    std::vector<std::uint32_t> counts(kRows);
    for (std::uint64_t r = 0; r < 20; ++r) {
      counter.counts(r, std::span(counts));
      EXPECT_EQ(result.replicate(r), digest_of({x}, counts));
    }
  }
}

// A resample of one row under `poisson` is empty in e^-1 of all replicates.
TEST(User, CallableInAnyOrderOfAnEmptyResampleIsUndefined) {
  Options options{.replicates = 100, .seed = 3, .scheme = scheme::Poisson{}};
  options.path = Path::stream;
  const Result result =
      bootstrap(std::vector<double>{5},
                statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; },
                                    "first", statistic::RowOrder::any),
                options);
  EXPECT_GT(result.undefined(), 10U);
  EXPECT_LT(result.undefined(), 70U);
  for (std::uint64_t r = 0; r < 100; ++r)
    EXPECT_TRUE(std::isnan(result.replicate(r)) || result.replicate(r) == 5);
}

struct Rows {
  double rows = 0;
  void accumulate(double, double weight) { rows += weight; }
  void merge(const Rows& part) { rows += part.rows; }
  [[nodiscard]] double finish() const { return rows; }
};

// The last super-block has nine rows. Where a single draw falls into it, it is a top-up.
TEST(User, AccumulatorTakesASuperBlockWithASingleDraw) {
  constexpr std::uint64_t kRows = resample::kSuperBlockRows + 9;
  const resample::SuperBlocks blocks(kRows);
  std::uint64_t replicate = 0;
  while (blocks.draws(3, replicate, kRows, 1) != 1) ++replicate;
  const std::vector<double> x(kRows, 1.0);
  Options options{.replicates = 1, .seed = 3, .first_replicate = replicate};
  options.path = Path::stream;
  EXPECT_EQ(bootstrap(x, statistic::accumulator(Rows{}), options).replicate(0), kRows);
}

TEST(User, CallableInAnyOrderIsPlanned) {
  const std::vector<double> x = reference::whole_numbers(5000);
  const Statistic any = statistic::callable(digest, "digest", statistic::RowOrder::any);
  const Statistic drawn = statistic::callable(digest, "digest");
  EXPECT_EQ(plan(x, any).path, Path::stream);
  EXPECT_EQ(plan(x, drawn).path, Path::gather);
  // One function that needs the order of drawing decides for all.
  EXPECT_EQ(plan(x, {any, drawn}).path, Path::gather);
  // Blocks are drawn row by row.
  EXPECT_EQ(plan(x, any, {.scheme = scheme::MovingBlocks{10}}).path, Path::gather);
  EXPECT_NE(bootstrap(x, any, {.replicates = 2}).fingerprint(),
            bootstrap(x, drawn, {.replicates = 2}).fingerprint());
  // Few draws of many rows are looked up.
  EXPECT_EQ(
      plan(reference::whole_numbers(1'000'000), any, {.scheme = scheme::Iid{.size = 50}}).path,
      Path::gather);
  // A mean beside it has the same resamples as alone; of whole numbers it has the same bits.
  const Options options{.replicates = 30, .seed = 9};
  const Result both = bootstrap(x, {statistic::mean(), any}, options);
  const Result alone = bootstrap(x, statistic::mean(), options);
  for (std::uint64_t r = 0; r < 30; ++r) EXPECT_EQ(both.replicate(r, 0), alone.replicate(r));
}

TEST(User, EmptyFunctionsAreRefused) {
  EXPECT_THAT([] { static_cast<void>(statistic::callable(nullptr)); },
              testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("function is empty")));
}

struct Failing {
  double limit = 0;
  double seen = 0;
  void accumulate(double, double weight) {
    seen += weight;
    if (weight > limit) throw std::out_of_range("accumulate failed");
  }
  void merge(const Failing& part) { seen += part.seen; }
  [[nodiscard]] double finish() const { return seen; }
};

void expect_failure(const Statistic& statistic, std::size_t n, const std::string& message,
                    std::optional<Path> path = std::nullopt) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    SCOPED_TRACE(testing::Message() << message << ", " << threads << " threads");
    Options options{.replicates = 500};
    options.path = path;
    options.execution.threads = threads;
    EXPECT_EQ(reference::message_of<std::out_of_range>(
                  [&] { static_cast<void>(bootstrap(prices(n), statistic, options)); }),
              message);
  }
}

TEST(User, ExceptionsReachTheCaller) {
  const auto features = [](std::span<const double> row, std::span<double> out) { out[0] = row[0]; };
  const auto finish = [](const statistic::Folded& f) { return f.mean(0); };
  for (const Path path : {Path::stream, Path::gather}) {
    // In a worker only: the estimate is made before.
    expect_failure(statistic::sums(
                       1, features,
                       [calls = std::make_shared<std::atomic<int>>(0)](const statistic::Folded& f) {
                         if (++*calls > 20) throw std::out_of_range("finish failed");
                         return f.mean(0);
                       }),
                   300, "finish failed", path);
    expect_failure(statistic::sums(
                       1,
                       [](std::span<const double>, std::span<double>) {
                         throw std::out_of_range("features failed");
                       },
                       finish),
                   300, "features failed", path);
  }
  expect_failure(statistic::callable([calls = std::make_shared<std::atomic<int>>(0)](
                                         const statistic::Resample&) -> double {
                   if (++*calls > 20) throw std::out_of_range("callable failed");
                   return 1;
                 }),
                 300, "callable failed");
  expect_failure(statistic::accumulator(Failing{4}), 3000, "accumulate failed");
  expect_failure(statistic::accumulator(Failing{0}), 100, "accumulate failed", Path::gather);
}

TEST(User, FeaturesThatAreNoNumbersAreDataErrors) {
  const Statistic logarithm = statistic::sums(
      1, [](std::span<const double> row, std::span<double> out) { out[0] = std::log(row[0]); },
      [](const statistic::Folded& f) { return f.mean(0); });
  for (const double bad : {-1.0, 0.0}) {
    std::vector<double> x = prices(5000);
    x[4321] = bad;
    const std::string message = reference::message_of<DataError>(
        [&] { static_cast<void>(bootstrap(x, logarithm, {.replicates = 5})); });
    EXPECT_NE(message.find("feature"), std::string::npos) << message;
  }
}

TEST(User, NanOfACallableIsCountedAsUndefined) {
  const Statistic sometimes = statistic::callable([](const statistic::Resample& resample) {
    return resample.column(0)[0] < 3 ? reference::kNan : 1.0;
  });
  const std::vector<double> x = prices(100);
  const Result result = bootstrap(x, sometimes, {.replicates = 400, .seed = 1});
  std::uint64_t undefined = 0;
  for (std::uint64_t r = 0; r < 400; ++r) undefined += x[resample::indices(100, {1, r})[0]] < 3;
  EXPECT_EQ(result.undefined(), undefined);
  EXPECT_EQ(result.standard_error(), 0);
}

}  // namespace user_test
}  // namespace bootfold
