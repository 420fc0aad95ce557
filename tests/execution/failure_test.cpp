// What ends the work early: an exception anywhere, or the caller's wish. It reaches the caller, the
// others stop soon, and no thread is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/map_reduce.h"

namespace bootfold {
namespace failure_test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// It takes milliseconds; a busy machine may take longer, and what hangs takes for ever.
constexpr auto kPatience = std::chrono::seconds(20);

constexpr unsigned kThreads[] = {1, 2, 7};

/// Threads of this process. One that has just been joined may still be seen for a moment.
std::size_t threads_alive(std::size_t at_most) {
  std::size_t alive = 0;
  for (int time = 0; time < 200; ++time) {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    alive = static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
    if (alive <= at_most) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return alive;
}

/// Threads when none is at work: this one, and what a sanitizer starts with the first other one.
std::size_t threads_at_rest() {
  std::jthread([] {}).join();
  std::this_thread::sleep_for(milliseconds(20));
  return threads_alive(~std::size_t{0});
}

struct Unlucky : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const auto kAdd = [](long& all, long part) { all += part; };

TEST(Failure, InABodyReachesTheCallerAndStopsTheRest) {
  const std::size_t before = threads_at_rest();
  for (const unsigned threads : kThreads) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    constexpr std::size_t kLength = 100'000;
    std::atomic<std::size_t> visited = 0;
    EXPECT_THAT(
        [&] {
          static_cast<void>(map_reduce({0, kLength}, 0L,
                                       [&](long&, std::size_t index) {
                                         ++visited;
                                         std::this_thread::sleep_for(std::chrono::microseconds(20));
                                         if (index == 20) throw Unlucky("index 20 is unlucky");
                                       },
                                       kAdd, {.threads = threads}));
        },
        testing::ThrowsMessage<Unlucky>(testing::StrEq("index 20 is unlucky")));
    EXPECT_LT(visited, kLength / 10);
    EXPECT_LE(threads_alive(before), before);
  }
}

TEST(Failure, OfManyWorkersAtOnceReachesTheCallerOnce) {
  const std::size_t before = threads_at_rest();
  for (int time = 0; time < 50; ++time)
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 1000, 1}, 0L,
                     [](long&, std::size_t index) { throw Unlucky(std::to_string(index)); }, kAdd,
                     {.threads = 7})),
                 Unlucky);
  EXPECT_LE(threads_alive(before), before);
}

TEST(Failure, OfAnyTypeIsPassedOn) {
  for (const unsigned threads : kThreads)
    EXPECT_THROW(static_cast<void>(map_reduce({0, 1000}, 0L,
                                              [](long&, std::size_t index) {
                                                if (index == 999) throw 42;
                                              },
                                              kAdd, {.threads = threads})),
                 int);
}

TEST(Failure, InAMergeReachesTheCaller) {
  for (const unsigned threads : kThreads)
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 1000}, 0L, [](long& sum, std::size_t) { ++sum; },
                     [](long& all, long part) {
                       all += part;
                       if (all > 100) throw Unlucky("merge");
                     },
                     {.threads = threads})),
                 Unlucky);
}

TEST(Failure, InTheProgressCallReachesTheCaller) {
  for (const unsigned threads : kThreads)
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 400, 1}, 0L,
                     [](long&, std::size_t) { std::this_thread::sleep_for(milliseconds(1)); }, kAdd,
                     {.threads = threads,
                      .progress = [](execution::Progress) { throw Unlucky("progress"); }})),
                 Unlucky);
}

struct FailingCopy {
  std::atomic<int>* copies;
  explicit FailingCopy(std::atomic<int>& counter) : copies(&counter) {}
  FailingCopy(const FailingCopy& other) : copies(other.copies) {
    if (++*copies > 20) throw Unlucky("copy");
  }
  FailingCopy& operator=(const FailingCopy&) = delete;
};

TEST(Failure, InCopyingTheInitialStateReachesTheCaller) {
  for (const unsigned threads : kThreads) {
    std::atomic<int> copies = 0;
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 200}, FailingCopy(copies), [](FailingCopy&, std::size_t) {},
                     [](FailingCopy&, FailingCopy&&) {}, {.threads = threads})),
                 Unlucky);
  }
}

// Workers that ran ahead wait for a slow chunk; if that one fails they wait no longer.
TEST(Failure, OfTheChunkThatOthersWaitForReleasesThem) {
  const std::size_t before = threads_at_rest();
  for (const unsigned threads : {2U, 7U}) {
    const auto start = steady_clock::now();
    EXPECT_THROW(static_cast<void>(map_reduce({0, 1000, 1}, 0L,
                                              [](long&, std::size_t index) {
                                                if (index != 0) return;
                                                std::this_thread::sleep_for(milliseconds(100));
                                                throw Unlucky("slow and unlucky");
                                              },
                                              kAdd, {.threads = threads})),
                 Unlucky);
    EXPECT_LT(steady_clock::now() - start, kPatience) << threads << " threads";
    EXPECT_LE(threads_alive(before), before);
  }
}

