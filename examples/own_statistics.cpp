// Three ways to write a statistic of your own, each as fast as its kind allows.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bootfold/bootfold.h"

namespace {

using namespace bootfold;

/// Geometric mean, row by row: rows come with the number of times they were drawn.
struct GeometricMean {
  double sum = 0;
  double rows = 0;

  void accumulate(double value, double weight) {
    sum += weight * std::log(value);
    rows += weight;
  }
  void merge(const GeometricMean& part) {
    sum += part.sum;
    rows += part.rows;
  }
  [[nodiscard]] double finish() const { return std::exp(sum / rows); }
};

void show(const char* what, const Result& result) {
  const auto [low, high] = interval::percentile(result).limits();
  std::printf("%-24s %8.4f   95%% interval %8.4f to %8.4f   path %s\n", what, result.estimate(),
              low, high, name(result.plan().path).data());
}

}  // namespace

int main() {
  random::Stream stream({.seed = 3});
  std::vector<double> sizes(20'000);
  for (double& size : sizes) size = std::exp(0.5 * random::normal(stream));
  const Options options{.replicates = 500, .seed = 7};

  // 1. A function of sums: features of a row, and what to make of their means. The fastest.
  const auto variation = statistic::sums(
      2,
      [](std::span<const double> row, std::span<double> features) {
        features[0] = row[0];
        features[1] = row[0] * row[0];
      },
      [](const statistic::Folded& f) {
        return std::sqrt(f.mean(1) - f.mean(0) * f.mean(0)) / f.mean(0);
      },
      "coefficient of variation");
  show("coefficient of variation", bootstrap(sizes, variation, options));

  // 2. An accumulator: a state that takes rows one by one and can be merged.
  show("geometric mean", bootstrap(sizes, statistic::accumulator(GeometricMean{}), options));

  // 3. Any function of the resample itself. This one does not depend on the order of the rows,
  // which makes it faster on large data.
  const auto range = statistic::callable(
      [](const statistic::Resample& resample) {
        const auto [low, high] = std::ranges::minmax(resample.column(0));
        return high - low;
      },
      "range", statistic::RowOrder::any);
  show("range", bootstrap(sizes, range, options));

  // All at once, over the same resamples.
  const Result both = bootstrap(sizes, {statistic::mean(), statistic::median()}, options);
  std::printf("mean and median: %.4f and %.4f\n", both.estimate(0), both.estimate(1));
  return 0;
}
