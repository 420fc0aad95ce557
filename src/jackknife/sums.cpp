// Functions of sums without one row, for all rows in one pass.
//
// The means without row i are m + h (m - f_i) with h = 1 / (n - 1): no sum is made anew. Among very
// many rows one changes so little that rounding would show, so h is then 2^-20: the same derivative
// up to a relative 1e-6.
#include "jackknife/sums.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bootfold::jackknife {

std::vector<double> at_means(const Task& task, double rows, bool relative) {
  std::vector<double> values(task.outputs);
  ShiftedMeans shifted(task, rows, relative);
  for_each_part(task, [&](const study::Part& part) {
    shifted.at_means(part, std::span(values).subspan(part.first_output, part.outputs()));
  });
  return values;
}

Deletions::Deletions(const Task& task)
    : task_(task),
      rows_(static_cast<double>(task.study.rows())),
      exact_((rows_ - 1) * kLeastStep <= 1),
      step_(exact_ ? 1 / std::max(rows_ - 1, 1.0) : kLeastStep),
      whole_(at_means(task, rows_)),
      fewer_(at_means(task, rows_ - 1)),
      near_(at_means(task, rows_ - 1, true)),
      heavy_(task) {}

void Deletions::see(const FeatureTile& tile, std::vector<numeric::Moments>& found) const {
  ShiftedMeans shifted(task_, rows_ - 1, true);
  const std::size_t rows = tile.rows;
  std::vector<double> values;
  std::vector<double> changes;  // [output][row]
  for_each_part(task_, [&](const study::Part& part) {
    values.resize(part.outputs());
    changes.resize(part.outputs() * rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<const double> others = heavy_.means_without(tile.first + i);
      if (others.empty() || !exact_) {
        shifted.at(part, tile.values + i, tile.stride, nullptr, -step_, values);
      } else {
        shifted.at(part, others, values);
      }
      for (std::size_t k = 0; k < values.size(); ++k)
        changes[k * rows + i] = (near_[part.first_output + k] - values[k]) / step_;
    }
    for (std::size_t k = 0; k < values.size(); ++k)
      found[part.first_output + k].add({changes.data() + k * rows, rows});
  });
}

void Deletions::conclude(std::span<const numeric::Moments> moments,
                         std::span<Influence> influences) const {
  const double n = rows_;
  for_each_part(task_, [&](const study::Part& part) {
    for (std::size_t k = part.first_output; k < part.first_output + part.outputs(); ++k) {
      Influence& found = influences[k];
      found.method = exact_ ? "downdated sums" : "downdated sums, steps of 2^-20";
      found.rows = n;
      found.estimate = whole_[k];
      // A step s moves the mean of all values by s^2 / 2 times their mean curvature.
      if (n > 1)
        found.shift = -moments[k].mean() / (step_ * (n - 1) * (n - 1)) + (fewer_[k] - whole_[k]);
      found.mean = found.estimate + found.shift;
      jackknife::conclude(Spread(moments[k]), found);
    }
  });
}

void study_sums(const Task& task, const SumsRequest& request) {
  struct State {
    std::vector<numeric::Moments> deletions;
    std::vector<Derivatives> derivatives;
  };
  std::optional<Deletions> deletions;
  std::optional<Differentiation> differentiation;
  State init;
  if (!request.deletions.empty()) {
    deletions.emplace(task);
    init.deletions.resize(task.outputs);
  }
  if (!request.derivatives.empty()) {
    differentiation.emplace(task);
    init.derivatives = differentiation->nothing();
  }
  const State all = over_tiles(
      task, init,
      [&](State& state, const FeatureTile& tile) {
        if (deletions) deletions->see(tile, state.deletions);
        if (differentiation) differentiation->see(tile, state.derivatives);
      },
      [](State& total, State&& part) {
        for (std::size_t k = 0; k < total.deletions.size(); ++k)
          total.deletions[k].merge(part.deletions[k]);
        for (std::size_t k = 0; k < total.derivatives.size(); ++k)
          total.derivatives[k].merge(part.derivatives[k]);
      });
  if (deletions) deletions->conclude(all.deletions, request.deletions);
  if (differentiation)
    differentiation->conclude(all.derivatives, request.draws, request.derivatives, request.curves);
}

std::vector<double> changes_of_sums(const Task& task, std::size_t first, std::size_t last) {
  const std::uint64_t all = task.study.rows();
  const auto n = static_cast<double>(all);
  const std::vector<double> fewer = at_means(task, n - 1, true);
  std::vector<double> changes((last - first) * all);
  struct Nothing {};
  static_cast<void>(over_tiles(
      task, Nothing{},
      [&](Nothing&, const FeatureTile& tile) {
        ShiftedMeans shifted(task, n - 1, true);
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
            shifted.at(part, tile.values + i, tile.stride, task.measure.centre(row), -step, values);
            for (std::size_t k = from; k < to; ++k)
              changes[(k - first) * all + row] = (fewer[k] - values[k - part.first_output]) / step;
          }
        });
      },
      [](Nothing&, Nothing&&) {}));
  return changes;
}

}  // namespace bootfold::jackknife
