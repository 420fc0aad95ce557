// Rates of single kernels (Google Benchmark): where the time of the paths goes.
//
//     build/release/bench/kernel_bench --benchmark_filter=counts
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "bootfold/bootfold.h"
#include "random/counter.h"
#include "resample/counts.h"
#include "resample/rows.h"
#include "study/simd/kernels.h"

namespace {

using namespace bootfold;
using random::simd::LaneState;

constexpr std::size_t kRows = resample::simd::kCountTile;

void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

void counts(benchmark::State& state, execution::Level level) {
  resample::CountLaws laws;
  const std::uint64_t rows = resample::kSuperBlockRows;
  const resample::TileLaws own = laws(resample::count_mean(rows, rows), rows);
  std::vector<std::uint8_t> drawn(kRows + 64);
  const auto replaced = std::make_unique<resample::simd::Replaced>();
  LaneState lanes;
  random::simd::kernels(level).seed(random::lane_counter({7, 1}, 0), lanes);
  for (auto _ : state)
    benchmark::DoNotOptimize(resample::simd::kernels(level).counts(lanes, own.all->table(), kRows,
                                                                   drawn.data(), *replaced));
  count_items(state, kRows);
}

void seed(benchmark::State& state, execution::Level level) {
  LaneState lanes;
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    random::simd::kernels(level).seed(random::lane_counter({7, ++replicate}, 0), lanes);
    benchmark::DoNotOptimize(lanes);
  }
  count_items(state, 1);
}

void dot(benchmark::State& state, execution::Level level) {
  const auto planes = static_cast<std::size_t>(state.range(0));
  const std::vector<std::uint8_t> drawn(4 * kRows, 1);
  const std::vector<std::int8_t> digits(planes * kRows, 3);
  std::vector<std::int64_t> sums(4 * planes);
  std::vector<std::uint64_t> totals(4);
  for (auto _ : state) {
    study::simd::kernels(level).dot(drawn.data(), kRows, 4, digits.data(), kRows, planes, kRows,
                                    sums.data(), totals.data());
    benchmark::DoNotOptimize(sums.data());
  }
  count_items(state, 4 * kRows);
}

void quantize_and_split(benchmark::State& state, execution::Level level) {
  const std::vector<double> values(kRows, 1.5);
  std::vector<std::int64_t> integers(kRows);
  std::vector<std::int8_t> planes(4 * kRows);
  for (auto _ : state) {
    study::simd::kernels(level).quantize(values.data(), kRows, {0.1, 1e6, 1}, integers.data());
    study::simd::kernels(level).split(integers.data(), kRows, 4, planes.data(), kRows);
    benchmark::DoNotOptimize(planes.data());
  }
  count_items(state, kRows);
}

void gather(benchmark::State& state, execution::Level level) {
  const auto rows = static_cast<std::uint32_t>(state.range(0));
  const std::vector<std::int64_t> feature(rows, 5);
  std::vector<std::int64_t> sums(16);
  std::vector<std::uint32_t> rejected(2048);
  LaneState lanes;
  random::simd::kernels(level).seed(random::lane_counter({7, 1}, 0), lanes);
  for (auto _ : state) {
    std::size_t rejections = 0;
    study::simd::kernels(level).gather(lanes, resample::row_draw(rows), 64, 16, feature.data(),
                                       rows, 1, sums.data(), rejected.data(), rejections);
    benchmark::DoNotOptimize(sums.data());
  }
  count_items(state, 1024);
}

}  // namespace

int main(int count, char** words) {
  for (const auto level : execution::available_levels()) {
    const std::string name(execution::name(level));
    benchmark::RegisterBenchmark(("counts/" + name).c_str(), counts, level);
    benchmark::RegisterBenchmark(("seed/" + name).c_str(), seed, level);
    benchmark::RegisterBenchmark(("dot/" + name).c_str(), dot, level)
        ->Arg(1)
        ->Arg(4)
        ->Arg(7)
        ->Arg(28);
    benchmark::RegisterBenchmark(("quantize_and_split/" + name).c_str(), quantize_and_split, level);
    benchmark::RegisterBenchmark(("gather/" + name).c_str(), gather, level)->Arg(15)->Arg(1000);
  }
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
