// A run can be stopped within a second and reports its progress.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bootfold/error.h"
#include "cpu_time.h"
#include "statistic/reference.h"

namespace bootfold {
namespace cancel_test {

struct Sum {
  double sum = 0;
  void accumulate(double value, double weight) { sum += value * weight; }
  void merge(const Sum& part) { sum += part.sum; }
  [[nodiscard]] double finish() const { return sum; }
};

struct Job {
  std::string name;
  std::vector<double> data;
  Statistic statistic;
  std::optional<Path> path;
  std::uint64_t replicates;
};

/// Work for many seconds on every path.
std::vector<Job> jobs() {
  std::vector<double> few = reference::uniforms(100'000, 1);
  for (double& value : few) value = std::floor(1000 * value);
  return {
      {"stream, few rows", reference::normals(3000, 1), statistic::mean(), Path::stream, 9'000'000},
      {"stream, many rows", reference::normals(500'000, 1), statistic::variance(), Path::stream,
       500'000},
      {"gather, short", reference::normals(200, 1), statistic::variance(), Path::gather, 9'000'000},
      {"gather, long", reference::normals(100'000, 1), statistic::mean(), Path::gather, 500'000},
      {"distinct", few, statistic::mean(), Path::distinct, 1'000'000},
      {"order", reference::normals(999, 1), statistic::interquartile_range(), Path::order,
       9'000'000},
      {"accumulator", reference::normals(100'000, 1), statistic::accumulator(Sum{}), Path::stream,
       500'000},
      {"callable", reference::normals(100'000, 1),
       statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; }),
       std::nullopt, 500'000},
  };
}

TEST(Cancel, EveryPathStopsWithinASecond) {
  for (const Job& job : jobs())
    for (const unsigned threads : {1U, 2U}) {
      SCOPED_TRACE(testing::Message() << job.name << ", " << threads << " threads");
      std::stop_source source;
      Options options{.replicates = job.replicates};
      options.path = job.path;
      options.execution.threads = threads;
      options.execution.stop = source.get_token();
      double asked = 0;
      std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        asked = cpu_seconds();
        source.request_stop();
      });
      EXPECT_THROW(static_cast<void>(bootstrap(job.data, job.statistic, options)), Cancelled);
      const double ended = cpu_seconds();
      stopper.join();
      EXPECT_LT(ended - asked, 1.0 * threads);
    }
}

TEST(Cancel, BeforeTheStart) {
  std::stop_source source;
  source.request_stop();
  for (const Job& job : jobs()) {
    SCOPED_TRACE(job.name);
    Options options{.replicates = 1000};
    options.path = job.path;
    options.execution.stop = source.get_token();
    bool told = false;
    options.execution.progress = [&](execution::Progress) { told = true; };
    EXPECT_THROW(static_cast<void>(bootstrap(job.data, job.statistic, options)), Cancelled);
    EXPECT_THROW(static_cast<void>(plan(job.data, job.statistic, options)), Cancelled);
    EXPECT_FALSE(told);
  }
}

TEST(Progress, OnlyGrowsAndEndsAtTheTotal) {
  for (const Job& job : jobs()) {
    SCOPED_TRACE(job.name);
    const auto rows = static_cast<double>(job.data.size());
    Options options{
        .replicates = std::max<std::uint64_t>(
            100, std::min(job.replicates, std::uint64_t{60'000'000} / job.data.size()))};
    options.path = job.path;
    std::vector<execution::Progress> told;
    std::atomic<int> inside = 0;
    options.execution.progress = [&](execution::Progress progress) {
      EXPECT_EQ(++inside, 1);  // one call at a time
      told.push_back(progress);
      --inside;
    };
    static_cast<void>(bootstrap(job.data, job.statistic, options));
    ASSERT_FALSE(told.empty());
    double last = 0;
    for (const execution::Progress& progress : told) {
      EXPECT_GE(progress.done, last);
      EXPECT_LE(progress.done, progress.total);
      EXPECT_EQ(progress.total, rows * static_cast<double>(options.replicates));
      last = progress.done;
    }
    EXPECT_EQ(last, told.back().total);
  }
}

TEST(Progress, AnExceptionOfTheCallbackReachesTheCaller) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    Options options{.replicates = 100'000};
    options.execution.threads = threads;
    options.execution.progress = [](execution::Progress) { throw std::out_of_range("told"); };
    EXPECT_THROW(
        static_cast<void>(bootstrap(reference::normals(300, 1), statistic::mean(), options)),
        std::out_of_range);
  }
}

}  // namespace cancel_test
}  // namespace bootfold
