#include "resample/late_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bootfold/random.h"

namespace bootfold::resample {
namespace late_rows_test {

using Drawn = std::pair<std::uint64_t, std::size_t>;  // row, replicate

std::vector<Drawn> taken(LateRows& late, std::uint64_t rows) {
  std::vector<Drawn> found;
  for (const LateRow one : late.take(rows)) found.emplace_back(one.row(), one.replicate());
  return found;
}

TEST(LateRows, ComeBackInOrderEachOnce) {
  random::Stream stream({.seed = 3});
  for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{2000}, std::uint64_t{2049},
                                   std::uint64_t{1} << 22, (std::uint64_t{1} << 43) + 5}) {
    LateRows late;
    for (int round = 0; round < 2; ++round) {
      std::vector<Drawn> added;
      for (std::size_t replicate = 0; replicate < 100; ++replicate) {
        std::vector<std::uint64_t> drawn(37);
        for (std::uint64_t& row : drawn) {
          row = stream() % rows;
          added.emplace_back(row, replicate);
        }
        late.add(drawn, replicate);
      }
      std::vector<Drawn> found = taken(late, rows);
      EXPECT_TRUE(late.empty());
      const std::uint64_t coarse = rows > (std::uint64_t{1} << 22) ? std::uint64_t{1} << 22 : 1;
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [&](const Drawn& a, const Drawn& b) {
        return a.first / coarse < b.first / coarse;
      })) << rows;
      std::sort(added.begin(), added.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, added) << rows;
    }
  }
}

TEST(LateRows, StayWithinTheirCapacity) {
  LateRows late;
  EXPECT_EQ(late.room(), LateRows::kMost);
  late.add(std::vector<std::uint64_t>{7, 8, 9}, LateRows::kMostReplicates - 1);
  EXPECT_EQ(late.room(), LateRows::kMost - 3);
  EXPECT_EQ(late.take(10).back().replicate(), LateRows::kMostReplicates - 1);
  EXPECT_EQ(late.room(), LateRows::kMost);
}

}  // namespace late_rows_test
}  // namespace bootfold::resample
