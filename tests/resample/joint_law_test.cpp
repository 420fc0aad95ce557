// The law of long resamples. A count is binomial(n, 1/n): variance 1 - 1/n; two counts have the
// covariance -1/n wherever their rows lie (step of 128, tile of 4096, super-block); the rows of any
// set are drawn binomial(n, share of the set) times; replicates are unrelated.
//
// With x = count - 1: the sum of x_i^2 has the mean n - 1, the sum of x_i x_(i+d) over n - d rows
// the mean -(n - d)/n, and the product of two unrelated replicates, the sum of x_i y_i, the mean 0
// and the variance n - 1.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "random/theory.h"
#include "resample/reference.h"
#include "text/concat.h"

namespace bootfold::resample {
namespace joint_law_test {

using Counts = std::vector<std::uint32_t>;
using theory::kAlarm;

/// Makes the counts of a replicate.
using Source = std::function<Counts(std::uint64_t seed, std::uint64_t replicate)>;

Source stream(std::uint64_t rows) {
  auto replicates = std::make_shared<Replicates>(rows);
  return [=](std::uint64_t seed, std::uint64_t replicate) {
    return replicates->counts(seed, replicate);
  };
}

/// In super-blocks of 8,192 rows: two tiles each.
Source small_blocks(std::uint64_t rows) {
  auto replicates = std::make_shared<Replicates>(rows, Replicates::Options{.block_rows = 8192});
  return [=](std::uint64_t seed, std::uint64_t replicate) {
    return replicates->counts(seed, replicate);
  };
}

Source gather(std::uint64_t rows) {
  return [=](std::uint64_t seed, std::uint64_t replicate) {
    Counts counts(rows);
    for (const std::uint32_t row : indices(rows, {seed, replicate})) ++counts.at(row);
    return counts;
  };
}

/// A statistic of resamples whose expectation is known.
struct Known {
  std::string name;
  double expected = 0;
  double deviation = 0;    ///< of one value; 0: taken from the sample
  bool is_normal = false;  ///< so nearly that its squares are chi-square
  double sum = 0;
  double squares = 0;
  double size = 0;

  void add(double value) {
    sum += value - expected;
    squares += (value - expected) * (value - expected);
    ++size;
  }

