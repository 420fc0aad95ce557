// map_reduce: every index once, merged in order, the same result on any number of workers.
#include "bootfold/map_reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bootfold/execution.h"

namespace bootfold {
namespace map_reduce_test {

constexpr unsigned kThreads[] = {1, 2, 4, 7};

/// Sleeps now and then, differently for every index and call, so that chunks end out of order.
void dawdle(std::size_t index) {
  if (index % 13 == 5) std::this_thread::sleep_for(std::chrono::microseconds(50 * (index % 7)));
}

// The 8 x 10 matrix 0 .. 79: the sum of all squares.
TEST(MapReduce, SumsTheSquaresOfASharedMatrix) {
  std::array<std::array<double, 10>, 8> matrix;
  for (std::size_t i = 0; i < 80; ++i) matrix[i / 10][i % 10] = static_cast<double>(i);
  for (const unsigned threads : kThreads) {
    const double total = map_reduce(
        {0, 8}, 0.0,
        [&](double& sum, std::size_t row) {
          for (const double x : matrix[row]) sum += x * x;
        },
        [](double& sum, double part) { sum += part; }, {.threads = threads});
    EXPECT_EQ(total, 167'480) << threads << " threads";
  }
}

TEST(MapReduce, VisitsEveryIndexOnce) {
  for (const unsigned threads : kThreads)
    for (const std::size_t length : {1, 2, 255, 256, 257, 1000, 10'007})
      for (const std::size_t grain : {0, 1, 3, 1000, 20'000}) {
        std::vector<std::atomic<int>> visits(length + 5);
        const std::size_t sum = map_reduce(
            {5, 5 + length, grain}, std::size_t{0},
            [&](std::size_t& part, std::size_t index) {
              ++visits[index];
              part += index;
            },
            [](std::size_t& all, std::size_t part) { all += part; }, {.threads = threads});
        EXPECT_EQ(sum, length * 5 + length * (length - 1) / 2);
        for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], i < 5 ? 0 : 1);
      }
}

/// Counts those that live, for states that carry one once they are filled.
struct Token {
  explicit Token(std::atomic<int>& living, std::atomic<int>& most) : living_(living) {
    const int now = ++living_;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
  }
  ~Token() { --living_; }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

 private:
  std::atomic<int>& living_;
};

// Beside the result no more states are filled than are asked for, and the order is as ever.
TEST(MapReduce, HoldsNoMoreStatesThanAskedFor) {
  struct State {
    std::vector<std::size_t> indices;
    std::shared_ptr<Token> token;
  };
  std::vector<std::size_t> expected(300);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  for (const unsigned threads : kThreads)
    for (const std::size_t most : {1, 2, 5}) {
      std::atomic<int> living = 0;
      std::atomic<int> seen = 0;
      const State state = map_reduce(
          {0, 300, 1, most}, State{},
          [&](State& own, std::size_t index) {
            own.token = std::make_shared<Token>(living, seen);
            own.indices.push_back(index);
            dawdle(index);
          },
          [](State& all, State&& part) {
            all.indices.insert(all.indices.end(), part.indices.begin(), part.indices.end());
            part.token.reset();
          },
          {.threads = threads});
      EXPECT_EQ(state.indices, expected);
      EXPECT_LE(seen, static_cast<int>(most)) << threads << " threads";
    }
}

// Sums of rounded terms depend on their order: it is always the same.
TEST(MapReduce, RoundsTheSameOnEveryNumberOfWorkers) {
  const auto sum = [](unsigned threads, std::size_t grain) {
    return map_reduce(
        {0, 5003, grain}, 0.0,
        [](double& part, std::size_t index) {
          dawdle(index);
          part += std::pow(-1.1, static_cast<double>(index % 700)) / 3;
        },
        [](double& all, double part) { all += part; }, {.threads = threads});
  };
  for (const std::size_t grain : {0, 1, 17, 4000}) {
    const double expected = sum(1, grain);
    for (const unsigned threads : {2U, 3U, 4U, 7U, 16U})
      EXPECT_EQ(sum(threads, grain), expected) << threads << " threads, grain " << grain;
  }
}

// Strings join in the order of the indices, whoever is ready first.
TEST(MapReduce, MergesInTheOrderOfTheIndices) {
  std::string expected;
  for (std::size_t i = 0; i < 500; ++i) expected += std::to_string(i) + " ";
  for (const unsigned threads : kThreads)
    for (const std::size_t grain : {0, 1, 7}) {
      const std::string found = map_reduce(
          {0, 500, grain}, std::string(),
          [](std::string& text, std::size_t index) {
            dawdle(index);
            text += std::to_string(index) + " ";
          },
          [](std::string& text, std::string&& part) { text += part; }, {.threads = threads});
      EXPECT_EQ(found, expected) << threads << " threads, grain " << grain;
    }
}

TEST(MapReduce, OfNothingIsTheInitialState) {
  for (const unsigned threads : kThreads)
    for (const IndexRange& range : {IndexRange{0, 0}, IndexRange{5, 5}, IndexRange{5, 3, 2}})
      EXPECT_EQ(map_reduce(
                    range, 7, [](int&, std::size_t) { FAIL(); }, [](int&, int) { FAIL(); },
                    {.threads = threads}),
                7);
}

/// The chunks that the indices 0 .. length - 1 are cut into: how many indices each has.
std::vector<std::size_t> chunks(std::size_t length, std::size_t grain, unsigned threads) {
  return map_reduce(
      {0, length, grain}, std::vector<std::size_t>(),
      [](std::vector<std::size_t>& sizes, std::size_t) {
        if (sizes.empty()) sizes.push_back(0);
        ++sizes[0];
      },
      [](std::vector<std::size_t>& all, const std::vector<std::size_t>& part) {
        all.insert(all.end(), part.begin(), part.end());
      },
      {.threads = threads});
}

TEST(MapReduce, HandsOutAsManyIndicesAsTheGrainSays) {
  EXPECT_EQ(chunks(10, 3, 2), (std::vector<std::size_t>{3, 3, 3, 1}));
  EXPECT_EQ(chunks(10, 10, 2), (std::vector<std::size_t>{10}));
  EXPECT_EQ(chunks(10, 11, 2), (std::vector<std::size_t>{10}));
  EXPECT_EQ(chunks(3, 1, 2), (std::vector<std::size_t>{1, 1, 1}));
}

TEST(MapReduce, TakesAnEnormousGrainForOneChunk) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(chunks(10, kMost, 2), (std::vector<std::size_t>{10}));
  EXPECT_EQ(chunks(10, kMost - 5, 2), (std::vector<std::size_t>{10}));
}

// Without a grain: at most 256 chunks, from the length alone.
TEST(MapReduce, CutsTheSameChunksForEveryNumberOfWorkers) {
  for (const std::size_t length : {1, 100, 256, 257, 1000, 10'007}) {
    const auto expected = chunks(length, 0, 1);
    EXPECT_LE(expected.size(), 256U);
    EXPECT_GE(expected.size(), std::min<std::size_t>(length, 100));
    for (const unsigned threads : kThreads) EXPECT_EQ(chunks(length, 0, threads), expected);
  }
}

TEST(MapReduce, WorksAtTheEndOfTheIndices) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t grain : {0, 1, 4, 100}) {
    const auto found = map_reduce(
        {kMost - 10, kMost, grain}, std::vector<std::size_t>(),
        [](std::vector<std::size_t>& all, std::size_t index) { all.push_back(kMost - index); },
        [](std::vector<std::size_t>& all, const std::vector<std::size_t>& part) {
          all.insert(all.end(), part.begin(), part.end());
        },
        {.threads = 2});
    EXPECT_EQ(found, (std::vector<std::size_t>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1})) << grain;
  }
}

/// A state with nothing but a copy constructor: no default, no assignment, no move.
struct Tally {
  explicit Tally(std::string title) : name(std::move(title)) {}
  Tally(const Tally&) = default;
  Tally& operator=(const Tally&) = delete;

