#include "peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bootfold::bench {
namespace {

// Twelve sums in turn: more than latency times units, fewer than there are registers.
constexpr int kSums = 12;
constexpr std::uint64_t kRounds = 1'000'000;

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

Kernel widest() {
  if (__builtin_cpu_supports("avx512f")) return {run_avx512, 2.0 * 16 * kSums * kRounds};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {run_avx2, 2.0 * 8 * kSums * kRounds};
  return {};
}

#else

Kernel widest() { return {}; }

#endif

}  // namespace

double peak_flops(unsigned threads) {
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 10;
  const Kernel kernel = widest();
  if (kernel.run == nullptr) return 0;
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = Clock::now();
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
      workers.emplace_back([&] {
        for (int time = 0; time < kTimes; ++time) kernel.run();
      });
    for (std::thread& worker : workers) worker.join();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, kernel.flops * kTimes * threads / seconds);
  }
  return best;
}

}  // namespace bootfold::bench
