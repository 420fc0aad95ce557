// The mean of half a million numbers: estimate, standard error, interval, and how it was done.
#include <cstdio>
#include <vector>

#include "bootfold/bootfold.h"

int main() {
  using namespace bootfold;

  random::Stream stream({.seed = 1});
  std::vector<double> prices(500'000);
  for (double& price : prices) price = 100 + 15 * random::normal(stream);

  const Result result = bootstrap(prices, statistic::mean(), {.replicates = 1000, .seed = 7});
  const auto [low, high] = interval::percentile(result, {.confidence = 0.95}).limits();

  std::printf("mean %.4f, standard error %.4f, 95%% interval %.4f to %.4f\n", result.estimate(),
              result.standard_error(), low, high);
  std::printf("%s", result.plan().explain().c_str());

  // The standard error of a mean is known: 15 / sqrt(500000). Exit 1 if the bootstrap disagrees.
  const double expected = 0.0212;
  return result.standard_error() > 0.85 * expected && result.standard_error() < 1.15 * expected ? 0
                                                                                                : 1;
}
