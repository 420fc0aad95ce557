#include "comparison/by_group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "numeric/quantile.h"

namespace bootfold::comparison {

namespace {

using statistic::Folded;
using statistic::Scale;
using statistic::Tile;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// values[groups ..]: the differences from values[0].
void add_differences(std::span<double> values, std::size_t groups, Difference kind) {
  for (std::size_t g = 1; g < groups; ++g)
    values[groups + g - 1] = difference_of(values[g], values[0], kind);
}

/// Centre and scale of every column within every group: [group][column]. Weights, if there are
/// some, have centre 0.
std::vector<std::vector<Scale>> scales_of(const DataView& data, std::size_t groups,
                                          std::optional<std::uint32_t> weights) {
  constexpr std::size_t kTile = 4096;
  const std::size_t columns = data.columns() - 1;
  std::vector<double> sums(groups * columns);
  std::vector<double> counts(groups);
  std::array<double, kTile> group;
  std::array<double, kTile> value;
  const auto for_each = [&](const auto& see) {
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t first = 0; first < data.rows(); first += kTile) {
        const std::size_t size = std::min(kTile, data.rows() - first);
        data.column(columns).read(first, std::span(group).first(size));
        data.column(c).read(first, std::span(value).first(size));
        for (std::size_t i = 0; i < size; ++i) see(static_cast<std::size_t>(group[i]), c, value[i]);
      }
  };
  for_each([&](std::size_t g, std::size_t c, double) { counts[g] += c == 0 ? 1 : 0; });
  for_each([&](std::size_t g, std::size_t c, double x) {
    if (c != weights) sums[g * columns + c] += x / counts[g];
  });
  std::vector<double> farthest(groups * columns);
  for_each([&](std::size_t g, std::size_t c, double x) {
    double& own = farthest[g * columns + c];
    own = std::max(own, std::abs(x - sums[g * columns + c]));
  });
  std::vector<std::vector<Scale>> scales(groups);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool usable = std::isfinite(sums[i]) && std::isfinite(farthest[i]);
    scales[i / columns].push_back(
        {usable ? sums[i] : 0, usable && farthest[i] > 0 ? std::ilogb(farthest[i]) + 1 : 0});
  }
  return scales;
}

/// A function of sums: the features of every group, which are 0 for the rows of others, after the
/// group's share of the rows.
class SumsByGroup {
 public:
  SumsByGroup(statistic::Sums inner, std::vector<std::vector<Scale>> scales, Difference kind)
      : inner_(std::move(inner)), scales_(std::move(scales)), kind_(kind) {}

  [[nodiscard]] std::size_t features() const { return scales_.size() * width(); }

  void fill(const Tile& tile, std::span<double* const> features) const {
    const std::size_t columns = tile.columns.size() - 1;
    const std::span<const double> group = tile.column(columns);
    std::vector<double> filled(inner_.filled * tile.rows);
    if (inner_.filled > 0) {
      std::vector<double*> out;
      for (std::size_t f = 0; f < inner_.filled; ++f) out.push_back(filled.data() + f * tile.rows);
      inner_.fill({tile.columns.first(columns), tile.rows}, out);
    }
    for (std::size_t g = 0; g < scales_.size(); ++g) {
      const std::span<double* const> own = features.subspan(g * width(), width());
      for (std::size_t i = 0; i < tile.rows; ++i) {
        const bool here = group[i] == static_cast<double>(g);
        own[0][i] = here ? 1 : 0;
        for (std::size_t p = 0; p < inner_.products.size(); ++p)
          own[1 + p][i] = here ? product(inner_.products[p], scales_[g], tile, i) : 0;
        for (std::size_t f = 0; f < inner_.filled; ++f)
          own[1 + inner_.products.size() + f][i] = here ? filled[f * tile.rows + i] : 0;
      }
    }
  }

  void finish(const Folded& folded, std::span<double> values) const {
    std::vector<double> means(width() - 1);
    for (std::size_t g = 0; g < scales_.size(); ++g) {
      const double share = folded.mean(g * width());
      values[g] = kNaN;
      if (!(share > 0)) continue;
      for (std::size_t f = 0; f < means.size(); ++f)
        means[f] = folded.mean(g * width() + 1 + f) / share;
      // A lift needs the values themselves.
      inner_.finish({means, share * folded.rows, scales_[g], folded.resolution / share,
                     folded.relative && kind_ == Difference::absolute},
                    values.subspan(g, 1));
    }
    add_differences(values, scales_.size(), kind_);
  }

