// Progress is told one call at a time, never goes back, and ends with everything done.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/map_reduce.h"

namespace bootfold {
namespace progress_test {

constexpr unsigned kThreads[] = {1, 2, 7};

/// Keeps what was told and whether two calls ever overlapped.
struct Listener {
  std::chrono::milliseconds duration{2};  // of a call
  std::vector<execution::Progress> told;  // no lock: calls come one at a time
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;

  [[nodiscard]] auto callback() {
    return [this](execution::Progress progress) {
      if (++inside != 1) ++overlaps;
      std::this_thread::sleep_for(duration);
      told.push_back(progress);
      --inside;
    };
  }

  void expect_orderly(double total) const {
    EXPECT_EQ(overlaps, 0);
    ASSERT_FALSE(told.empty());
    double before = 0;
    for (const auto& progress : told) {
      EXPECT_GE(progress.done, before);
      EXPECT_LE(progress.done, total);
      EXPECT_EQ(progress.total, total);
      before = progress.done;
    }
    EXPECT_EQ(told.back().done, total);
  }
};

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

TEST(Progress, OfIndicesIsOrderlyAndEndsWithAll) {
  for (const unsigned threads : kThreads) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    Listener listener;
    const std::size_t length = 350 * threads;
    static_cast<void>(map_reduce(
        {0, length, 1}, 0, [](int&, std::size_t) { nap(); }, [](int&, int) {},
        {.threads = threads, .progress = listener.callback()}));
    listener.expect_orderly(static_cast<double>(length));
    EXPECT_GE(listener.told.size(), 3U) << "a third of a second, every tenth of one";
  }
}

// Calls that take longer than the time between them: nobody else calls meanwhile, and there is a
// tenth of a second of work after each. Here that makes a few calls, not one for each of sixty
// indices.
TEST(Progress, WaitsForASlowListenerAndThenWorksOn) {
  Listener listener;
  listener.duration = std::chrono::milliseconds(150);
  static_cast<void>(map_reduce(
      {0, 60, 1}, 0,
      [](int&, std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); },
      [](int&, int) {}, {.threads = 2, .progress = listener.callback()}));
  listener.expect_orderly(60);
  EXPECT_GE(listener.told.size(), 2U);
  EXPECT_LE(listener.told.size(), 12U);
}

// With a total of its own the body says how far it came.
TEST(Progress, InTheBodysOwnUnitsIsOrderlyAndEndsWithAll) {
  for (const unsigned threads : kThreads) {
    Listener listener;
    static_cast<void>(map_reduce(
        {0, 300, 1}, 0,
        [](int&, std::size_t, const execution::Worker& worker) {
          nap();
          worker.advance(2.5);
        },
        [](int&, int) {}, {.threads = threads, .progress = listener.callback()}, 750));
    listener.expect_orderly(750);
  }
}

// Void attempts of path `stream` are done again and count again; the share done stays a share.
TEST(Progress, NeverPassesTheTotalThoughWorkIsDoneTwice) {
  Listener listener;
  static_cast<void>(map_reduce(
      {0, 300, 1}, 0,
      [](int&, std::size_t, const execution::Worker& worker) {
        nap();
        worker.advance(5);
      },
      [](int&, int) {}, {.threads = 1, .progress = listener.callback()}, 750));
  listener.expect_orderly(750);
}

TEST(Progress, OfShortWorkIsReportedAtTheEnd) {
  Listener listener;
  static_cast<void>(map_reduce(
      {0, 3}, 0, [](int&, std::size_t) {}, [](int&, int) {},
      {.threads = 2, .progress = listener.callback()}));
  ASSERT_EQ(listener.told.size(), 1U);
  listener.expect_orderly(3);
}

TEST(Progress, IsNotFinishedByFailuresAndCancelling) {
  Listener listener;
  EXPECT_ANY_THROW(static_cast<void>(map_reduce(
      {0, 100}, 0, [](int&, std::size_t) { throw InvalidArgument("no"); }, [](int&, int) {},
      {.threads = 2, .progress = listener.callback()})));
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(static_cast<void>(map_reduce(
                   {0, 100}, 0, [](int&, std::size_t) {}, [](int&, int) {},
                   {.threads = 2, .stop = source.get_token(), .progress = listener.callback()})),
               Cancelled);
  for (const auto& progress : listener.told) EXPECT_LT(progress.done, progress.total);
}

// The one who watches may stop the work.
TEST(Progress, CallbackCanCancel) {
  for (const unsigned threads : kThreads) {
    std::stop_source source;
    EXPECT_THROW(static_cast<void>(map_reduce(
                     {0, 3'600'000}, 0, [](int&, std::size_t) { nap(); }, [](int&, int) {},
                     {.threads = threads,
                      .stop = source.get_token(),
                      .progress = [&](execution::Progress) { source.request_stop(); }})),
                 Cancelled);
  }
}

}  // namespace progress_test
}  // namespace bootfold
