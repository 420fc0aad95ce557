// Statistics that a user writes, and those the library writes the same way.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "text/quantity.h"

namespace bootfold::statistic {

namespace {

/// finish(share of rows above) as a statistic.
template <class Finish>
Statistic share_above(std::string name, double above, Finish finish) {
  return Statistic(name, 1, 1, [name, above, finish](std::size_t) {
    Sums sums;
    sums.filled = 1;
    sums.fill = [above](const Tile& tile, std::span<double* const> features) {
      const std::span<const double> values = tile.column(0);
      for (std::size_t row = 0; row < values.size(); ++row)
        features[0][row] = values[row] > above ? 1 : 0;
    };
    sums.finish = [finish](const Folded& folded, std::span<double> values) {
      values[0] = finish(folded);
    };
    return Bound{{name + "({1})"}, std::move(sums)};
  });
}

}  // namespace

Statistic proportion(double above) {
  if (std::isnan(above))
    throw InvalidArgument("proportion above NaN is not defined; give a number");
  const std::string name = above == 0 ? "proportion" : "proportion:" + text::shortest(above);
  return share_above(name, above, [](const Folded& folded) { return folded.mean(0); })
      .with_parameters({above})
      .with_standard_error(share_above("standard_error_of_proportion", above,
                                       [](const Folded& folded) {
                                         const double share = folded.mean(0);
                                         return std::sqrt(std::max(0.0, share * (1 - share)) /
                                                          (folded.rows - 1));
                                       }))
      .with_exact_law(ExactLaw::proportion);
}

Statistic geometric_mean() {
  return Statistic("geometric_mean", 1, 1, [](std::size_t) {
    Sums sums;
    sums.filled = 2;  // the logarithm, and whether there is none
    sums.fill = [](const Tile& tile, std::span<double* const> features) {
      const std::span<const double> values = tile.column(0);
      for (std::size_t row = 0; row < values.size(); ++row) {
        const bool positive = values[row] > 0;
        features[0][row] = positive ? std::log(values[row]) : 0;
        features[1][row] = positive ? 0 : 1;
      }
    };
    sums.finish = [](const Folded& folded, std::span<double> values) {
      values[0] =
          folded.mean(1) > 0 ? std::numeric_limits<double>::quiet_NaN() : std::exp(folded.mean(0));
    };
    return Bound{{"geometric_mean({1})"}, std::move(sums)};
  });
}

Statistic sums(std::size_t count,
               std::function<void(std::span<const double>, std::span<double>)> features,
               std::function<double(const Folded&)> finish, std::string name) {
  if (count == 0) throw InvalidArgument("count is 0 but a statistic needs at least one feature");
  return Statistic(name, 1, Statistic::kAnyNumber, [=](std::size_t columns) {
    Sums sums;
    sums.filled = count;
    sums.fill = [count, columns, features](const Tile& tile, std::span<double* const> out) {
      std::vector<double> row(columns);
      std::vector<double> made(count);
      for (std::size_t r = 0; r < tile.rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) row[c] = tile.columns[c][r];
        features(row, made);
        for (std::size_t f = 0; f < count; ++f) out[f][r] = made[f];
      }
    };
    sums.finish = [finish](const Folded& folded, std::span<double> values) {
      values[0] = finish(folded);
    };
    return Bound{{name}, std::move(sums)};
  });
}

Statistic callable(std::function<double(const Resample&)> function, std::string name,
                   RowOrder order) {
  if (!function)
    throw InvalidArgument("function is empty; give callable() a function of the resample");
  return Statistic(name, 1, Statistic::kAnyNumber, [=](std::size_t) {
    const auto call = [function](const Resample& resample, std::span<double> values) {
      values[0] = function(resample);
    };
    return Bound{{name}, Call{.call = call, .order = order}};
  });
}

}  // namespace bootfold::statistic
