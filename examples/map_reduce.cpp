// map_reduce by itself: workers share the input, fold their share of the indices, and the result
// does not depend on how many they are.
#include "bootfold/map_reduce.h"

#include <array>
#include <cstdio>
#include <numeric>

#include "bootfold/bootfold.h"

int main() {
  std::array<std::array<double, 10>, 8> matrix{};
  for (std::size_t row = 0; row < 8; ++row)
    std::iota(matrix[row].begin(), matrix[row].end(), 10.0 * static_cast<double>(row));

  for (const unsigned threads : {1U, 2U, 4U, 7U}) {
    const double total = bootfold::map_reduce(
        {0, 8}, 0.0,
        [&](double& sum, std::size_t row) {
          for (const double x : matrix[row]) sum += x * x;
        },
        [](double& sum, double part) { sum += part; }, {.threads = threads});
    std::printf("%u workers: %.0f\n", threads, total);
    if (total != 167'480) return 1;
  }
  return 0;
}