TEST(Failure, LeavesTheNextRunUntouched) {
  for (const unsigned threads : kThreads) {
    EXPECT_ANY_THROW(
        static_cast<void>(map_reduce({0, 10}, 0L, [](long&, std::size_t) { throw Unlucky("now"); },
                                     kAdd, {.threads = threads})));
    EXPECT_EQ(map_reduce({0, 10}, 0L, [](long& sum, std::size_t i) { sum += static_cast<long>(i); },
                         kAdd, {.threads = threads}),
              45);
  }
}

TEST(Failure, InvalidThreadCountIsReportedBeforeAnyWork) {
  EXPECT_THAT(
      [] {
        static_cast<void>(
            map_reduce({0, 10}, 0L, [](long&, std::size_t) { FAIL(); }, kAdd, {.threads = 1025}));
      },
      testing::ThrowsMessage<InvalidArgument>(
          testing::StrEq("threads is 1025 but can be at most 1024; 0 uses all cores")));
}

// More workers than chunks and than cores: only as many threads as there are chunks.
TEST(Failure, DoesNotOccurWithMoreWorkersThanChunks) {
  EXPECT_EQ(map_reduce({0, 3}, 0L, [](long& sum, std::size_t) { ++sum; }, kAdd, {.threads = 1024}),
            3);
  EXPECT_EQ(
      map_reduce({0, 300, 1}, 0L, [](long& sum, std::size_t) { ++sum; }, kAdd, {.threads = 300}),
      300);
}

TEST(Cancelling, BeforeTheStartDoesNoWork) {
  std::stop_source source;
  source.request_stop();
  for (const unsigned threads : kThreads)
    EXPECT_THAT(
        [&] {
          static_cast<void>(map_reduce({0, 100}, 0L, [](long&, std::size_t) { FAIL(); }, kAdd,
                                       {.threads = threads, .stop = source.get_token()}));
        },
        testing::ThrowsMessage<Cancelled>(testing::StrEq("cancelled before the work was done")));
}

// The indices would take an hour.
TEST(Cancelling, FromAnotherThreadEndsSoon) {
  const std::size_t before = threads_at_rest();
  for (const unsigned threads : kThreads) {
    std::stop_source source;
    steady_clock::time_point asked;
    std::jthread person([&] {
      std::this_thread::sleep_for(milliseconds(60));
      asked = steady_clock::now();
      source.request_stop();
    });
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 3'600'000}, 0L,
                     [](long&, std::size_t) { std::this_thread::sleep_for(milliseconds(1)); }, kAdd,
                     {.threads = threads, .stop = source.get_token()})),
                 Cancelled);
    const auto ended = steady_clock::now();
    person.join();
    EXPECT_LT(ended - asked, kPatience) << threads << " threads";
    EXPECT_LE(threads_alive(before), before);
  }
}

// One index may take long if it asks its worker now and then.
TEST(Cancelling, EndsALongIndexThatChecks) {
  for (const unsigned threads : kThreads) {
    std::stop_source source;
    std::jthread person([&] {
      std::this_thread::sleep_for(milliseconds(30));
      source.request_stop();
    });
    EXPECT_THROW(
        static_cast<void>(map_reduce({0, 4, 1}, 0L,
                                     [](long&, std::size_t, const execution::Worker& worker) {
                                       for (;;) {
                                         std::this_thread::sleep_for(milliseconds(1));
                                         worker.check();
                                       }
                                     },
                                     kAdd, {.threads = threads, .stop = source.get_token()})),
        Cancelled);
  }
}

TEST(Cancelling, EndsTheWaitingForASlowChunk) {
  std::stop_source source;
  std::jthread person([&] {
    std::this_thread::sleep_for(milliseconds(50));
    source.request_stop();
  });
  const auto start = steady_clock::now();
  EXPECT_THROW(
      static_cast<void>(map_reduce({0, 1000, 1}, 0L,
                                   [](long&, std::size_t index, const execution::Worker& worker) {
                                     while (index == 0) {
                                       std::this_thread::sleep_for(milliseconds(1));
                                       worker.check();
                                     }
                                   },
                                   kAdd, {.threads = 7, .stop = source.get_token()})),
      Cancelled);
  EXPECT_LT(steady_clock::now() - start, kPatience);
}

// A failure elsewhere ends long indices, too, and the failure is what the caller sees.
TEST(Cancelling, DoesNotHideAFailure) {
  EXPECT_THROW(
      static_cast<void>(map_reduce({0, 2, 1}, 0L,
                                   [](long&, std::size_t index, const execution::Worker& worker) {
                                     if (index == 1) throw Unlucky("one");
                                     for (;;) {
                                       std::this_thread::sleep_for(milliseconds(1));
                                       worker.check();
                                     }
                                   },
                                   kAdd, {.threads = 2})),
      Unlucky);
}

}  // namespace failure_test
}  // namespace bootfold
