// Every replicate is the statistic of its resample: recomputed in 113 bits on the very rows drawn.
//
// Nothing here is random: a test passes always or never.
#include <gtest/gtest.h>

#include "statistic/reference.h"

namespace bootfold {
namespace replicates_test {

using reference::close;
using reference::Columns;

const std::vector<std::string> kOneColumn = {
    "mean",     "sum",      "variance",   "variance:0",  "standard_deviation",
    "skewness", "kurtosis", "proportion", "sharpe_ratio"};
const std::vector<std::string> kTwoColumns = {"ratio", "covariance", "covariance:0", "correlation"};

Columns columns_for(const std::string& name, std::size_t n) {
  std::vector<double> x = reference::normals(n, 1);
  std::vector<double> y = reference::uniforms(n, 2);
  for (std::size_t i = 0; i < n; ++i) y[i] += 3 + 0.2 * x[i];
  if (name == "regression") return {x, y, reference::normals(n, 3)};
  if (std::find(kTwoColumns.begin(), kTwoColumns.end(), name) != kTwoColumns.end()) return {x, y};
  return {y};
}

void expect_replicates(const std::string& name, std::size_t n, Path path, double tolerance,
                       double allowed, std::uint64_t replicates) {
  SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", path " << bootfold::name(path));
  const Columns columns = columns_for(name, n);
  const Options options{.replicates = replicates,
                        .seed = 5,
                        .first_replicate = 3,
                        .path = path,
                        .tolerance = tolerance};
  const Result result = bootstrap(reference::view(columns), statistic::parse(name), options);
  ASSERT_EQ(result.plan().path, path);
  for (std::uint64_t r = 0; r < replicates; ++r) {
    const auto truth = reference::values(name, columns, reference::counts_of(path, n, 5, 3 + r));
    for (std::size_t k = 0; k < truth.size(); ++k)
      ASSERT_TRUE(close(result.replicate(r, k), truth[k], allowed, result.standard_error(k)))
          << "replicate " << r << ", output " << k << "\n"
          << result.plan().explain();
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = kOneColumn;
  names.insert(names.end(), kTwoColumns.begin(), kTwoColumns.end());
  names.emplace_back("regression");
  return names;
}

TEST(Replicates, OfSumsAreRightToNineDigits) {
  for (const std::string& name : all_names())
    for (const std::size_t n : {5, 16, 17, 256, 257, 1000})
      for (const Path path : {Path::stream, Path::gather})
        expect_replicates(name, n, path, 1e-11, 1e-9, 8);
}

// The default tolerance, 1e-5 standard errors of a mean, is met, and so by functions of means.
TEST(Replicates, OfSumsMeetTheDefaultTolerance) {
  for (const std::string& name : all_names())
    for (const std::size_t n : {30, 300, 3000}) {
      expect_replicates(name, n, Path::stream, 1e-5, name == "mean" ? 1e-5 : 1e-3, 8);
      expect_replicates(name, n, Path::gather, 1e-5, 1e-8, 8);
    }
}

// More than one block of rows (65536) and a top-up that looks rows up where they lie.
TEST(Replicates, OfManyRows) {
  for (const char* name : {"mean", "variance", "correlation", "regression"})
    for (const std::size_t n : {65536, 65537, 140'000})
      for (const Path path : {Path::stream, Path::gather})
        expect_replicates(name, n, path, 1e-10, 1e-8, 2);
}

// Indicators in the same pass tell which rows path `distinct` drew.
TEST(Replicates, OfDistinctRowsAreRight) {
  const std::vector<double> levels = {-1.5, 0.1, 0.7, 2.25, 1e3};
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < 5000; ++i) {
    x.push_back(levels[i * i % 7 % levels.size()]);
    y.push_back(levels[(i * i % 7 + 1) % levels.size()] / 3);
  }
  // What of (x, y) is there, as columns with weights.
  Columns cells(2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool known = false;
    for (std::size_t j = 0; j < cells[0].size(); ++j)
      known = known || (cells[0][j] == x[i] && cells[1][j] == y[i]);
    if (known) continue;
    cells[0].push_back(x[i]);
    cells[1].push_back(y[i]);
  }
  std::vector<Statistic> statistics = {statistic::ratio(), statistic::covariance(),
                                       statistic::correlation(), statistic::regression()};
  for (std::size_t j = 0; j < cells[0].size(); ++j)
    statistics.push_back(statistic::sums(
        1,
        [u = cells[0][j], v = cells[1][j]](std::span<const double> row, std::span<double> out) {
          out[0] = row[0] == u && row[1] == v ? 1 : 0;
        },
        [](const statistic::Folded& folded) { return folded.sum(0); }));
  const Result result =
      bootstrap(reference::view({x, y}), statistics, {.replicates = 500, .seed = 8});
  ASSERT_EQ(result.plan().path, Path::distinct) << result.plan().explain();
  EXPECT_EQ(result.plan().distinct_rows, cells[0].size());
  for (std::uint64_t r = 0; r < 500; ++r) {
    reference::Counts counts;
    for (std::size_t j = 0; j < cells[0].size(); ++j)
      counts.push_back(static_cast<std::uint32_t>(std::lround(result.replicate(r, 5 + j))));
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 5000U);
    std::vector<double> truth;
    for (const char* name : {"ratio", "covariance", "correlation", "regression"})
      for (const double value : reference::values(name, cells, counts)) truth.push_back(value);
    for (std::size_t k = 0; k < truth.size(); ++k)
      ASSERT_TRUE(close(result.replicate(r, k), truth[k], 1e-9, result.standard_error(k)))
          << "replicate " << r << ", output " << k;
  }
}

// Quantiles and trimmed means of path gather, on the rows themselves.
TEST(Replicates, OfQuantilesOnDrawnRowsAreRight) {
  for (const std::size_t n : {1, 2, 3, 16, 17, 100, 257, 1000}) {
    const std::vector<double> x = reference::normals(n, 12);
    const Result result =
        bootstrap(x,
                  {statistic::median(), statistic::quantile(0.9), statistic::min(),
                   statistic::interquartile_range(), statistic::trimmed_mean(0.1)},
                  {.replicates = 30, .seed = 2, .path = Path::gather});
    ASSERT_EQ(result.plan().path, Path::gather);
    for (std::uint64_t r = 0; r < 30; ++r) {
      std::vector<double> drawn;
      for (const std::uint32_t row : resample::indices(n, {2, r})) drawn.push_back(x[row]);
      std::sort(drawn.begin(), drawn.end());
      EXPECT_TRUE(close(result.replicate(r, 0), reference::quantile(drawn, 0.5), 1e-14, 1));
      EXPECT_TRUE(close(result.replicate(r, 1), reference::quantile(drawn, 0.9), 1e-14, 1));
      EXPECT_EQ(result.replicate(r, 2), drawn.front());
      EXPECT_TRUE(close(result.replicate(r, 3),
                        reference::quantile(drawn, 0.75) - reference::quantile(drawn, 0.25), 1e-14,
                        1));
      const std::size_t cut = n / 10;
      long double sum = 0;
      for (std::size_t i = cut; i < n - cut; ++i) sum += drawn[i];
      EXPECT_TRUE(close(result.replicate(r, 4),
                        static_cast<double>(sum / static_cast<long double>(n - 2 * cut)), 1e-14,
                        1));
    }
  }
}

}  // namespace replicates_test
}  // namespace bootfold