  void expect_law(double alarm) const {
    const double mean = sum / size;
    const double spread = deviation > 0 ? deviation : std::sqrt(squares / size - mean * mean);
    EXPECT_TRUE(theory::is_normal(expected + mean, expected, spread / std::sqrt(size), alarm))
        << "mean of " << name;
    if (!is_normal) return;
    EXPECT_TRUE(theory::is_chi_square(squares / (deviation * deviation), size, alarm))
        << "variance of " << name;
  }
};

struct Case {
  const char* path;
  Source (*source)(std::uint64_t rows);
  std::uint64_t rows;
  std::uint64_t replicates;
};

void PrintTo(const Case& which, std::ostream* out) { *out << which.path << which.rows; }

class JointLaw : public testing::TestWithParam<Case> {};

/// Sets of rows that the engine treats differently.
struct Set {
  const char* name;
  bool (*holds)(std::uint64_t row);
};
constexpr Set kSets[] = {
    {"even rows", [](std::uint64_t row) { return row % 2 == 0; }},
    {"low halves of bytes", [](std::uint64_t row) { return row % 128 < 64; }},
    {"first lane", [](std::uint64_t row) { return row % 64 < 8; }},
    {"even steps", [](std::uint64_t row) { return row / 128 % 2 == 0; }},
    {"even tiles", [](std::uint64_t row) { return row / 4096 % 2 == 0; }},
    {"first super-block of 8192", [](std::uint64_t row) { return row < 8192; }},
    {"even super-blocks of 8192", [](std::uint64_t row) { return row / 8192 % 2 == 0; }},
};

// Fewer than 40 comparisons share one alarm of 1e-6.
TEST_P(JointLaw, OfVariancesCovariancesSetsAndDistinctRows) {
  const auto& [path, source, rows, replicates] = GetParam();
  const auto n = static_cast<double>(rows);
  const double absent = std::pow(1 - 1 / n, n);
  const double absent_variance =
      n * absent + n * (n - 1) * std::pow(1 - 2 / n, n) - n * n * absent * absent;
  Known squares{"squares", n - 1, (n - 1) * std::sqrt(2 / n)};
  Known distinct{"distinct rows", n * (1 - absent), std::sqrt(absent_variance), true};
  std::vector<std::pair<std::size_t, Known>> lags;
  for (const std::size_t lag : {1, 2, 8, 16, 32, 63, 64, 65, 128, 4096, 8192, 65'536})
    if (lag < rows)
      lags.push_back({lag, {text::concat("lag ", lag), static_cast<double>(lag) / n - 1}});
  std::vector<std::pair<std::vector<std::int32_t>, Known>> sets;
  for (const auto& set : kSets) {
    std::vector<std::int32_t> holds(rows);
    double share = 0;
    for (std::uint64_t row = 0; row < rows; ++row) {
      holds[row] = static_cast<std::int32_t>(set.holds(row));
      share += holds[row] / n;
    }
    if (share > 0 && share < 1 - 0.5 / n)
      sets.push_back({holds, {set.name, 0, std::sqrt(n * share * (1 - share)), true}});
  }

  const Source make = source(rows);
  for (std::uint64_t r = 0; r < replicates * theory::effort(); ++r) {
    const Counts counts = make(5, r);
    std::vector<std::int32_t> x(counts.begin(), counts.end());
    for (auto& value : x) --value;
    const auto sum_of = [&](std::size_t size, const std::int32_t* a, const std::int32_t* b) {
      return static_cast<double>(std::inner_product(a, a + size, b, 0));
    };
    ASSERT_EQ(std::accumulate(x.begin(), x.end(), 0), 0);
    squares.add(sum_of(rows, x.data(), x.data()));
    distinct.add(n - static_cast<double>(std::count(x.begin(), x.end(), -1)));
    for (auto& [lag, known] : lags) known.add(sum_of(rows - lag, x.data(), x.data() + lag));
    for (auto& [holds, known] : sets) known.add(sum_of(rows, x.data(), holds.data()));
  }
  const double alarm = kAlarm / 40;
  squares.expect_law(alarm);
  distinct.expect_law(alarm);
  for (const auto& [lag, known] : lags) known.expect_law(alarm);
  for (const auto& [holds, known] : sets) known.expect_law(alarm);
}

// How often a row was drawn in all replicates is binomial; the rows together make a chi-square. The
// count of a row in one replicate is binomial, too. Fewer than 40 comparisons share one alarm of
// 1e-6.
TEST_P(JointLaw, OfSingleRowsAtTheEdgesOfStepsTilesAndBlocks) {
  const auto& [path, source, rows, replicates] = GetParam();
  const double alarm = kAlarm / 40;
  const auto n = static_cast<double>(rows);
  constexpr std::size_t kCells = 8;
  const boost::math::binomial law(n, 1 / n);
  std::vector<double> probability(kCells);
  for (std::size_t k = 0; k < kCells; ++k)
    probability[k] = k + 1 < kCells ? pdf(law, static_cast<double>(k))
                                    : cdf(complement(law, static_cast<double>(k - 1)));
  std::map<std::uint64_t, std::vector<std::uint64_t>> edges;
  for (const std::uint64_t row :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{65},
        std::uint64_t{4095}, std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{65'535},
        std::uint64_t{65'536}, std::uint64_t{65'537}, rows - 1})
    if (row < rows) edges[row].resize(kCells);

  const Source make = source(rows);
  std::vector<std::uint64_t> drawn(rows);
  const std::uint64_t made = replicates * theory::effort();
  for (std::uint64_t r = 0; r < made; ++r) {
    const Counts counts = make(6, r);
    for (std::uint64_t row = 0; row < rows; ++row) drawn[row] += counts[row];
    for (auto& [row, seen] : edges) ++seen[std::min<std::size_t>(counts[row], kCells - 1)];
  }
  EXPECT_TRUE(theory::follows_uniform(drawn, alarm)) << "all rows";
  for (const auto& [row, seen] : edges) {
    EXPECT_TRUE(theory::is_binomial(drawn[row], rows * made, 1 / n, alarm)) << "row " << row;
    EXPECT_TRUE(theory::follows(seen, probability, alarm)) << "row " << row;
  }
}

// Replicates next to each other, in the neighbouring word of a shared stream, in the next batch of
// sixteen, far apart, and of other seeds. Seven normal sums share one alarm of 1e-6.
TEST_P(JointLaw, OfTwoReplicatesIsThatOfUnrelatedOnes) {
  const auto& [path, source, size_of_data, replicates] = GetParam();
  const auto rows = size_of_data;  // clang 14 cannot capture a structured binding
  const Source make = source(rows);
  const std::uint64_t pairs = replicates / 10;
  std::vector<Counts> made;
  for (std::uint64_t r = 0; r < pairs; ++r) made.push_back(make(7, r));
  const auto product = [&](const Counts& a, const Counts& b) {
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < rows; ++i)
      sum += (static_cast<std::int64_t>(a[i]) - 1) * (static_cast<std::int64_t>(b[i]) - 1);
    return static_cast<double>(sum);
  };
  const auto expect_unrelated = [&](double sum, std::uint64_t size, const char* what) {
    const double variance = static_cast<double>(rows - 1) * static_cast<double>(size);
    EXPECT_TRUE(theory::is_normal(sum, 0, std::sqrt(variance), kAlarm / 7)) << what;
  };
  for (const std::uint64_t apart : {1, 2, 16}) {
    double sum = 0;
    for (std::uint64_t r = 0; r + apart < pairs; ++r) sum += product(made[r], made[r + apart]);
    expect_unrelated(sum, pairs - apart, "replicates");
  }
  double far = 0;
  double next_seed = 0;
  double far_seed = 0;
  double swapped = 0;
  for (std::uint64_t r = 0; r < pairs; ++r) {
    far += product(made[r], make(7, r + (std::uint64_t{1} << 32)));
    next_seed += product(made[r], make(8, r));
    far_seed += product(made[r], make(7 + (std::uint64_t{1} << 32), r));
    swapped += r == 7 ? 0 : product(made[r], make(r, 7));
  }
  expect_unrelated(far, pairs, "replicates 2^32 apart");
  expect_unrelated(next_seed, pairs, "seeds 7 and 8");
  expect_unrelated(far_seed, pairs, "seeds 2^32 apart");
  expect_unrelated(swapped, pairs - static_cast<std::uint64_t>(pairs > 7), "seed and replicate");
}

INSTANTIATE_TEST_SUITE_P(, JointLaw,
                         testing::Values(Case{"stream", stream, 50, 100'000},
                                         Case{"stream", stream, 1000, 20'000},
                                         Case{"stream", stream, 70'000, 1000},
                                         Case{"super_blocks", small_blocks, 70'000, 1000},
                                         Case{"gather", gather, 50, 100'000},
                                         Case{"gather", gather, 1000, 20'000},
                                         Case{"gather", gather, 70'000, 1000}),
                         testing::PrintToStringParamName());

// The two paths are unrelated though seed and replicate are the same. One normal sum with a
// false-alarm rate of 1e-6.
TEST(JointLaws, OfTheTwoPathsAreUnrelated) {
  constexpr std::uint64_t kRows = 1000;
  constexpr std::uint64_t kReplicates = 5000;
  const Source one = stream(kRows);
  const Source other = gather(kRows);
  double sum = 0;
  for (std::uint64_t r = 0; r < kReplicates; ++r) {
    const Counts a = one(7, r);
    const Counts b = other(7, r);
    for (std::uint64_t i = 0; i < kRows; ++i) sum += (a[i] - 1.0) * (b[i] - 1.0);
  }
  EXPECT_TRUE(theory::is_normal(sum, 0, std::sqrt((kRows - 1.0) * kReplicates)));
}

}  // namespace joint_law_test
}  // namespace bootfold::resample