  const std::string name;
  std::map<std::size_t, std::vector<std::string>> seen = {};
};

TEST(MapReduce, NeedsOnlyStatesThatCanBeCopied) {
  for (const unsigned threads : kThreads) {
    const Tally result = map_reduce(
        {0, 1000}, Tally("a name too long for the small string optimisation"),
        [](Tally& tally, std::size_t index) {
          tally.seen[index % 3].push_back(std::to_string(index));
        },
        [](Tally& all, Tally&& part) {
          for (auto& [key, values] : part.seen)
            all.seen[key].insert(all.seen[key].end(), values.begin(), values.end());
        },
        {.threads = threads});
    EXPECT_EQ(result.name, "a name too long for the small string optimisation");
    EXPECT_EQ(result.seen.at(0).size(), 334U);
    EXPECT_EQ(result.seen.at(1)[332], "997");
    EXPECT_EQ(result.seen.at(2).front(), "2");
  }
}

/// A body that can be neither copied nor moved, as large inputs should not be.
struct Immovable {
  Immovable() = default;
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
  void operator()(int& sum, std::size_t index) const { sum += static_cast<int>(index); }
};

TEST(MapReduce, CopiesNeitherBodyNorMerge) {
  const Immovable body;
  EXPECT_EQ(map_reduce({0, 100}, 0, body, [](int& all, int part) { all += part; }, {.threads = 2}),
            4950);
}

// A worker's number names a buffer that no other worker touches meanwhile.
TEST(MapReduce, GivesEveryWorkerANumberOfItsOwn) {
  for (const unsigned threads : kThreads) {
    std::vector<std::atomic<int>> busy(threads);
    std::atomic<int> clashes = 0;
    static_cast<void>(map_reduce(
        {0, 300, 1}, 0,
        [&](int&, std::size_t index, const execution::Worker& worker) {
          if (worker.index() >= threads || busy[worker.index()]++ != 0) ++clashes;
          dawdle(index);
          if (worker.index() < threads) --busy[worker.index()];
        },
        [](int&, int) {}, {.threads = threads}));
    EXPECT_EQ(clashes, 0);
  }
}

TEST(MapReduce, RunsInsideItself) {
  const std::size_t sum = map_reduce(
      {0, 20}, std::size_t{0},
      [](std::size_t& all, std::size_t i) {
        all += map_reduce(
            {0, i}, std::size_t{0}, [](std::size_t& inner, std::size_t j) { inner += j; },
            [](std::size_t& inner, std::size_t part) { inner += part; }, {.threads = 3});
      },
      [](std::size_t& all, std::size_t part) { all += part; }, {.threads = 3});
  EXPECT_EQ(sum, 1140U);
}

/// Counts the states alive.
struct Alive {
  static inline std::atomic<int> now = 0;
  static inline std::atomic<int> most = 0;

