// Functions of sums without one row, for all rows in one pass.
//
// The means without row i are m + h (m - f_i) with h = 1 / (n - 1): no sum is made anew. Among very
// many rows one changes so little that rounding would show, so h is then 2^-20: the same derivative
// up to a relative 1e-6.
#include <algorithm>
#include <cmath>

#include "jackknife/heavy_rows.h"
#include "jackknife/influence.h"
#include "jackknife/shifted_means.h"
#include "numeric/moments.h"

namespace bootfold::jackknife {

namespace {

constexpr double kLeastStep = 0x1p-20;

}  // namespace

std::vector<double> at_means(const Task& task, double rows) {
  std::vector<double> values(task.outputs);
  Mover mover(task, rows);
  for_each_part(task, [&](const study::Part& part) {
    mover.at_means(part, std::span(values).subspan(part.first_output, part.outputs()));
  });
  return values;
}

void delete_from_sums(const Task& task, std::span<Influence> influences) {
  const auto n = static_cast<double>(task.problem.data.rows());
  const bool exact = (n - 1) * kLeastStep <= 1;
  const double step = exact ? 1 / std::max(n - 1, 1.0) : kLeastStep;
  const std::vector<double> whole = at_means(task, n);
  const std::vector<double> fewer = at_means(task, n - 1);  // the same means of one row less
  const HeavyRows heavy(task);
  const auto moments = over_tiles(
      task, n - 1, std::vector<numeric::Moments>(task.outputs),
      [&](std::vector<numeric::Moments>& found, Mover& mover, const FeatureTile& tile) {
        const std::size_t rows = tile.rows;
        std::vector<double> values;
        std::vector<double> changes;  // [output][row]
        for_each_part(task, [&](const study::Part& part) {
          values.resize(part.outputs());
          changes.resize(part.outputs() * rows);
          for (std::size_t i = 0; i < rows; ++i) {
            const std::span<const double> others = heavy.means_without(tile.first + i);
            if (others.empty() || !exact) {
              mover.at(part, tile.values + i, tile.stride, nullptr, -step, values);
            } else {
              mover.at(part, others, values);
            }
            for (std::size_t k = 0; k < values.size(); ++k)
              changes[k * rows + i] = (fewer[part.first_output + k] - values[k]) / step;
          }
          for (std::size_t k = 0; k < values.size(); ++k)
            found[part.first_output + k].add({changes.data() + k * rows, rows});
        });
      },
      [](std::vector<numeric::Moments>& all, std::vector<numeric::Moments>&& part) {
        for (std::size_t k = 0; k < all.size(); ++k) all[k].merge(part[k]);
      });
  for_each_part(task, [&](const study::Part& part) {
    for (std::size_t k = part.first_output; k < part.first_output + part.outputs(); ++k) {
      Influence& found = influences[k];
      found.method = exact ? "downdated sums" : "downdated sums, steps of 2^-20";
      found.rows = n;
      found.estimate = whole[k];
      // A step s moves the mean of all values by s^2 / 2 times their mean curvature.
      if (n > 1)
        found.shift = -moments[k].mean() / (step * (n - 1) * (n - 1)) + (fewer[k] - whole[k]);
      found.mean = found.estimate + found.shift;
      conclude(Spread(moments[k]), found);
    }
  });
}

std::vector<double> changes_of_sums(const Task& task, std::size_t first, std::size_t last) {
  const std::uint64_t all = task.problem.data.rows();
  const auto n = static_cast<double>(all);
  const std::vector<double> fewer = at_means(task, n - 1);
  std::vector<double> changes((last - first) * all);
  struct Nothing {};
  static_cast<void>(over_tiles(
      task, n - 1, Nothing{},
      [&](Nothing&, Mover& mover, const FeatureTile& tile) {
        std::vector<double> values;
        for_each_part(task, [&](const study::Part& part) {
          const std::size_t from = std::max(first, part.first_output);
          const std::size_t to = std::min(last, part.first_output + part.outputs());
          if (from >= to) return;
          values.resize(part.outputs());
          for (std::size_t i = 0; i < tile.rows; ++i) {
            const std::uint64_t row = tile.first + i;
            const double deletion = task.measure.deletion(row);
            if (deletion == 0) continue;  // it is alone, or never drawn
            const double step = std::max(deletion, kLeastStep);
            mover.at(part, tile.values + i, tile.stride, task.measure.centre(row), -step, values);
            for (std::size_t k = from; k < to; ++k)
              changes[(k - first) * all + row] = (fewer[k] - values[k - part.first_output]) / step;
          }
        });
      },
      [](Nothing&, Nothing&&) {}));
  return changes;
}

}  // namespace bootfold::jackknife
