// The law of whole resamples, by full enumeration: for n up to 6, every way in which n rows can be
// drawn comes up as often as the multinomial law says.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "bootfold/resample.h"
#include "random/theory.h"
#include "resample/reference.h"

namespace bootfold::resample {
namespace exact_law_test {

using Counts = std::vector<std::uint32_t>;
using theory::kAlarm;

/// All vectors of n counts that add up to n, with their multinomial probabilities.
class Enumeration {
 public:
  explicit Enumeration(std::uint32_t rows) {
    Counts counts(rows);
    extend(counts, 0, rows, std::tgamma(rows + 1.0) / std::pow(rows, rows));
  }

  /// Every call counts one resample.
  void add(const Counts& counts) { ++seen_[cell_.at(counts)]; }

  [[nodiscard]] std::size_t cells() const { return probability_.size(); }
  [[nodiscard]] testing::AssertionResult follows(double alarm) const {
    return theory::follows(seen_, probability_, alarm);
  }

 private:
  void extend(Counts& counts, std::size_t row, std::uint32_t left, double probability) {
    if (row + 1 == counts.size()) {
      counts[row] = left;
      cell_[counts] = probability_.size();
      probability_.push_back(probability / std::tgamma(left + 1.0));
      seen_.push_back(0);
      return;
    }
    for (std::uint32_t count = 0; count <= left; ++count) {
      counts[row] = count;
      extend(counts, row + 1, left - count, probability / std::tgamma(count + 1.0));
    }
  }

  std::map<Counts, std::size_t> cell_;
  std::vector<double> probability_;
  std::vector<std::uint64_t> seen_;
};

/// More where there are more cells to fill.
std::uint64_t replicates_of(std::uint32_t rows) {
  return (rows < 6 ? 200'000 : 600'000) * theory::effort();
}

Counts counts_of(const Counts& rows, std::size_t size) {
  Counts counts(size);
  for (const std::uint32_t row : rows) ++counts.at(row);
  return counts;
}

TEST(ExactLaw, HasEveryMultiset) {
  const std::size_t cells[] = {1, 3, 10, 35, 126, 462};  // C(2n - 1, n)
  for (std::uint32_t rows = 1; rows <= 6; ++rows)
    EXPECT_EQ(Enumeration(rows).cells(), cells[rows - 1]);
}

// Path stream. Five chi-squares with up to 462 cells share one alarm of 1e-6.
TEST(ExactLaw, OfCountsIsMultinomial) {
  for (std::uint32_t rows = 2; rows <= 6; ++rows) {
    Enumeration law(rows);
    Replicates replicates(rows);
    for (std::uint64_t r = 0; r < replicates_of(rows); ++r) law.add(replicates.counts(1, r));
    EXPECT_TRUE(law.follows(kAlarm / 5)) << rows << " rows";
  }
}

// Replicates whose first attempt was void follow the law as well, and so do all when the margin is
// 0 and almost every second attempt is void. Six chi-squares share one alarm of 1e-6.
TEST(ExactLaw, OfCountsIsMultinomialAfterVoidAttempts) {
  for (const std::uint32_t rows : {2, 4, 5}) {
    Enumeration repeated(rows);
    Enumeration tight(rows);
    Replicates replicates(rows);
    Replicates without_margin(rows, execution::available_levels().back(), 0);
    std::uint64_t voids = 0;
    for (std::uint64_t r = 0; r < 400'000 * theory::effort(); ++r) {
      const Counts& counts = replicates.counts(2, r);
      if (replicates.attempt().number > 0) repeated.add(counts);
      if (r % 4 != 0) continue;
      tight.add(without_margin.counts(2, r));
      voids += without_margin.attempt().number;
    }
    EXPECT_GT(voids, 30'000U);
    EXPECT_TRUE(repeated.follows(kAlarm / 6)) << rows << " rows";
    EXPECT_TRUE(tight.follows(kAlarm / 6)) << rows << " rows";
  }
}

// Path gather. Five chi-squares share one alarm of 1e-6.
TEST(ExactLaw, OfIndicesIsMultinomial) {
  for (std::uint32_t rows = 2; rows <= 6; ++rows) {
    Enumeration law(rows);
    for (std::uint64_t r = 0; r < replicates_of(rows); ++r)
      law.add(counts_of(indices(rows, {1, r}), rows));
    EXPECT_TRUE(law.follows(kAlarm / 5)) << rows << " rows";
  }
}

// With their order the draws are uniform over all n^n sequences. Three chi-squares with up to 3125
// cells share one alarm of 1e-6.
TEST(ExactLaw, OfIndicesInOrderIsUniform) {
  for (std::uint32_t rows = 3; rows <= 5; ++rows) {
    std::vector<std::uint64_t> seen(static_cast<std::size_t>(std::pow(rows, rows)));
    for (std::uint64_t r = 0; r < 300'000 * theory::effort(); ++r) {
      std::size_t cell = 0;
      for (const std::uint32_t row : indices(rows, {3, r})) cell = cell * rows + row;
      ++seen.at(cell);
    }
    EXPECT_TRUE(theory::follows_uniform(seen, kAlarm / 3)) << rows << " rows";
  }
}

}  // namespace exact_law_test
}  // namespace bootfold::resample
