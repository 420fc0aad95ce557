#include "statistic/evaluate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/compensated.h"
#include "numeric/quantile.h"

namespace bootfold::statistic {

namespace {

/// The scale that makes |u| <= 1.
Scale scale_of(std::span<const double> column, bool centred) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  Scale scale;
  scale.centre = centred ? *low / 2 + *high / 2 : 0;
  double largest = 0;
  for (const double end : {*low, *high}) largest = std::max(largest, std::abs(end - scale.centre));
  scale.exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;
  return scale;
}

void evaluate(const Sums& sums, const Tile& rows, std::span<double> values) {
  std::vector<Scale> scales;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    scales.push_back(scale_of(rows.column(c), sums.weights != c));
  const auto count = static_cast<double>(rows.rows);
  std::vector<double> means;
  for (const Product& product : sums.products) {
    numeric::Compensated sum;
    for (std::size_t row = 0; row < rows.rows; ++row) {
      double value = 1;
      for (const std::uint32_t c : product)
        value *= std::ldexp(rows.columns[c][row] - scales[c].centre, -scales[c].exponent);
      sum.add(value);
    }
    means.push_back(sum.value() / count);
  }
  std::vector<double> filled(sums.filled * rows.rows);
  std::vector<double*> features;
  for (std::size_t f = 0; f < sums.filled; ++f) features.push_back(filled.data() + f * rows.rows);
  if (sums.filled > 0) sums.fill(rows, features);
  for (const double* feature : features) {
    numeric::Compensated sum;
    for (std::size_t row = 0; row < rows.rows; ++row) sum.add(feature[row]);
    means.push_back(sum.value() / count);
  }
  sums.finish({means, count, scales}, values);
}

void evaluate(const Order& order, const Tile& rows, std::span<double> values) {
  std::vector<double> column(rows.column(0).begin(), rows.column(0).end());
  std::vector<double> quantiles;
  for (const double q : order.probabilities)
    quantiles.push_back(numeric::select_quantile(column, q));
  order.finish(quantiles, values);
}

void evaluate(const Fold& fold, const Tile& rows, std::span<double> values) {
  const auto state = fold.fresh();
  state->accumulate(rows, std::vector<std::uint32_t>(rows.rows, 1));
  state->finish(values);
}

void evaluate(const Call& call, const Tile& rows, std::span<double> values) {
  call.call(rows, values);
}

}  // namespace

void evaluate(const Bound& bound, const Tile& rows, std::span<double> values) {
  std::visit([&](const auto& body) { evaluate(body, rows, values); }, bound.body);
}

}  // namespace bootfold::statistic
