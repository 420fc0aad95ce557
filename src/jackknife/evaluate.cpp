// Functions of the resample and accumulators without a row, or without a group of rows.
//
// Groups are random, not neighbours and not every thousandth: sorted data would make neighbours too
// different and systematic samples too alike. U of a group is then the sum of the U of a random set
// of rows, and the sums of squares and cubes over groups estimate those over rows.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>

#include "bootfold/map_reduce.h"
#include "jackknife/influence.h"
#include "numeric/moments.h"
#include "numeric/quantile.h"
#include "study/sorted_column.h"
#include "study/tile.h"

namespace bootfold::jackknife {

namespace {

using study::kTileRows;
using study::Part;

/// Evaluates parts without one unit; unit number units.count() means: without nothing.
class Evaluator {
 public:
  Evaluator(const Task& task, const Units& units)
      : task_(task), units_(units), reader_(task.problem().data, kTileRows) {}

  void operator()(std::uint64_t unit, const execution::Worker& worker, std::span<double> values) {
    bool copied = false;
    for (const Part& part : task_.problem().parts) {
      if (part.first_output >= task_.outputs) continue;
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      if (const auto* fold = std::get_if<statistic::Fold>(&part.bound.body)) {
        accumulate(*fold, part, unit, worker, own);
      } else if (part.weighted && part.columns.size() == 2 && evaluated(part, units_)) {
        evaluate_in_order(part, unit, worker, own);
      } else if (evaluated(part, units_)) {
        if (!copied) copy_without(unit, worker);
        copied = true;
        if (const auto* call = std::get_if<statistic::Call>(&part.bound.body)) {
          std::vector<const double*> columns;
          for (const std::uint32_t c : part.columns) columns.push_back(copies_[c].data());
          call->call({columns, kept_}, own);
        } else {
          select(std::get<statistic::Order>(part.bound.body), part, own);
        }
      }
    }
  }

 private:
  /// Weight 1, and 0 for the rows of the unit.
  void accumulate(const statistic::Fold& fold, const Part& part, std::uint64_t unit,
                  const execution::Worker& worker, std::span<double> values) {
    const std::uint64_t rows = task_.problem().data.rows();
    const auto state = fold.fresh();
    weights_.resize(kTileRows);
    std::vector<const double*> columns(part.columns.size());
    for (std::uint64_t row = 0; row < rows; row += kTileRows) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kTileRows, rows - row));
      for (std::size_t i = 0; i < size; ++i) weights_[i] = units_.of(row + i) != unit ? 1 : 0;
      const statistic::Tile tile = reader_.read(row, size);
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = tile.columns[part.columns[c]];
      state->accumulate({columns, size}, {weights_.data(), size});
    }
    state->finish(values);
  }

  /// The rows of a part with weights in the order of their values, and the units of these.
  struct InOrder {
    std::vector<double> values;
    std::vector<double> weights;
    std::vector<std::uint64_t> units;
  };

  /// Functions of values and weights sort their rows, which takes no time if these are sorted.
  void evaluate_in_order(const Part& part, std::uint64_t unit, const execution::Worker& worker,
                         std::span<double> values) {
    InOrder& all = in_order_[part.columns];
    if (all.values.empty()) all = sort(part, worker);
    InOrder& kept = kept_in_order_;
    kept.values.clear();
    kept.weights.clear();
    worker.check();
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      if (all.units[i] == unit) continue;
      kept.values.push_back(all.values[i]);
      kept.weights.push_back(all.weights[i]);
    }
    const std::array<const double*, 2> columns = {kept.values.data(), kept.weights.data()};
    std::get<statistic::Call>(part.bound.body).call({columns, kept.values.size()}, values);
  }

  [[nodiscard]] InOrder sort(const Part& part, const execution::Worker& worker) const {
    const DataView& data = task_.problem().data;
    std::vector<double> values(data.rows());
    std::vector<double> weights(data.rows());
    data.column(part.columns[0]).read(0, values);
    data.column(part.columns[1]).read(0, weights);
    std::vector<std::uint64_t> order(data.rows());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    worker.check();
    std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    InOrder found;
    for (const std::uint64_t row : order) {
      found.values.push_back(values[row]);
      found.weights.push_back(weights[row]);
      found.units.push_back(units_.of(row));
    }
    return found;
  }

  void select(const statistic::Order& order, const Part& part, std::span<double> values) {
    const std::vector<double>& copy = copies_[part.columns[0]];
    sorted_.assign(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(kept_));
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(numeric::select_quantile(sorted_, q));
    order.finish(quantiles, values);
  }

  void copy_without(std::uint64_t unit, const execution::Worker& worker) {
    const std::uint64_t rows = task_.problem().data.rows();
    copies_.resize(task_.problem().data.columns());
    for (auto& copy : copies_) copy.resize(rows);
    kept_ = 0;
    for (std::uint64_t row = 0; row < rows; row += kTileRows) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kTileRows, rows - row));
      const statistic::Tile tile = reader_.read(row, size);
      for (std::size_t i = 0; i < size; ++i) {
        if (units_.of(row + i) == unit) continue;
        for (std::size_t c = 0; c < copies_.size(); ++c) copies_[c][kept_] = tile.columns[c][i];
        ++kept_;
      }
    }
  }

  const Task& task_;
  const Units& units_;
  study::TileReader reader_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::vector<double>> copies_;
  std::size_t kept_ = 0;
  std::vector<double> sorted_;
  std::map<std::vector<std::uint32_t>, InOrder> in_order_;  // by columns
  InOrder kept_in_order_;
};

}  // namespace

