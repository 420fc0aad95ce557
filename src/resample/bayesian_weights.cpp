#include "resample/bayesian_weights.h"

#include <algorithm>
#include <array>

#include "resample/weights.h"

namespace bootfold::resample {

namespace {

void draw_weights(execution::Level level, std::uint64_t seed, std::uint64_t replicate,
                  std::span<double> weights, const execution::Worker& worker) {
  constexpr std::size_t kTile = 4096;
  BayesianWeights drawn(level, seed, replicate);
  std::array<std::uint32_t, kTile> tile;
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < weights.size(); row += kTile) {
    worker.check();
    const std::size_t size = std::min(kTile, weights.size() - row);
    drawn.next(size, tile.data());
    for (std::size_t i = 0; i < size; ++i) {
      sum += tile[i];
      weights[row + i] = tile[i];
    }
  }
  const double scale = static_cast<double>(weights.size()) / static_cast<double>(sum);
  for (double& weight : weights) weight *= scale;
}

}  // namespace

void bayesian_weights(execution::Level level, std::uint64_t seed, std::uint64_t first,
                      std::uint64_t rows, std::span<double> out, const Execution& execution) {
  if (out.empty()) return;
  execution::detail::run_chunks(out.size() / rows, static_cast<double>(out.size()), execution,
                                [&](const execution::Worker& worker, std::size_t replicate) {
                                  draw_weights(level, seed, first + replicate,
                                               out.subspan(replicate * rows, rows), worker);
                                  worker.advance(static_cast<double>(rows));
                                });
}

}  // namespace bootfold::resample