 private:
  [[nodiscard]] std::size_t width() const { return 1 + inner_.products.size() + inner_.filled; }

  static double product(const statistic::Product& columns, const std::vector<Scale>& scales,
                        const Tile& tile, std::size_t row) {
    double value = 1;
    for (const std::uint32_t c : columns)
      value *= std::ldexp(tile.columns[c][row] - scales[c].centre, -scales[c].exponent);
    return value;
  }

  statistic::Sums inner_;
  std::vector<std::vector<Scale>> scales_;  // [group][column]
  Difference kind_;
};

/// The value of any other statistic on rows.
struct Evaluate {
  const Tile& rows;
  std::vector<std::vector<double>>& columns;  // the same, to be sorted
  std::span<double> values;

  void operator()(const statistic::Order& order) const {
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(numeric::select_quantile(columns[0], q));
    order.finish(quantiles, values);
  }
  void operator()(const statistic::Fold& fold) const {
    const auto state = fold.fresh();
    state->accumulate(rows, std::vector<std::uint32_t>(rows.rows, 1));
    state->finish(values);
  }
  void operator()(const statistic::Call& call) const { call.call(rows, values); }
  void operator()(const statistic::Sums&) const {}  // SumsByGroup
};

/// Evaluates the statistic on the rows of every group of a resample.
void evaluate(const statistic::Bound& inner, const statistic::Resample& resample,
              std::size_t groups, Difference kind, std::span<double> values) {
  const std::size_t columns = resample.columns.size() - 1;
  const std::span<const double> group = resample.column(columns);
  std::vector<std::vector<double>> own(columns);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t c = 0; c < columns; ++c) {
      own[c].clear();
      for (std::size_t i = 0; i < resample.rows; ++i)
        if (group[i] == static_cast<double>(g)) own[c].push_back(resample.columns[c][i]);
    }
    std::vector<const double*> starts;
    for (const auto& column : own) starts.push_back(column.data());
    const Tile rows{starts, own[0].size()};
    values[g] = kNaN;
    if (rows.rows > 0) std::visit(Evaluate{rows, own, values.subspan(g, 1)}, inner.body);
  }
  add_differences(values, groups, kind);
}

}  // namespace

double difference_of(double group, double control, Difference kind) {
  const double plain = group - control;
  const double value = kind == Difference::absolute ? plain : plain / std::abs(control);
  return std::isfinite(value) ? value : kNaN;
}

Statistic by_group(const Statistic& statistic, const DataView& data, std::size_t groups,
                   Difference kind) {
  const std::size_t columns = data.columns() - 1;
  const statistic::Bound inner = statistic.bind(columns);
  statistic::Bound bound;
  for (std::size_t g = 0; g < groups; ++g) bound.outputs.push_back(inner.outputs[0]);
  for (std::size_t g = 1; g < groups; ++g)
    bound.outputs.push_back("difference of " + inner.outputs[0]);
  if (const auto* sums = std::get_if<statistic::Sums>(&inner.body)) {
    const auto made =
        std::make_shared<const SumsByGroup>(*sums, scales_of(data, groups, sums->weights), kind);
    statistic::Sums all;
    all.filled = made->features();
    all.fill = [made](const Tile& tile, std::span<double* const> features) {
      made->fill(tile, features);
    };
    all.finish = [made](const Folded& folded, std::span<double> values) {
      made->finish(folded, values);
    };
    bound.body = std::move(all);
  } else {
    const auto* call = std::get_if<statistic::Call>(&inner.body);
    bound.body = statistic::Call{
        [inner, groups, kind](const statistic::Resample& resample, std::span<double> values) {
          evaluate(inner, resample, groups, kind, values);
        },
        std::nullopt, std::nullopt, call != nullptr ? call->order : statistic::RowOrder::any};
  }
  std::vector<double> parameters = statistic.parameters();
  parameters.push_back(static_cast<double>(kind));
  return Statistic(statistic.name() + " by group", columns + 1, columns + 1,
                   [bound](std::size_t) { return bound; })
      .with_parameters(std::move(parameters));
}

}  // namespace bootfold::comparison
