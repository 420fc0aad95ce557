// Functions of sums without one row, for all rows in one pass.
//
// The means without row i are m + h (m - f_i) with h = 1 / (n - 1): no sum is made anew. Among very
// many rows one changes so little that rounding would show, so h is then 2^-20: the same derivative
// up to a relative 1e-6.
#include <algorithm>
#include <cmath>

#include "influence/deletion.h"
#include "influence/moments.h"
#include "influence/mover.h"

namespace bootfold::deletion {

void delete_from_sums(const Task& task, std::span<Influence> influences) {
  constexpr double kLeastStep = 0x1p-20;
  const auto n = static_cast<double>(task.problem.data.rows());
  const bool exact = (n - 1) * kLeastStep <= 1;
  const double step = exact ? 1 / std::max(n - 1, 1.0) : kLeastStep;
  const std::vector<double> whole = at_means(task, n);
  const std::vector<double> fewer = at_means(task, n - 1);  // the same means of one row less
  const auto moments = over_tiles(
      task, n - 1, std::vector<Moments>(task.outputs),
      [&](std::vector<Moments>& found, Mover& mover, const double* features, std::size_t stride,
          std::size_t rows) {
        std::vector<double> values;
        std::vector<double> changes;  // [output][row]
        for_each_part(task, [&](const planning::Part& part) {
          values.resize(part.outputs());
          changes.resize(part.outputs() * rows);
          for (std::size_t i = 0; i < rows; ++i) {
            mover.at(part, features + i, stride, -step, values);
            for (std::size_t k = 0; k < values.size(); ++k)
              changes[k * rows + i] = (fewer[part.first_output + k] - values[k]) / step;
          }
          for (std::size_t k = 0; k < values.size(); ++k)
            found[part.first_output + k].add({changes.data() + k * rows, rows});
        });
      },
      [](std::vector<Moments>& all, std::vector<Moments>&& part) {
        for (std::size_t k = 0; k < all.size(); ++k) all[k].merge(part[k]);
      });
  for_each_part(task, [&](const planning::Part& part) {
    for (std::size_t k = part.first_output; k < part.first_output + part.outputs(); ++k) {
      Influence& found = influences[k];
      found.method = exact ? "downdated sums" : "downdated sums, steps of 2^-20";
      found.rows = n;
      found.estimate = whole[k];
      // A step s moves the mean of all values by s^2 / 2 times their mean curvature.
      if (n > 1)
        found.shift = -moments[k].mean() / (step * (n - 1) * (n - 1)) + (fewer[k] - whole[k]);
      found.mean = found.estimate + found.shift;
      conclude(moments[k], found);
    }
  });
}

}  // namespace bootfold::deletion
