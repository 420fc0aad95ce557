// The loop over indices, spread over ranks and threads.
#include "bootfold/distributed/map_reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "thread_ranks.h"

namespace bootfold::distributed {
namespace map_reduce_test {

const auto add = [](auto& sum, auto&& part) { sum += part; };

// The matrix has the numbers 0 .. 79; 0^2 + ... + 79^2 = 79 * 80 * 159 / 6.
TEST(DistributedMapReduce, SumsTheSquaresOfAMatrix) {
  std::array<std::array<double, 10>, 8> matrix{};
  for (std::size_t row = 0; row < 8; ++row)
    std::iota(matrix[row].begin(), matrix[row].end(), 10.0 * static_cast<double>(row));
  for (const int ranks : {1, 2, 3, 4, 11})
    in_ranks(ranks, [&](const Group& group) {
      const double total = map_reduce(
          {0, 8}, 0.0,
          [&](double& sum, std::size_t row) {
            for (const double x : matrix[row]) sum += x * x;
          },
          add, group);
      EXPECT_EQ(total, 167'480);
    });
}

TEST(DistributedMapReduce, GivesEveryIndexToOneRank) {
  for (const IndexRange range : {IndexRange{0, 0}, {5, 6}, {3, 1000}, {0, 100, 7}, {9, 2}})
    for (const int ranks : {1, 2, 3, 4, 30}) {
      std::mutex lock;
      std::multiset<std::size_t> seen;
      in_ranks(ranks, [&](const Group& group) {
        const std::size_t count = map_reduce(range, std::size_t{0},
                                             [&](std::size_t& sum, std::size_t index) {
                                               ++sum;
                                               const std::scoped_lock hold(lock);
                                               seen.insert(index);
                                             },
                                             add, group, {.threads = 2});
        EXPECT_EQ(count, range.last > range.first ? range.last - range.first : 0);
      });
      std::multiset<std::size_t> wanted;
      for (std::size_t index = range.first; index < range.last; ++index) wanted.insert(index);
      EXPECT_EQ(seen, wanted);
    }
}

// Sums of doubles round, so another order of merging would give other bits.
TEST(DistributedMapReduce, HasTheBitsOfOneProcess) {
  const auto body = [](double& sum, std::size_t index) {
    sum += std::sin(static_cast<double>(index)) * std::exp(static_cast<double>(index % 40));
  };
  const double one = map_reduce({0, 5000}, 0.0, body, add);
  for (const int ranks : {2, 3, 4, 7})
    in_ranks(ranks, [&](const Group& group) {
      EXPECT_EQ(map_reduce({0, 5000}, 0.0, body, add, group, {.threads = 2}), one);
    });
}

struct Words {
  std::string text;
  [[nodiscard]] std::string to_bytes() const { return text; }
  static Words from_bytes(std::string_view bytes) { return {std::string(bytes)}; }
};

TEST(DistributedMapReduce, SendsVectorsAndStatesWithBytes) {
  in_ranks(3, [](const Group& group) {
    const std::vector<double> counts = map_reduce(
        {0, 100}, std::vector<double>(4),
        [](std::vector<double>& sum, std::size_t index) { sum[index % 4] += 1; },
        [](std::vector<double>& sum, const std::vector<double>& part) {
          for (std::size_t i = 0; i < 4; ++i) sum[i] += part[i];
        },
        group);
    EXPECT_EQ(counts, (std::vector<double>{25, 25, 25, 25}));
    const Words words = map_reduce(
        {0, 10}, Words(), [](Words& all, std::size_t index) { all.text += std::to_string(index); },
        [](Words& all, const Words& part) { all.text += part.text; }, group);
    EXPECT_EQ(words.text, "0123456789");
  });
}

static_assert(Sendable<double> && Sendable<std::vector<int>> && Sendable<Words>);
static_assert(!Sendable<double*> && !Sendable<std::vector<std::string>>);

// Of 256 chunks, as many states travel as there are ranks, each a few times.
TEST(DistributedMapReduce, SendsOneStateForEachRank) {
  using State = std::array<double, 128>;
  for (const int ranks : {2, 4, 8}) {
    const std::size_t bytes = in_ranks(ranks, [](const Group& group) {
      const State sums = map_reduce(
          {0, 10'000}, State{}, [](State& sum, std::size_t index) { sum[index % 128] += 1; },
          [](State& sum, const State& part) {
            for (std::size_t i = 0; i < 128; ++i) sum[i] += part[i];
          },
          group);
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), 10'000);
    });
    EXPECT_LE(bytes, 2 * static_cast<std::size_t>(ranks) * sizeof(State));
  }
}

TEST(DistributedMapReduce, ThrowsWhatTheBodyThrows) {
  EXPECT_THROW(in_ranks(3,
                        [](const Group& group) {
                          static_cast<void>(map_reduce(
                              {0, 30}, 0.0,
                              [](double&, std::size_t index) {
                                if (index == 17) throw DataError("row 17");
                              },
                              add, group));
                        }),
               DataError);
}

}  // namespace map_reduce_test
}  // namespace bootfold::distributed
