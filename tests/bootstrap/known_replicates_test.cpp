// A replicate has the same bits on every machine: those of known_replicates.txt, which x86-64 and
// ARM builds, all instruction sets and all compilers must give.
//
// A change that alters replicates on purpose writes the file again; `git diff` then tells which
// settings it alters:
//
//     BOOTFOLD_WRITE_KNOWN=1 build/dev/tests/bootstrap/bootstrap_test --gtest_filter=Known*
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace known_replicates_test {

using reference::Columns;

const std::string kFile = BOOTFOLD_TEST_DATA "/bootstrap/known_replicates.txt";

/// FNV-1a of the bits of values; -0 and 0 differ.
std::uint64_t hash(std::span<const double> values) {
  std::uint64_t out = 0xCBF29CE484222325U;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) out = (out ^ (bits >> (8 * byte) & 255)) * 0x100000001B3U;
  }
  return out;
}

struct Case {
  std::string name;
  std::size_t rows;
  std::vector<Statistic> statistics;
  Scheme scheme = {};
  std::size_t columns = 1;
  bool few_values = false;
  std::optional<Path> path = std::nullopt;
};

/// Labels 0, 1, ..., `labels` - 1 in a fixed disorder.
std::vector<std::uint32_t> labels(std::size_t rows, std::uint32_t labels) {
  std::vector<std::uint32_t> out(rows);
  for (std::size_t i = 0; i < rows; ++i)
    out[i] = static_cast<std::uint32_t>(i * i % 10'007 % labels);
  for (std::uint32_t label = 0; label < labels; ++label) out[label] = label;
  return out;
}

struct Given {
  std::vector<std::uint32_t> strata = labels(700, 5);
  std::vector<std::uint32_t> clusters = labels(700, 60);
  std::vector<double> weights = reference::uniforms(700, 3);
};

std::vector<Case> cases(const Given& given) {
  using namespace statistic;  // NOLINT(google-build-using-namespace)
  const std::vector<Statistic> moments = {mean(),     variance(), standard_deviation(),
                                          skewness(), kurtosis(), sharpe_ratio()};
  const std::vector<Statistic> order = {median(), quantile(0.9), interquartile_range()};
  const std::vector<Statistic> two = {difference(), ratio(), covariance(), correlation()};
  const std::vector<Statistic> one = {mean()};
  std::vector<Case> out;
  for (const std::size_t rows : {20, 700, 9001}) {
    const std::string n = ", " + std::to_string(rows) + " rows";
    out.push_back({"mean" + n, rows, one});
    out.push_back({"moments" + n, rows, moments});
    out.push_back({"quantiles" + n, rows, order});
    out.push_back({"mean and median" + n, rows, {mean(), median()}});
    out.push_back({"trimmed mean" + n, rows, {trimmed_mean(0.1), mean()}});
    out.push_back({"two columns" + n, rows, two, {}, 2});
    out.push_back({"regression" + n, rows, {regression()}, {}, 4});
    out.push_back({"few values" + n, rows, moments, {}, 1, true});
  }
  for (const Path path : {Path::stream, Path::gather})
    out.push_back({"mean, path " + std::string(name(path)), 700, one, {}, 1, false, path});
  const auto running = [](const Resample& resample) {  // depends on the order of the rows
    double value = 0;
    for (const double x : resample.column(0)) value = 0.99 * value + x;
    return value;
  };
  for (const std::size_t rows : {20, 9001}) {
    const std::string n = ", " + std::to_string(rows) + " rows";
    out.push_back({"callable" + n, rows, {callable(running), mean()}});
    out.push_back(
        {"callable, any order" + n, rows, {callable(running, "f", RowOrder::any), mean()}});
  }
  out.push_back({"mean, stream of two super-blocks", 1'100'000, one, {}, 1, false, Path::stream});
  const std::vector<std::pair<std::string, Scheme>> schemes = {
      {"m out of n", scheme::Iid{.size = 123}},
      {"poisson", scheme::Poisson{}},
      {"bayesian", scheme::Bayesian{}},
      {"balanced", scheme::Balanced{}},
      {"weighted", scheme::Unequal{given.weights}},
      {"stratified", scheme::Stratified{given.strata}},
      {"cluster", scheme::Cluster{given.clusters}},
      {"cluster, two stages", scheme::Cluster{given.clusters, true}},
      {"moving blocks", scheme::MovingBlocks{9}},
      {"circular blocks", scheme::CircularBlocks{9}},
      {"stationary blocks", scheme::StationaryBlocks{7.5}},
      {"blocks of a length by the data", scheme::StationaryBlocks{}},
      {"jackknife", scheme::Jackknife{}},
  };
  for (const auto& [words, scheme] : schemes) {
    out.push_back({words + ", moments", 700, moments, scheme});
    out.push_back({words + ", mean", 700, one, scheme});
    out.push_back({words + ", median", 700, {median()}, scheme});
    out.push_back({words + ", regression", 700, {regression()}, scheme, 3});
    out.push_back({words + ", ordered", 700, {mad(), gini(), top_share(0.1)}, scheme});
    out.push_back({words + ", spearman", 700, {spearman()}, scheme, 2});
  }
  return out;
}

/// Path, and hashes of what defines the replicates, of the estimates and of the replicates; or that
/// the scheme does not take the statistics.
std::string describe(const Case& which, execution::Level level) try {
  Columns columns;
  for (std::size_t c = 0; c < which.columns; ++c)
    columns.push_back(reference::normals(which.rows, 7 + c));
  if (which.few_values)
    for (double& value : columns[0]) value = std::round(value);
  Options options{.replicates = which.rows > 100'000 ? 3U : 13U, .seed = 99, .first_replicate = 5};
  options.joint = true;
  if (std::holds_alternative<scheme::Balanced>(which.scheme) ||
      std::holds_alternative<scheme::Jackknife>(which.scheme))
    options.first_replicate = 0;
  options.scheme = which.scheme;
  options.path = which.path;
  options.execution = {.threads = 2, .level = level};
  const Result result = bootstrap(reference::view(columns), which.statistics, options);
  std::vector<double> estimates(result.outputs());
  for (std::size_t k = 0; k < estimates.size(); ++k) estimates[k] = result.estimate(k);
  std::ostringstream out;
  out << name(result.plan().path) << std::hex << std::setfill('0');
  for (const std::uint64_t word :
       {result.fingerprint(), hash(estimates), hash(result.replicates())})
    out << ' ' << std::setw(16) << word;
  return out.str();
} catch (const InvalidArgument&) {
  return "refused";
}

/// What the file says of each case.
std::map<std::string, std::string> known() {
  std::map<std::string, std::string> out;
  std::ifstream file(kFile);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t at = line.find(": ");
    out[line.substr(0, at)] = line.substr(at + 2);
  }
  return out;
}

TEST(KnownReplicates, HaveTheSameBitsOnEveryMachine) {
  const Given given;
  const std::vector<Case> all = cases(given);
  if (std::getenv("BOOTFOLD_WRITE_KNOWN") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream file(kFile);
    file << "# case: path, fingerprint, hash of the estimates, hash of the replicates\n"
            "# Written and checked by known_replicates_test.cpp, which tells how.\n";
    for (const Case& which : all)
      file << which.name << ": " << describe(which, execution::Level::portable) << '\n';
  }
  const auto expected = known();
  EXPECT_EQ(expected.size(), all.size());
  for (const Case& which : all) {
    SCOPED_TRACE(which.name);
    ASSERT_TRUE(expected.contains(which.name));
    for (const execution::Level level : execution::available_levels())
      EXPECT_EQ(describe(which, level), expected.at(which.name)) << execution::name(level);
  }
}

}  // namespace known_replicates_test
}  // namespace bootfold
