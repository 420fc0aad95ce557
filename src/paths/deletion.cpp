// Path `deletion`: the jackknife of functions of sums, quantiles and statistics of sorted rows.
// Nothing is drawn: one row is taken out of what all have in common.
#include <algorithm>
#include <memory>

#include "bootfold/error.h"
#include "jackknife/heavy_rows.h"
#include "jackknife/influence.h"
#include "jackknife/order_statistics.h"
#include "jackknife/row_weights.h"
#include "jackknife/shifted_means.h"
#include "paths/entry.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "study/sorted_column.h"

namespace bootfold::paths::deletion {

namespace {

using study::kTileRows;
using study::Part;

/// The values of quantiles without each row, by its rank. Of equal rows it does not matter which is
/// left out, so a row has the first of the classes whose last value it does not exceed.
struct OrderClasses {
  const Part* part;
  jackknife::OrderDeletions deletions;
  std::vector<double> highest;  // the last value of each class but the last
};

/// A statistic of sorted rows without each row.
struct OrderedRows {
  std::size_t output;
  jackknife::OrderedDeletions deletions;
};

/// Of a row, while its changes are found: spearman's, which takes the most.
constexpr std::size_t kSortedBytes = 2 * 12 + 5 * 8 + 12;

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : rows(question.rows),
        measure(question.rows),
        order_statistics(question.problem(), resources.execution.stop),
        task{question.study,
             question.study.summaries(),
             measure,
             [this](const Part& part, std::uint64_t rank) { return order_statistics(part, rank); },
             resources.execution,
             question.problem().outputs.size()} {
    if (!question.problem().features.empty()) heavy = std::make_unique<jackknife::HeavyRows>(task);
    for (const Part& part : question.problem().parts) {
      if (jackknife::ordered_of(part) != nullptr)
        ordered.push_back({part.first_output, jackknife::ordered_deletions(task, part)});
      if (!std::holds_alternative<statistic::Order>(part.bound.body)) continue;
      OrderClasses classes{&part, jackknife::order_deletions(task, part), {}};
      for (std::size_t j = 0; j + 1 < classes.deletions.last.size(); ++j)
        classes.highest.push_back(task.order(part, classes.deletions.last[j]));
      orders.push_back(std::move(classes));
    }
  }
  Shared(const Shared&) = delete;  // the task refers to it
  Shared& operator=(const Shared&) = delete;

  std::uint64_t rows;
  jackknife::Measure measure;
  mutable jackknife::OrderStatistics order_statistics;  // used only while preparing and at the end
  jackknife::Task task;
  std::unique_ptr<jackknife::HeavyRows> heavy;
  std::vector<OrderClasses> orders;
  std::vector<OrderedRows> ordered;
};

class Deleter final : public Maker {
 public:
  explicit Deleter(const Shared& shared)
      : shared_(shared),
        problem_(shared.task.problem()),
        reader_(problem_.data, kTileRows),
        shifted_(shared.task, static_cast<double>(shared.rows - 1)),
        tile_rows_(study::feature_tile_rows(problem_.features.count())),
        made_(problem_.features.count() * tile_rows_) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t row = first; row < last; row += tile_rows_) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, last - row));
      const statistic::Tile tile = reader_.read(row, size);
      const std::span<double> own = values.subspan((row - first) * outputs, size * outputs);
      if (!problem_.features.empty()) delete_from_sums(tile, row, own, outputs);
      for (const OrderClasses& classes : shared_.orders)
        delete_from_order(classes, tile, own, outputs);
      for (const OrderedRows& each : shared_.ordered)
        for (std::size_t i = 0; i < size; ++i)
          own[i * outputs + each.output] = each.deletions.without(row + i);
    }
    worker.advance(static_cast<double>(last - first));
  }

 private:
  /// Means that moved a little.
  void delete_from_sums(const statistic::Tile& tile, std::uint64_t first, std::span<double> values,
                        std::size_t outputs) {
    const double step = 1 / static_cast<double>(shared_.rows - 1);
    problem_.features.make(tile, made_.data(), tile_rows_);
    jackknife::for_each_part(shared_.task, [&](const Part& part) {
      for (std::size_t i = 0; i < tile.rows; ++i) {
        const std::span<double> own =
            values.subspan(i * outputs + part.first_output, part.outputs());
        const std::span<const double> others = shared_.heavy->means_without(first + i);
        if (others.empty()) {
          shifted_.at(part, made_.data() + i, tile_rows_, nullptr, -step, own);
        } else {
          shifted_.at(part, others, own);
        }
      }
    });
  }

  static void delete_from_order(const OrderClasses& classes, const statistic::Tile& tile,
                                std::span<double> values, std::size_t outputs) {
    const std::span<const double> column = tile.column(classes.part->columns[0]);
    for (std::size_t i = 0; i < tile.rows; ++i) {
      const auto found =
          std::lower_bound(classes.highest.begin(), classes.highest.end(), column[i]);
      const auto& own =
          classes.deletions.values[static_cast<std::size_t>(found - classes.highest.begin())];
      std::copy(
          own.begin(), own.end(),
          values.begin() + static_cast<std::ptrdiff_t>(i * outputs + classes.part->first_output));
    }
  }

  const Shared& shared_;
  const study::Problem& problem_;
  study::TileReader reader_;
  jackknife::ShiftedMeans shifted_;
  std::size_t tile_rows_;
  std::vector<double> made_;
};

