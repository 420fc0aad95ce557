// A replicate is a pure function of (data, statistic, seed, number): the same bits on any number of
// threads, any instruction set, in any memory, and however a run is cut into pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace invariance_test {

using reference::Columns;

/// No multiple of 4, 16 or 64.
std::uint64_t replicates_for(std::size_t rows) { return rows < 4000 ? 21 : 9; }

/// The lengths where something changes: lanes, batches, tiles, blocks.
const std::vector<std::size_t> kLengths = {1,   2,   3,    15,   16,    17,    255,   256,
                                           257, 300, 4095, 4097, 65535, 65536, 65537, 70000};

struct GeometricMean {
  double sum = 0;
  double rows = 0;
  void accumulate(double value, double weight) {
    sum += weight * std::log(2 + std::abs(value));
    rows += weight;
  }
  void merge(const GeometricMean& part) {
    sum += part.sum;
    rows += part.rows;
  }
  [[nodiscard]] double finish() const { return std::exp(sum / rows); }
};

double range(const statistic::Resample& resample) {
  const auto column = resample.column(0);
  return *std::max_element(column.begin(), column.end()) -
         *std::min_element(column.begin(), column.end());
}

/// A sum of rounded terms, whose bits tell the order of the rows.
double weighted_sum(const statistic::Resample& resample) {
  double sum = 0;
  for (std::size_t row = 0; row < resample.rows; ++row)
    sum = 0.9999 * sum + resample.column(0)[row] + resample.column(1)[row] / 3;
  return sum;
}

struct Family {
  std::string name;
  std::vector<Statistic> statistics;
  std::optional<Path> path;
  std::size_t columns = 1;
  bool few_values = false;
  bool heavy_tails = false;
  Scheme scheme = scheme::Iid{};
};

std::vector<Family> families() {
  using namespace statistic;  // NOLINT(google-build-using-namespace)
  return {
      {"sums, stream", {mean(), variance()}, Path::stream},
      {"one sum, stream", {mean()}, Path::stream},
      {"sums, gather", {mean(), skewness()}, Path::gather},
      {"one sum, gather", {mean()}, Path::gather},
      {"sums, distinct", {mean(), kurtosis()}, Path::distinct, 1, true},
      {"wide sums, stream", {mean(), kurtosis()}, Path::stream, 1, false, true},
      {"wide sums, gather", {mean(), kurtosis()}, Path::gather, 1, false, true},
      {"regression, stream", {regression()}, Path::stream, 5},
      {"regression, gather", {regression()}, Path::gather, 5},
      {"order", {median(), quantile(0.9), interquartile_range()}, Path::order},
      {"quantiles, gather", {median(), quantile(0.9)}, Path::gather},
      {"accumulator, stream", {accumulator(GeometricMean{})}, Path::stream},
      {"accumulator, gather", {accumulator(GeometricMean{})}, Path::gather},
      {"callable", {callable(range)}, std::nullopt},
      {"callable, any order, stream",
       {callable(weighted_sum, "weighted_sum", RowOrder::any)},
       Path::stream,
       2},
      {"mixed, any order",
       {mean(), median(), trimmed_mean(0.1), callable(range, "range", RowOrder::any)},
       std::nullopt},
      {"mixed", {mean(), median(), callable(range), accumulator(GeometricMean{})}, std::nullopt},
      {"sums as planned", {mean(), standard_deviation()}, std::nullopt},
      {"Bayesian sums", {mean(), kurtosis()}, Path::weights, 1, false, false, scheme::Bayesian{}},
      {"Bayesian wide sums",
       {mean(), kurtosis()},
       Path::weights,
       1,
       false,
       true,
       scheme::Bayesian{}},
      {"Bayesian ordered statistics",
       {mean(), median(), mad(), gini(), top_share(0.1)},
       Path::weights,
       1,
       false,
       true,
       scheme::Bayesian{}},
      {"Bayesian rank correlation",
       {spearman()},
       Path::weights,
       2,
       false,
       true,
       scheme::Bayesian{}},
      {"Bayesian quantiles",
       {mean(), median(), quantile(0.9), trimmed_mean(0.1)},
       Path::weights,
       1,
       false,
       false,
       scheme::Bayesian{}},
  };
}

Columns data_for(const Family& family, std::size_t n) {
  Columns columns;
  for (std::size_t c = 0; c < family.columns; ++c) columns.push_back(reference::normals(n, 7 + c));
  if (family.few_values)
    for (double& value : columns[0]) value = std::round(value);
  if (family.heavy_tails)
    for (double& value : columns[0]) value = std::exp(4 * value);
  return columns;
}

::testing::AssertionResult same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0)
      return ::testing::AssertionFailure()
             << "value " << i << ": " << std::hexfloat << a[i] << " and " << b[i];
  return ::testing::AssertionSuccess();
}

