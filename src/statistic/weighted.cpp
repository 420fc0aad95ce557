// Statistics of rows with weights: the last column holds the weights, and means become weighted
// means.
#include "statistic/weighted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "numeric/quantile.h"
#include "statistic/compose.h"
#include "statistic/ordered.h"
#include "statistic/ranking.h"
#include "text/concat.h"

namespace bootfold::statistic {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// A function of sums, on weighted means. Features: the products times the weight, the weight
/// itself; then the filled ones times the weight, and the weight in its own unit.
class WeightedSums {
 public:
  WeightedSums(Sums inner, std::uint32_t weights) : inner_(std::move(inner)), weights_(weights) {}

  [[nodiscard]] std::vector<Product> products() const {
    std::vector<Product> products;
    if (inner_.products.empty()) return products;
    for (Product product : inner_.products) {
      product.push_back(weights_);
      products.push_back(std::move(product));
    }
    products.push_back({weights_});
    return products;
  }

  [[nodiscard]] std::size_t filled() const { return inner_.filled == 0 ? 0 : inner_.filled + 1; }

  void fill(const Tile& tile, std::span<double* const> features) const {
    const std::span<const double> weights = tile.column(weights_);
    inner_.fill({tile.columns.first(weights_), tile.rows}, features.first(inner_.filled));
    for (std::size_t f = 0; f < inner_.filled; ++f)
      for (std::size_t row = 0; row < tile.rows; ++row) features[f][row] *= weights[row];
    std::copy(weights.begin(), weights.end(), features[inner_.filled]);
  }

  void finish(const Folded& folded, std::span<double> values) const {
    std::vector<double> means(inner_.products.size() + inner_.filled);
    const auto divide = [&](std::size_t from, std::size_t count, std::size_t to) {
      const double weight = folded.mean(from + count);
      for (std::size_t f = 0; f < count; ++f) means[to + f] = folded.mean(from + f) / weight;
      return weight;
    };
    const std::size_t products = inner_.products.size();
    double weight = 0;
    double resolution = 0;
    if (products > 0) {
      // Errors of both sums, and no mean of products of |u| <= 1 is above 1.
      resolution = 2 * folded.resolution / divide(0, products, 0);
      weight = folded.column_mean(weights_, products);
    }
    if (inner_.filled > 0)
      weight = divide(products > 0 ? products + 1 : 0, inner_.filled, products);
    if (weight > 0)
      inner_.finish(
          {means, folded.rows, folded.scales.first(weights_), resolution, folded.relative, weight},
          values);
    else  // only rows of weight 0 were drawn
      std::fill(values.begin(), values.end(), kNoValue);
  }

 private:
  Sums inner_;
  std::uint32_t weights_;  // their column, the last
};

Sums weighted(const Sums& inner, std::uint32_t weights) {
  const auto made = std::make_shared<const WeightedSums>(inner, weights);
  Sums sums;
  sums.products = made->products();
  sums.filled = made->filled();
  sums.fill = [made](const Tile& tile, std::span<double* const> features) {
    made->fill(tile, features);
  };
  sums.finish = [made](const Folded& folded, std::span<double> values) {
    made->finish(folded, values);
  };
  sums.weights = weights;
  return sums;
}

/// The rows of column 0 with the weights of column 1, sorted by value; none if all weights are 0.
std::vector<numeric::WeightedRow> sorted(const Resample& resample) {
  std::vector<numeric::WeightedRow> rows;
  for (std::size_t row = 0; row < resample.rows; ++row)
    if (resample.columns[1][row] > 0)
      rows.push_back({resample.columns[0][row], resample.columns[1][row]});
  const auto less = [](const numeric::WeightedRow& a, const numeric::WeightedRow& b) {
    return a.value < b.value;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), less)) std::sort(rows.begin(), rows.end(), less);
  return rows;
}

Call weighted(const Order& inner) {
  Call call;
  call.call = [inner](const Resample& resample, std::span<double> values) {
    const std::vector<numeric::WeightedRow> rows = sorted(resample);
    std::vector<double> quantiles;
    for (const double q : inner.probabilities)
      quantiles.push_back(rows.empty() ? kNoValue
                                       : numeric::weighted_quantile(rows, q, resample.rows));
    inner.finish(quantiles, values);
  };
  call.order = RowOrder::any;
  call.weighted_order = inner;
  return call;
}

Call weighted_trimmed_mean(double cut) {
  Call call;
  call.call = [cut](const Resample& resample, std::span<double> values) {
    const std::vector<numeric::WeightedRow> rows = sorted(resample);
    values[0] = rows.empty() ? kNoValue : numeric::weighted_trimmed_mean(rows, cut, resample.rows);
  };
  call.order = RowOrder::any;
  return call;
}

/// Columns: the class, the scores of each model, the weights.
Call weighted_ranking(Ranking ranking) {
  Call call;
  call.call = [ranking](const Resample& resample, std::span<double> values) {
    const std::size_t models = resample.columns.size() - 2;
    std::vector<Scored> rows(resample.rows);
    for (std::size_t m = 0; m < models; ++m) {
      for (std::uint32_t i = 0; i < rows.size(); ++i)
        rows[i] = {resample.columns[m + 1][i],
                   2 * i + static_cast<std::uint32_t>(positive(resample.columns[0][i]))};
      sort_by_score(rows);
      values[m] = measure(ranking, rows, resample.column(models + 1));
    }
    for (std::size_t m = 1; m < models; ++m) values[models + m - 1] = values[0] - values[m];
  };
  call.order = RowOrder::any;
  return call;
}