class DeletionEngine final : public Engine {
 public:
  DeletionEngine(const Question& question, const Resources& resources)
      : shared_(question, resources) {}

  [[nodiscard]] std::unique_ptr<Maker> maker() const override {
    return std::make_unique<Deleter>(shared_);
  }
  [[nodiscard]] std::uint64_t group() const override {
    return study::feature_tile_rows(shared_.task.problem().features.count());
  }
  [[nodiscard]] std::uint64_t steps() const override { return 1; }

  /// To more digits than the values themselves have.
  [[nodiscard]] std::optional<std::vector<Influence>> influences() const override {
    return jackknife::influences(shared_.task);
  }

 private:
  Shared shared_;
};

bool from_sorted(const Part& part, const Question& question) {
  return jackknife::ordered_of(part) != nullptr && question.rows <= study::SortedColumn::kMostRows;
}

std::string serves(const Question& question) {
  if (!question.traits.deletes || !question.design.clusters().empty())
    return no_way_for(question.design);
  for (const Part& part : question.problem().parts)
    if (!std::holds_alternative<statistic::Sums>(part.bound.body) &&
        !std::holds_alternative<statistic::Order>(part.bound.body) && !from_sorted(part, question))
      return "it takes functions of sums, quantiles, mad, gini, top_share and spearman only";
  return {};
}

Estimate estimate(const Question& question) {
  const std::size_t features = question.problem().features.count();
  Estimate found;
  found.tier = Tier::shortcut;
  found.reason =
      "functions of sums or quantiles: each row is removed from results that all rows share";
  found.replicate_nanoseconds = 50 + 20 * static_cast<double>(features);
  const auto ordered = static_cast<std::size_t>(std::ranges::count_if(
      question.problem().parts,
      [](const Part& part) { return jackknife::ordered_of(part) != nullptr; }));
  if (ordered > 0) {
    found.reason = "each row is removed from results that all rows share, which are sorted once";
    found.start_nanoseconds = 500 * static_cast<double>(ordered * question.rows);
    // The changes of each, and while they are found two sorted columns and sums of them.
    found.shared_bytes = question.rows * (8 * ordered + kSortedBytes);
  }
  found.thread_bytes = 2 * planning::tile_bytes(question.problem(), features);
  if (features > 0) {
    found.arithmetic = "double, in a fixed order";
    found.sum_error = 0x1p-50;
  }
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<DeletionEngine>(question, resources);
}

}  // namespace

PathEntry entry() {
  return {.id = Path::deletion,
          .name = "deletion",
          .meaning = "no draws: the jackknife's values in closed form",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare};
}

}  // namespace bootfold::paths::deletion
