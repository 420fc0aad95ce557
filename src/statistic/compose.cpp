#include "statistic/compose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "statistic/evaluate.h"

namespace bootfold::statistic {

namespace {

/// A term on its columns.
struct Part {
  Bound bound;
  std::vector<std::uint32_t> columns;
  std::size_t first_value = 0;    // among those of all terms
  std::size_t first_product = 0;  // the same of products, filled features and quantiles
  std::size_t first_filled = 0;
  std::size_t first_quantile = 0;
};

/// All terms, and what is made of their values.
struct Parts {
  std::vector<Part> all;
  std::size_t values = 0;
  std::size_t products = 0;
  std::size_t filled = 0;
  std::size_t quantiles = 0;
  std::shared_ptr<const Formula> formula;

  template <class Family>
  [[nodiscard]] bool are() const {
    return std::all_of(all.begin(), all.end(), [](const Part& part) {
      return std::holds_alternative<Family>(part.bound.body);
    });
  }

  /// Undefined values are NaN, also where a division by 0 made an infinity.
  void finish(std::span<const double> of_terms, std::span<double> out) const {
    formula->finish(of_terms, out);
    for (double& value : out)
      if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
};

std::shared_ptr<const Parts> parts_of(std::shared_ptr<const Formula> formula) {
  auto parts = std::make_shared<Parts>();
  for (const Formula::Term& term : formula->terms) {
    Part part{term.statistic.bind(term.columns.size()), term.columns, parts->values};
    part.first_product = parts->products;
    part.first_filled = parts->filled;
    part.first_quantile = parts->quantiles;
    parts->values += part.bound.outputs.size();
    if (const auto* sums = std::get_if<Sums>(&part.bound.body)) {
      parts->products += sums->products.size();
      parts->filled += sums->filled;
    } else if (const auto* order = std::get_if<Order>(&part.bound.body)) {
      parts->quantiles += order->probabilities.size();
    }
    parts->all.push_back(std::move(part));
  }
  parts->formula = std::move(formula);
  return parts;
}

/// The columns of a part.
Tile columns_of(const Part& part, const Tile& tile, std::vector<const double*>& room) {
  room.clear();
  for (const std::uint32_t c : part.columns) room.push_back(tile.columns[c]);
  return {room, tile.rows};
}

/// A mean or a sum that may be 0 but for rounding is 0, so that what divides by it is undefined.
double without_rounding(const Sums& sums, const Folded& folded, double value) {
  if (sums.products.size() != 1 || sums.products[0] != Product{0}) return value;
  const Scale& scale = folded.scales[0];
  const double doubt =
      std::ldexp(folded.resolution + 0x1p-51 * std::abs(folded.mean(0)), scale.exponent) +
      0x1p-51 * std::abs(scale.centre);
  return std::abs(folded.column_mean(0, 0)) < doubt ? 0 : value;
}

Sums sums_of(const std::shared_ptr<const Parts>& parts) {
  Sums sums;
  for (const Part& part : parts->all)
    for (Product product : std::get<Sums>(part.bound.body).products) {
      for (std::uint32_t& c : product) c = part.columns[c];
      sums.products.push_back(std::move(product));
    }
  sums.filled = parts->filled;
  sums.fill = [parts](const Tile& tile, std::span<double* const> features) {
    std::vector<const double*> room;
    for (const Part& part : parts->all) {
      const auto& own = std::get<Sums>(part.bound.body);
      if (own.filled > 0)
        own.fill(columns_of(part, tile, room), features.subspan(part.first_filled, own.filled));
    }
  };
  sums.finish = [parts](const Folded& folded, std::span<double> out) {
    thread_local std::vector<double> means;
    thread_local std::vector<Scale> scales;
    thread_local std::vector<double> values;
    values.resize(parts->values);
    for (const Part& part : parts->all) {
      const auto& own = std::get<Sums>(part.bound.body);
      const auto products = folded.means.subspan(part.first_product, own.products.size());
      const auto filled = folded.means.subspan(parts->products + part.first_filled, own.filled);
      means.assign(products.begin(), products.end());
      means.insert(means.end(), filled.begin(), filled.end());
      scales.clear();
      for (const std::uint32_t c : part.columns) scales.push_back(folded.scales[c]);
      const Folded inner{means, folded.rows, scales, folded.resolution, false, folded.weight};
      const std::span<double> found =
          std::span(values).subspan(part.first_value, part.bound.outputs.size());
      own.finish(inner, found);
      found[0] = without_rounding(own, inner, found[0]);
    }
    parts->finish(values, out);
  };
  return sums;
}

Order order_of(const std::shared_ptr<const Parts>& parts) {
  Order order;
  for (const Part& part : parts->all) {
    const auto& own = std::get<Order>(part.bound.body).probabilities;
    order.probabilities.insert(order.probabilities.end(), own.begin(), own.end());
  }
  order.finish = [parts](std::span<const double> quantiles, std::span<double> out) {
    std::vector<double> values(parts->values);
    for (const Part& part : parts->all) {
      const auto& own = std::get<Order>(part.bound.body);
      own.finish(quantiles.subspan(part.first_quantile, own.probabilities.size()),
                 std::span(values).subspan(part.first_value, part.bound.outputs.size()));
    }
    parts->finish(values, out);
  };
  return order;
}

Call call_of(const std::shared_ptr<const Parts>& parts) {
  Call call;
  call.order = RowOrder::any;
  for (const Part& part : parts->all)
    if (const auto* own = std::get_if<Call>(&part.bound.body);
        own != nullptr && !own->trimmed && !own->ranking)
      call.order = std::max(RowOrder::drawn, std::min(call.order, own->order));
  call.call = [parts](const Resample& resample, std::span<double> out) {
    std::vector<double> values(parts->values);
    std::vector<const double*> room;
    for (const Part& part : parts->all)
      evaluate(part.bound, columns_of(part, resample, room),
               std::span(values).subspan(part.first_value, part.bound.outputs.size()));
    parts->finish(values, out);
  };
  return call;
}

bool of_one_column(const Parts& parts) {
  return std::all_of(parts.all.begin(), parts.all.end(), [&](const Part& part) {
    return part.columns.size() == 1 && part.columns[0] == parts.all[0].columns[0];
  });
}

}  // namespace

Statistic compose(std::string name, std::string output, std::size_t columns,
                  std::shared_ptr<const Formula> formula) {
  const auto parts = parts_of(formula);
  const auto made = [&](auto body) {
    return Statistic(std::move(name), columns, columns, [output, body](std::size_t) {
      return Bound{{output}, body};
    });
  };
  if (parts->are<Sums>()) return made(sums_of(parts));
  if (parts->are<Order>() && of_one_column(*parts)) return made(order_of(parts));
  return made(call_of(parts)).with_formula(std::move(formula));
}

}  // namespace bootfold::statistic
