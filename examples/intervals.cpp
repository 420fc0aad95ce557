// Every interval of one run, at two confidences, and as many replicates as it takes.
#include <bootfold/bootfold.h>

#include <iostream>

int main() {
  using namespace bootfold;
  const std::vector<double> prices = {10, 12, 12.5, 12.5, 13.9, 15,  21,  22,
                                      23, 34, 50,   81,   89,   121, 134, 213};
  // BCa and ABC need what one row does, studentized a standard error on every resample.
  const Result result =
      bootstrap(prices, statistic::mean(),
                {.replicates = 20'000, .seed = 7, .influence = true, .standard_errors = true});
  for (const double confidence : {0.95, 0.9})
    for (const Interval& each : interval::all(result, {.confidence = confidence}))
      std::cout << 100 * confidence << "% " << each.method << ": " << each.low << " to "
                << each.high << " (Monte Carlo errors " << each.low_error << ", " << each.high_error
                << ")\n";

  const Reached reached = bootstrap_to_precision(
      prices, statistic::mean(), {.precision = 0.02, .method = interval::Method::bca});
  const Interval bca = interval::bca(reached.result);
  std::cout << "BCa to 2 % of a standard error: " << bca.low << " to " << bca.high << " after "
            << reached.result.plan().replicates << " replicates\n";
  return reached.met && bca.low < bca.high ? 0 : 1;
}
