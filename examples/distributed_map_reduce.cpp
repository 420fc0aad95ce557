// map_reduce over the processes of a group: mpirun -n 4 example_distributed_map_reduce. Without
// mpirun the group is one process, and the result is the same.
#include <array>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "bootfold/distributed/group.h"
#include "bootfold/distributed/map_reduce.h"

int main() {
  return bootfold::distributed::run([](const bootfold::distributed::Group& group) {
    std::array<std::array<double, 10>, 8> matrix{};
    for (std::size_t row = 0; row < 8; ++row)
      std::iota(matrix[row].begin(), matrix[row].end(), 10.0 * static_cast<double>(row));

    const double total = bootfold::map_reduce(
        {0, 8}, 0.0,
        [&](double& sum, std::size_t row) {
          for (const double x : matrix[row]) sum += x * x;
        },
        [](double& sum, double part) { sum += part; }, group);

    if (group.rank() == 0) std::printf("%d processes: %.0f\n", group.size(), total);
    if (total != 167'480) throw std::runtime_error("the sum of squares is wrong");
  });
}
