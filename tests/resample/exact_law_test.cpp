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

// Path stream, with one super-block, and with super-blocks of 2 and 3 rows. Twelve chi-squares with
// up to 462 cells share one alarm of 1e-6.
TEST(ExactLaw, OfCountsIsMultinomial) {
  for (std::uint32_t rows = 2; rows <= 6; ++rows)
    for (const std::uint64_t block_rows : {kSuperBlockRows, std::uint64_t{2}, std::uint64_t{3}}) {
      if (block_rows == rows) continue;  // the same as one super-block
      Enumeration law(rows);
      Replicates replicates(rows, {.block_rows = block_rows});
      for (std::uint64_t r = 0; r < replicates_of(rows); ++r) law.add(replicates.counts(1, r));
      EXPECT_TRUE(law.follows(kAlarm / 12)) << rows << " rows in blocks of " << block_rows;
    }
}

// Replicates with a void attempt follow the law as well, and so do all when the margin is 0 and
// almost every second attempt is void. Twelve chi-squares share one alarm of 1e-6.
TEST(ExactLaw, OfCountsIsMultinomialAfterVoidAttempts) {
  for (const std::uint32_t rows : {2, 4, 5})
    for (const std::uint64_t block_rows : {kSuperBlockRows, std::uint64_t{3}}) {
      Enumeration repeated(rows);
      Enumeration tight(rows);
      Replicates replicates(rows, {.block_rows = block_rows});
      Replicates without_margin(rows, {.block_rows = block_rows, .margin = 0});
      std::uint64_t voids = 0;
      std::uint64_t tight_voids = 0;
      for (std::uint64_t r = 0; r < 400'000 * theory::effort(); ++r) {
        // Whether the first super-block needs a second attempt depends on its draws; given those it
        // says nothing about the counts, but over all replicates it does. So only with one.
        const Counts& counts = replicates.counts(2, r);
        if (block_rows >= rows && replicates.voids() > 0) repeated.add(counts);
        voids += replicates.voids();
        if (r % 4 != 0) continue;
        tight.add(without_margin.counts(2, r));
        tight_voids += without_margin.voids();
      }
      EXPECT_GT(voids, 3'000U);
      EXPECT_GT(tight_voids, 30'000U);
      if (block_rows >= rows) {
        EXPECT_TRUE(repeated.follows(kAlarm / 12)) << rows << " rows";
      }
      EXPECT_TRUE(tight.follows(kAlarm / 12)) << rows << " rows in blocks of " << block_rows;
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
