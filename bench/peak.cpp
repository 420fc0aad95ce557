#include "peak.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bootfold::bench {
namespace {

// Twelve sums in turn: more than latency times units, fewer than there are registers.
constexpr int kSums = 12;
constexpr std::uint64_t kRounds = 200'000;

std::atomic<float> sink;  // what the sums come to, so that they are made

struct Kernel {
  void (*run)() = nullptr;
  double flops = 0;
};

#if defined(__x86_64__)

__attribute__((target("avx512f"))) void run_avx512() {
  __m512 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999F);
  const __m512 term = _mm512_set1_ps(0.001F);
  for (std::uint64_t round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, term);
  float total = 0;
  for (int i = 0; i < kSums; ++i) total += _mm512_cvtss_f32(sums[i]);
  sink = total;
}

__attribute__((target("avx2,fma"))) void run_avx2() {
  __m256 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999F);
  const __m256 term = _mm256_set1_ps(0.001F);
  for (std::uint64_t round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
  float total = 0;
  for (int i = 0; i < kSums; ++i) total += _mm256_cvtss_f32(sums[i]);
  sink = total;
}

Kernel kernel_of(execution::Level level) {
  if (level == execution::Level::avx512) return {run_avx512, 2.0 * 16 * kSums * kRounds};
  if (level == execution::Level::avx2) return {run_avx2, 2.0 * 8 * kSums * kRounds};
  return {};
}

#else

Kernel kernel_of(execution::Level) { return {}; }

#endif

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double peak_flops(execution::Level level, unsigned threads) {
  constexpr int kAttempts = 8;
  const Kernel kernel = kernel_of(level);
  if (kernel.run == nullptr) return 0;
  double sum = 0;
  std::mutex adding;
  {
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t)
      workers.emplace_back([&] {
        double best = 1e300;
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
          const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
          kernel.run();
          best = std::min(best, seconds_of(CLOCK_THREAD_CPUTIME_ID) - start);
        }
        const std::scoped_lock lock(adding);
        sum += kernel.flops / best;
      });
  }
  return sum;
}

double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace bootfold::bench
