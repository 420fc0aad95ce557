// How often the rows are read, counted by a source that counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "bootfold/bootstrap.h"
#include "statistic/reference.h"

namespace bootfold {
namespace reads_test {

/// Numbers that count how often they are read.
class Counting final : public data::ColumnSource {
 public:
  explicit Counting(std::vector<double> values) : values_(std::move(values)) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return values_.size(); }
  void read(std::size_t first, std::span<double> out) const noexcept override {
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    read_ += out.size();
  }

  /// Reads of all rows so far.
  [[nodiscard]] double reads() const {
    return static_cast<double>(read_) / static_cast<double>(values_.size());
  }

 private:
  std::vector<double> values_;
  mutable std::atomic<std::uint64_t> read_ = 0;
};

/// Replicates of path distinct need no further read; the others read the rows once for all of these
/// few replicates, and the rows of the top-up.
constexpr std::uint64_t kReplicates = 4;

double reads_of(std::vector<double> values, const Statistic& statistic, Options options) {
  const Counting source(std::move(values));
  options.replicates = kReplicates;
  const Result result = bootstrap(ColumnView(source), statistic, options);
  for (const double value : result.replicates()) EXPECT_TRUE(std::isfinite(value));
  return source.reads();
}

// Two looks, and one read that finds influences and ABC curves. A hundredth is for sampled rows and
// the rows of top-ups.
TEST(Reads, OfBcaWithAbcAreThreeBesideTheReplicates) {
  constexpr double kSampled = 0.05;
  const std::vector<double> distinct = reference::normals(300'000, 1);
  std::vector<double> coins = distinct;
  for (double& coin : coins) coin = coin > 0 ? 1 : 0;
  Options bca;
  bca.influence = true;
  bca.execution.threads = 1;
  for (const Statistic& statistic : {statistic::mean(), statistic::variance()}) {
    EXPECT_LE(reads_of(coins, statistic, bca), 3 + kSampled);
    EXPECT_LE(reads_of(distinct, statistic, bca), 3 + 1 + kSampled);
  }
}

TEST(Reads, OfAPlanAreTwo) {
  const Counting source(reference::normals(300'000, 1));
  static_cast<void>(plan(ColumnView(source), statistic::kurtosis()));
  EXPECT_LE(source.reads(), 2.01);
}

TEST(Reads, OfAPlanWithInfluenceAreTwo) {
  const Counting source(reference::normals(300'000, 1));
  Options bca;
  bca.influence = true;
  static_cast<void>(plan(ColumnView(source), statistic::kurtosis(), bca));
  EXPECT_LE(source.reads(), 2.01);
}

}  // namespace reads_test
}  // namespace bootfold