  Alive() { born(); }
  Alive(const Alive&) { born(); }
  Alive& operator=(const Alive&) = default;
  ~Alive() { --now; }

  static void born() {
    const int alive = ++now;
    int before = most;
    while (alive > before && !most.compare_exchange_weak(before, alive)) {
    }
  }
};

// "A few states per worker": also while the first chunk keeps all others waiting.
TEST(MapReduce, HoldsFewStatesThoughTheFirstChunkIsSlow) {
  constexpr unsigned kWorkers = 2;
  Alive::most = 0;
  static_cast<void>(map_reduce(
      {0, 256, 1}, Alive(),
      [](Alive&, std::size_t index) {
        if (index == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      },
      [](Alive&, Alive&&) {}, {.threads = kWorkers}));
  EXPECT_EQ(Alive::now, 0);
  EXPECT_LE(Alive::most, 10 * static_cast<int>(kWorkers));
}

TEST(RunChunks, HandsChunksOutInOrder) {
  std::vector<std::size_t> seen;
  execution::detail::run_chunks(
      100, 100, {.threads = 1},
      [&](const execution::Worker&, std::size_t chunk) { seen.push_back(chunk); });
  std::vector<std::size_t> expected(100);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(seen, expected);
}

}  // namespace map_reduce_test
}  // namespace bootfold
