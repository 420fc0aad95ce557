// Inputs are shared: the peak memory of a process that folds 200 MB does not grow with its workers.
// Every measurement runs in a process of its own, because a peak never falls.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/map_reduce.h"

namespace bootfold {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

/// Most memory this process ever had resident, in bytes.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

/// Peak of a child that runs `work`; 0 if the work was wrong.
std::size_t peak_of(const std::function<bool()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    const bool right = work();
    const std::size_t peak = right ? peak_memory() : 0;
    const bool told = write(ends[1], &peak, sizeof peak) == sizeof peak;
    _exit(told ? 0 : 1);
  }
  std::size_t peak = 0;
  if (read(ends[0], &peak, sizeof peak) != sizeof peak) peak = 0;
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  return peak;
}

TEST(Memory, OfASharedInputDoesNotGrowWithTheWorkers) {
  constexpr std::size_t kBytes = 200 * kMegabyte;
  constexpr std::size_t kValues = kBytes / sizeof(double);
  const auto fold = [](unsigned threads) {
    return peak_of([=] {
      std::vector<double> values(kValues);
      std::iota(values.begin(), values.end(), 0.0);
      const double sum = map_reduce(
          {0, kValues / 1000}, 0.0,
          [&](double& part, std::size_t block) {
            for (std::size_t i = 0; i < 1000; ++i) part += values[block * 1000 + i];
          },
          [](double& all, double part) { all += part; }, {.threads = threads});
      return sum == 0.5 * static_cast<double>(kValues) * static_cast<double>(kValues - 1);
    });
  };
  const std::size_t nothing = peak_of([] { return true; });
  const std::size_t one = fold(1);
  ASSERT_GT(nothing, 0U);
  ASSERT_GE(one, kBytes);
  EXPECT_LE(one, kBytes + nothing + 2 * kMegabyte);
  for (const unsigned threads : {2U, 7U}) {
    const std::size_t more = fold(threads);
    EXPECT_GE(more, kBytes) << threads << " threads";
    EXPECT_LE(more, one + 4 * kMegabyte) << threads << " threads";
  }
}

// States of 8 MB in 200 chunks: only a few are alive at a time.
TEST(Memory, OfLargeStatesIsAFewPerWorker) {
  constexpr std::size_t kState = 8 * kMegabyte;
  const std::size_t nothing = peak_of([] { return true; });
  for (const unsigned threads : {1U, 2U, 7U}) {
    const std::size_t peak = peak_of([=] {
      const auto sums = map_reduce(
          {0, 200, 1}, std::vector<double>(kState / sizeof(double)),
          [](std::vector<double>& sum, std::size_t index) { sum[index] = 1; },
          [](std::vector<double>& all, const std::vector<double>& part) {
            for (std::size_t i = 0; i < 200; ++i) all[i] += part[i];
          },
          {.threads = threads});
      return std::accumulate(sums.begin(), sums.end(), 0.0) == 200;
    });
    ASSERT_GT(peak, 0U);
    EXPECT_LE(peak, nothing + (2 + 8 * threads) * kState) << threads << " threads";
  }
}

}  // namespace
}  // namespace bootfold