/// Calls test(family, data, options of the first run, its result) for all families and lengths.
template <class Test>
void for_all(Test&& test) {
  for (const Family& family : families())
    for (const std::size_t n : kLengths) {
      SCOPED_TRACE(testing::Message() << family.name << ", n = " << n);
      const Columns columns = data_for(family, n);
      Options options{.replicates = replicates_for(n), .seed = 99, .first_replicate = 5};
      options.path = family.path;
      options.joint = true;  // one run, whatever the kinds; assembly_test.cpp has several
      options.scheme = family.scheme;
      options.execution.threads = 1;
      const DataView view = reference::view(columns);
      test(family, view, options, bootstrap(view, family.statistics, options));
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Invariance, Threads) {
  for_all([](const Family& family, const DataView& data, Options options, const Result& alone) {
    for (const unsigned threads : {2U, 7U}) {
      options.execution.threads = threads;
      const Result result = bootstrap(data, family.statistics, options);
      ASSERT_EQ(result.plan().path, alone.plan().path);
      ASSERT_TRUE(same_bits(result.replicates(), alone.replicates())) << threads << " threads";
      for (std::size_t k = 0; k < result.outputs(); ++k)
        ASSERT_TRUE(reference::close(result.estimate(k), alone.estimate(k), 0));
    }
  });
}

TEST(Invariance, InstructionSets) {
  for_all([](const Family& family, const DataView& data, Options options, const Result& alone) {
    for (const execution::Level level : execution::available_levels()) {
      options.execution.level = level;
      const Result result = bootstrap(data, family.statistics, options);
      ASSERT_EQ(result.plan().path, alone.plan().path);
      ASSERT_TRUE(same_bits(result.replicates(), alone.replicates())) << execution::name(level);
    }
  });
}

// A limit that is too low is refused; every limit that is accepted gives the same bits. Of the 368
// cases 4 do not fit into 16 MiB and 52 not into 13 MiB; refusing more would be a step back.
TEST(Invariance, MemoryLimits) {
  std::map<std::size_t, std::size_t> refused;
  for_all([&](const Family& family, const DataView& data, Options options, const Result& alone) {
    for (const std::size_t mebibytes : {13, 16, 64, 1000}) {
      options.memory = mebibytes << 20;
      try {
        const Result result = bootstrap(data, family.statistics, options);
        ASSERT_TRUE(same_bits(result.replicates(), alone.replicates())) << mebibytes << " MiB";
      } catch (const InvalidArgument& error) {
        ASSERT_THAT(error.what(), testing::HasSubstr("MiB"));
        ++refused[mebibytes];
      }
    }
  });
  EXPECT_LE(refused[13], 52U);
  EXPECT_LE(refused[16], 4U);
  EXPECT_EQ(refused[64], 0U);
  EXPECT_EQ(refused[1000], 0U);
}

// Beside the replicates of a balanced run: what is linear in them, also as replicates tell it.
TEST(Invariance, LinearPartsOfABalancedRun) {
  const std::vector<double> x = reference::normals(100, 1);
  Options options{.replicates = 1000, .scheme = scheme::Balanced{}, .execution = {.threads = 1}};
  const auto parts = [&] {
    return bootstrap(x, {statistic::mean(), statistic::median()}, options)
        .companions()
        .linear_parts;
  };
  const std::vector<double> one = parts();
  ASSERT_EQ(one.size(), 2000U);
  for (const unsigned threads : {2U, 7U}) {
    options.execution.threads = threads;
    EXPECT_EQ(parts(), one) << threads << " threads";
  }
  for (const auto level : execution::available_levels()) {
    options.execution.level = level;
    EXPECT_EQ(parts(), one) << execution::name(level);
  }
  options.memory = std::size_t{16} << 20;
  EXPECT_EQ(parts(), one) << "less memory";
}

TEST(Invariance, PiecesOfARun) {
  for_all([](const Family& family, const DataView& data, Options options, const Result& whole) {
    std::vector<double> joined;
    const std::uint64_t end = 5 + options.replicates;
    std::uint64_t piece = 1;
    for (std::uint64_t first = 5; first < end; first += piece, piece += 3) {
      options.first_replicate = first;
      options.replicates = piece = std::min(piece, end - first);
      options.execution.threads = 2;
      const Result result = bootstrap(data, family.statistics, options);
      joined.insert(joined.end(), result.replicates().begin(), result.replicates().end());
    }
    ASSERT_TRUE(same_bits(joined, whole.replicates()));
  });
}

TEST(Invariance, LongRunsInPieces) {
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    const Columns columns = data_for(family, 40);
    const DataView view = reference::view(columns);
    Options options{.replicates = 20'011, .seed = 1, .first_replicate = 1};
    options.path = family.path;
    options.scheme = family.scheme;
    const Result whole = bootstrap(view, family.statistics, options);
    std::vector<double> joined;
    for (const std::uint64_t end : {4'099U, 4'100U, 12'305U, 20'012U}) {
      options.first_replicate = 1 + joined.size() / whole.outputs();
      options.replicates = end - options.first_replicate;
      const Result piece = bootstrap(view, family.statistics, options);
      joined.insert(joined.end(), piece.replicates().begin(), piece.replicates().end());
    }
    ASSERT_TRUE(same_bits(joined, whole.replicates()));
  }
}

TEST(Invariance, ReplicatesAndSeedsDiffer) {
  for (const Family& family : families())
    for (const std::size_t n : {256, 257, 5000}) {
      if (family.name == "callable") continue;  // the range of a resample is often that of the data
      SCOPED_TRACE(testing::Message() << family.name << ", n = " << n);
      const Columns columns = data_for(family, n);
      std::vector<double> values;
      for (const std::uint64_t seed : {99, 100}) {
        Options options{.replicates = 40, .seed = seed};
        options.path = family.path;
        options.scheme = family.scheme;
        const Result result = bootstrap(reference::view(columns), family.statistics, options);
        for (std::uint64_t r = 0; r < 40; ++r) values.push_back(result.replicate(r));
      }
      std::sort(values.begin(), values.end());
      // Quantiles of 256 rows may coincide; a stream that repeats itself would leave one value.
      ASSERT_GT(std::unique(values.begin(), values.end()) - values.begin(), 20);
    }
}

// The far end of the sequence of replicates is as good as its beginning.
TEST(Invariance, ReplicateNumbersBeyond32Bits) {
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    const Columns columns = data_for(family, 300);
    Options options{.replicates = 20, .seed = 1, .first_replicate = (std::uint64_t{1} << 32) - 10};
    options.path = family.path;
    options.scheme = family.scheme;
    const Result crossing = bootstrap(reference::view(columns), family.statistics, options);
    options.first_replicate += 10;
    options.replicates = 10;
    const Result beyond = bootstrap(reference::view(columns), family.statistics, options);
    EXPECT_TRUE(
        same_bits(crossing.replicates().subspan(10 * crossing.outputs()), beyond.replicates()));
    options.first_replicate = 0;
    const Result begin = bootstrap(reference::view(columns), family.statistics, options);
    EXPECT_FALSE(same_bits(begin.replicates(), beyond.replicates()));
  }
}