Call weighted_ordered(Ordered ordered) {
  Call call;
  call.call = [ordered](const Resample& resample, std::span<double> values) {
    values[0] = weighted_value(ordered, resample);
  };
  call.order = RowOrder::any;
  return call;
}

/// sqrt(sum of w^2 (x - m)^2 n / (n - 1)) / sum of w: of the weighted mean m, by linearization.
/// Features: w, wx, w^2, w^2 x, w^2 x^2.
double error_of_mean(const Folded& f) {
  const double weight = f.mean(0);
  if (!(weight > 0)) return kNoValue;
  const double mean = f.mean(1) / weight;
  const double spread = f.mean(4) - 2 * mean * f.mean(3) + mean * mean * f.mean(2);
  // Three terms, none of which is larger than the sum of the first and the last.
  const double doubt = 4 * f.resolution + 0x1p-50 * (f.mean(4) + mean * mean * f.mean(2));
  const double sure = spread > 1e4 * doubt ? spread : 0;
  return std::sqrt(sure / (f.rows - 1)) / weight;
}

Statistic standard_error_of_mean() {
  return Statistic("standard_error_of_weighted_mean", 2, 2,
                   [](std::size_t) {
                     Sums sums;
                     sums.products = {{1}, {0, 1}, {1, 1}, {0, 1, 1}, {0, 0, 1, 1}};
                     sums.weights = 1;
                     sums.finish = [](const Folded& f, std::span<double> values) {
                       values[0] = std::ldexp(error_of_mean(f), f.scales[0].exponent);
                     };
                     return Bound{{"standard_error_of_weighted_mean({1})"}, std::move(sums)};
                   })
      .with_weights();
}

using Body = decltype(Bound::body);

/// The body with the weights of column `weights`, the last.
Body weighted(const Body& body, std::size_t weights, const Statistic& statistic) {
  if (const auto* sums = std::get_if<Sums>(&body))
    return weighted(*sums, static_cast<std::uint32_t>(weights));
  if (const auto* order = std::get_if<Order>(&body)) return weighted(*order);
  if (const auto* call = std::get_if<Call>(&body))
    if (std::optional<Call> made = weighted_call(*call)) return *std::move(made);
  throw InvalidArgument(text::concat(
      "statistic '", statistic.name(),
      "' is a function of your own, which weights cannot be applied to; let it take the weights "
      "as one more column, or use a built-in statistic or sums()"));
}

/// What a value is called: an expression as it is written, or as the caller calls it.
std::string weighted_name(const Statistic& statistic, const std::string& output) {
  const bool written = !statistic.columns().empty() && output.find('{') == output.npos;
  return written ? output : "weighted_" + output;
}

/// A formula of weighted statistics.
Statistic weighted_formula(const Statistic& statistic) {
  const std::size_t columns = statistic.fewest_columns();
  auto formula = std::make_shared<Formula>();
  formula->finish = statistic.formula()->finish;
  for (const Formula::Term& term : statistic.formula()->terms) {
    formula->terms.push_back({bootfold::statistic::weighted(term.statistic), term.columns});
    formula->terms.back().columns.push_back(static_cast<std::uint32_t>(columns));
  }
  return compose("weighted_" + statistic.name(),
                 weighted_name(statistic, statistic.bind(columns).outputs[0]), columns + 1,
                 std::move(formula))
      .with_weights()
      .with_columns(statistic.columns());
}

}  // namespace

std::optional<Call> weighted_call(const Call& call) {
  if (call.trimmed) return weighted_trimmed_mean(*call.trimmed);
  if (call.ranking) return weighted_ranking(*call.ranking);
  if (call.ordered) return weighted_ordered(*call.ordered);
  return std::nullopt;
}

Statistic weighted(const Statistic& statistic) {
  if (statistic.weighted())
    throw InvalidArgument(text::concat("statistic '", statistic.name(), "' has weights already"));
  if (statistic.formula() != nullptr) return weighted_formula(statistic);
  const auto bind = [statistic](std::size_t columns) {
    Bound bound = statistic.bind(columns - 1);
    for (std::string& output : bound.outputs) output = weighted_name(statistic, output);
    bound.body = weighted(bound.body, columns - 1, statistic);
    return bound;
  };
  const Body body = statistic.bind(statistic.fewest_columns()).body;
  static_cast<void>(weighted(body, statistic.fewest_columns(), statistic));  // may refuse
  const std::size_t most = statistic.most_columns();
  const Statistic made = Statistic("weighted_" + statistic.name(), statistic.fewest_columns() + 1,
                                   most == Statistic::kAnyNumber ? most : most + 1, bind)
                             .with_weights()
                             .with_columns(statistic.columns())
                             .with_parameters(statistic.parameters());
  const auto* sums = std::get_if<Sums>(&body);
  return sums != nullptr && sums->is_mean ? made.with_standard_error(standard_error_of_mean())
                                          : made;
}

}  // namespace bootfold::statistic
