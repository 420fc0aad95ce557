// A function of sums in every group: the features of its rows, each group with a centre and scale
// of its own, and what their means make.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "bootfold/compare.h"
#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/statistic.h"

namespace bootfold::comparison {

/// (group - control), or that over |control|; NaN where there is none: the control is 0, or one of
/// the two is not a number.
[[nodiscard]] double difference_of(double group, double control, Difference kind);

/// values[groups ..]: the differences of values[1 ..] from values[0].
void add_differences(std::span<double> values, std::size_t groups, Difference kind);

/// Centre and scale of every column. One read of the rows. Throws DataError for values that are not
/// finite, and Cancelled.
[[nodiscard]] std::vector<statistic::Scale> scales_of(const DataView& rows,
                                                      const Statistic& statistic,
                                                      const Execution& execution);

class GroupSums {
 public:
  /// `scales`: of every group and column.
  GroupSums(statistic::Sums inner, std::vector<std::vector<statistic::Scale>> scales,
            Difference kind)
      : inner_(std::move(inner)), scales_(std::move(scales)), kind_(kind) {}

  [[nodiscard]] std::size_t groups() const { return scales_.size(); }
  /// Features of a row: 1, then those of the statistic.
  [[nodiscard]] std::size_t width() const { return 1 + inner_.products.size() + inner_.filled; }

  /// Writes feature f of row i of the tile to out(group, f)[i], group = group_of(i).
  template <class GroupOf, class Out>
  void make(const statistic::Tile& tile, const GroupOf& group_of, const Out& out) const {
    const std::vector<double> filled = fill(tile);
    const std::size_t products = inner_.products.size();
    for (std::size_t i = 0; i < tile.rows; ++i) {
      const std::size_t group = group_of(i);
      out(group, 0)[i] = 1;
      for (std::size_t p = 0; p < products; ++p) out(group, 1 + p)[i] = product(p, group, tile, i);
      for (std::size_t f = 0; f < inner_.filled; ++f)
        out(group, 1 + products + f)[i] = filled[f * tile.rows + i];
    }
  }

  /// The values of the groups, then the differences. `means` has those of each group's features,
  /// [group][feature], of which the first is its rows as a share of `rows`; `errors` bounds
  /// those of each group's means.
  void finish(std::span<const double> means, double rows, std::span<const double> errors,
              bool relative, std::span<double> values) const;

 private:
  [[nodiscard]] std::vector<double> fill(const statistic::Tile& tile) const;
  [[nodiscard]] double product(std::size_t number, std::size_t group, const statistic::Tile& tile,
                               std::size_t row) const;

  statistic::Sums inner_;
  std::vector<std::vector<statistic::Scale>> scales_;  // [group][column]
  Difference kind_;
};

}  // namespace bootfold::comparison