// Replicates are numbered with 64 bits; a run must not go past the last one.
TEST(Invariance, ARunPastTheLastReplicateIsAnError) {
  const std::vector<double> x = reference::normals(50, 1);
  Options options{.replicates = 20,
                  .seed = 1,
                  .first_replicate = std::numeric_limits<std::uint64_t>::max() - 10};
  for (const Path path : {Path::stream, Path::gather}) {
    options.path = path;
    const std::string message = reference::message_of<InvalidArgument>(
        [&] { static_cast<void>(bootstrap(x, statistic::mean(), options)); });
    EXPECT_NE(message.find("first_replicate"), std::string::npos) << message;
  }
}

TEST(Invariance, TheLastReplicatesAreMade) {
  const std::vector<double> x = reference::normals(50, 1);
  for (const Path path : {Path::stream, Path::gather}) {
    Options options{.replicates = 10,
                    .first_replicate = std::numeric_limits<std::uint64_t>::max() - 10,
                    .path = path};
    const Result whole = bootstrap(x, statistic::mean(), options);
    options.first_replicate += 7;
    options.replicates = 3;
    EXPECT_TRUE(same_bits(whole.replicates().subspan(7),
                          bootstrap(x, statistic::mean(), options).replicates()));
  }
}

TEST(Invariance, NumberTypesAndStrides) {
  for (const std::size_t n : {1, 17, 300, 5000, 70000}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<double> doubles(n);
    for (std::size_t i = 0; i < n; ++i) doubles[i] = static_cast<double>(i * 7919 % 251) - 100;
    const std::vector<float> floats(doubles.begin(), doubles.end());
    const std::vector<std::int32_t> ints(doubles.begin(), doubles.end());
    const std::vector<std::int16_t> shorts(doubles.begin(), doubles.end());
    std::vector<double> strided(3 * n, 1e9);
    std::vector<double> backwards(n);
    for (std::size_t i = 0; i < n; ++i) {
      strided[3 * i + 1] = doubles[i];
      backwards[n - 1 - i] = doubles[i];
    }
    const std::vector<DataView> views = {
        DataView(floats), ColumnView(ints.data(), data::Type::int32, n, sizeof(int)),
        ColumnView(shorts.data(), data::Type::int16, n, sizeof(short)),
        ColumnView(strided.data() + 1, data::Type::float64, n, 3 * sizeof(double)),
        ColumnView(&backwards[n - 1], data::Type::float64, n, -std::ptrdiff_t{sizeof(double)})};
    for (const Family& family : families()) {
      if (family.columns > 1) continue;
      SCOPED_TRACE(family.name);
      Options options{.replicates = 9, .seed = 4};
      options.path = family.path;
      options.joint = true;  // one run, whatever the kinds; assembly_test.cpp has several
      options.scheme = family.scheme;
      const Result expected = bootstrap(doubles, family.statistics, options);
      for (const DataView& view : views) {
        const Result result = bootstrap(view, family.statistics, options);
        ASSERT_EQ(result.plan().path, expected.plan().path);
        ASSERT_TRUE(same_bits(result.replicates(), expected.replicates()));
        ASSERT_TRUE(reference::close(result.estimate(), expected.estimate(), 0));
      }
    }
  }
}

}  // namespace invariance_test
}  // namespace bootfold