bool evaluated(const Part& part, const Units& units) {
  if (ordered_of(part) != nullptr)
    return units.clusters() || units.all() > study::SortedColumn::kMostRows;
  return std::holds_alternative<statistic::Fold>(part.bound.body) ||
         std::holds_alternative<statistic::Call>(part.bound.body) ||
         (units.clusters() && std::holds_alternative<statistic::Order>(part.bound.body));
}

std::vector<double> values_without(const Task& task, const Units& units) {
  const std::size_t width = task.outputs;
  // One unit cannot be left out of one: then the data themselves are all there is to evaluate.
  const std::uint64_t first = units.count() > 1 ? 0 : 1;
  std::vector<double> values((units.count() + 1) * width);
  struct Nothing {};
  std::vector<std::unique_ptr<Evaluator>> evaluators(execution::thread_count(task.execution));
  static_cast<void>(map_reduce(
      {first, units.count() + 1, 1}, Nothing{},
      [&](Nothing&, std::size_t unit, const execution::Worker& worker) {
        auto& evaluate = evaluators[worker.index()];
        if (!evaluate) evaluate = std::make_unique<Evaluator>(task, units);
        (*evaluate)(unit, worker, std::span(values).subspan(unit * width, width));
        worker.advance(static_cast<double>(task.problem().data.rows()));
      },
      [](Nothing&, Nothing&&) {}, task.execution,
      static_cast<double>(units.count()) * static_cast<double>(task.problem().data.rows())));
  return values;
}

void delete_and_evaluate(const Task& task, const Units& units, std::span<Influence> influences,
                         std::span<double> changes) {
  const std::size_t width = task.outputs;
  const std::vector<double> values = values_without(task, units);
  const auto count = static_cast<double>(units.count());
  for (const Part& part : task.problem().parts) {
    if (!evaluated(part, units) || part.first_output >= width) continue;
    for (std::size_t k = part.first_output; k < part.first_output + part.outputs(); ++k) {
      Influence& found = influences[k];
      found.method = units.grouped() ? "delete-a-group, 1000 groups" : "delete-one";
      if (units.grouped()) found.unit = Influence::Unit::group;
      if (units.clusters()) {
        found.method += ", by cluster";
        if (!units.grouped()) found.unit = Influence::Unit::cluster;
      }
      found.rows = count;
      found.estimate = values[units.count() * width + k];
      numeric::Moments moments;
      if (units.count() > 1) {
        for (std::uint64_t unit = 0; unit < units.count(); ++unit) {
          const double change = (count - 1) * (found.estimate - values[unit * width + k]);
          moments.add(change);
          if (!changes.empty() && !units.grouped()) changes[k * units.count() + unit] = change;
        }
        found.shift = -moments.mean() / (count - 1);
      }
      found.mean = found.estimate + found.shift;
      conclude(Spread(moments), found);
    }
  }
}

}  // namespace bootfold::jackknife
