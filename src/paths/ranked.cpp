// Path `stream` (and `gather`, where counts do not stream) for measures of ranking.
//
// The order of the scores is found once. Counts are drawn in the order of the rows, so a replicate
// is the resample that every other statistic sees, and several models are compared on the same
// resamples. Then rows are looked up in the order of each model's scores, for eight replicates at a
// time, and sums run over them: nothing is sorted again.
#include "paths/ranked.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "paths/lane_counts.h"
#include "paths/simd/kernels.h"
#include "planning/choose.h"
#include "statistic/ranking.h"
#include "study/tile.h"

namespace bootfold::paths::ranked {

namespace {

using simd::kLanes;
using statistic::Ranking;
using statistic::Scored;

/// Places are 2 * row + class in 32 bits.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;

/// Rows of a walk between two looks at the time.
constexpr std::size_t kWalk = std::size_t{1} << 18;

/// Equal scores of several rows, some of them positive: places begin .. end - 1.
struct Tie {
  std::uint32_t begin;
  std::uint32_t end;
};

/// The rows in the order of a score.
struct Order {
  std::vector<std::uint32_t> places;
  std::vector<Tie> ties;
};

/// The rows with their scores, sorted.
std::vector<Scored> sorted(const DataView& data, std::uint32_t classes, std::uint32_t scores) {
  std::vector<Scored> rows(data.rows());
  std::vector<double> positive(study::kTileRows);
  std::vector<double> score(study::kTileRows);
  for (std::uint64_t first = 0; first < rows.size(); first += study::kTileRows) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(study::kTileRows, rows.size() - first));
    data.column(classes).read(first, std::span(positive).first(size));
    data.column(scores).read(first, std::span(score).first(size));
    for (std::size_t i = 0; i < size; ++i)
      rows[first + i] = {score[i],
                         static_cast<std::uint32_t>(first + i) << 1 |
                             static_cast<std::uint32_t>(statistic::positive(positive[i]))};
  }
  statistic::sort_by_score(rows);
  return rows;
}

Order order_of(std::span<const Scored> rows) {
  Order order;
  order.places.reserve(rows.size());
  for (const Scored& row : rows) order.places.push_back(row.place);
  for (std::uint32_t begin = 0; begin < rows.size();) {
    std::uint32_t end = begin;
    bool any = false;
    for (; end < rows.size() && rows[end].score == rows[begin].score; ++end)
      any = any || rows[end].positive();
    if (any && end - begin > 1) order.ties.push_back({begin, end});
    begin = end;
  }
  return order;
}

/// A model's measure, and where its value goes.
struct Task {
  Ranking ranking;
  const Order* order;
  std::size_t output;
};

/// The first model of each statistic minus the others, for one replicate.
void add_differences(const study::Problem& problem, std::span<double> values) {
  for (const study::Part& part : problem.parts) {
    const std::span<double> own = values.subspan(part.first_output, part.outputs());
    const std::size_t models = part.columns.size() - 1;
    for (std::size_t m = 1; m < models; ++m) own[models + m - 1] = own[0] - own[m];
  }
}

/// What all makers share.
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.problem()),
        kernels(simd::kernels(resources.level())),
        counting(question.design, question.rows, question.seed, question.replicates,
                 resources.level()) {
    for (const study::Part& part : problem.parts)
      for (std::size_t c = 1; c < part.columns.size(); ++c)
        tasks.push_back({*std::get<statistic::Call>(part.bound.body).ranking,
                         &orders[{part.columns[0], part.columns[c]}], part.first_output + c - 1});
    estimates.resize(problem.outputs.size());
    for (auto& [columns, order] : orders) {
      const std::vector<Scored> rows = sorted(problem.data, columns.first, columns.second);
      order = order_of(rows);
      for (const Task& task : tasks)
        if (task.order == &order)
          estimates[task.output] =
              question.design.weights().empty()
                  ? statistic::measure(task.ranking, rows)
                  : statistic::measure(task.ranking, rows, question.design.weights());
    }
    add_differences(problem, estimates);
  }

  const study::Problem& problem;
  const simd::Kernels& kernels;
  resample::Counting counting;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Order> orders;  // by columns: class and score
  std::vector<Task> tasks;
  std::vector<double> estimates;
};

class Ranker final : public Maker {
 public:
  explicit Ranker(const Shared& shared)
      : shared_(shared), counts_(shared.counting, shared.kernels) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t r = first; r < last; r += kLanes) {
      const auto lanes = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, last - r));
      counts_.draw(r, lanes, worker);
      const std::span<double> own = values.subspan((r - first) * outputs, lanes * outputs);
      for (const Task& task : shared_.tasks)
        if (task.ranking == Ranking::roc_auc)
          measure_area(task, own, lanes, worker);
        else
          measure_precision(task, own, lanes, worker);
      for (std::size_t lane = 0; lane < lanes; ++lane)
        add_differences(shared_.problem, own.subspan(lane * outputs, outputs));
      worker.advance(static_cast<double>(lanes) * static_cast<double>(shared_.counting.rows()));
    }
  }

 private:
  void measure_area(const Task& task, std::span<double> values, std::size_t lanes,
                    const execution::Worker& worker) {
    simd::Area area{};
    const std::uint32_t* const places = task.order->places.data();
    std::size_t begin = 0;
    const auto walk = [&](std::size_t end) {
      for (; begin < end; begin = std::min(end, begin + kWalk)) {
        worker.check();
        shared_.kernels.add_area(counts_.data(), places + begin, std::min(kWalk, end - begin),
                                 area);
      }
    };
    for (const Tie& tie : task.order->ties) {
      walk(tie.begin);
      shared_.kernels.tie_area(counts_.data(), places + tie.begin, tie.end - tie.begin, area);
      begin = tie.end;
    }
    walk(task.order->places.size());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto pairs =
          static_cast<double>(area.negatives[lane]) * static_cast<double>(area.positives[lane]);
      values[lane * values.size() / lanes + task.output] =
          pairs == 0 ? std::numeric_limits<double>::quiet_NaN()
                     : static_cast<double>(area.beaten[lane]) / 2 / pairs;
    }
  }

  void measure_precision(const Task& task, std::span<double> values, std::size_t lanes,
                         const execution::Worker& worker) {
    simd::Precision found{};
    const std::uint32_t* const places = task.order->places.data();
    std::size_t end = task.order->places.size();
    const auto walk = [&](std::size_t begin) {
      while (end > begin) {
        worker.check();
        const std::size_t size = std::min(kWalk, end - begin);
        end -= size;
        shared_.kernels.add_precision(counts_.data(), places + end, size, found);
      }
    };
    for (std::size_t t = task.order->ties.size(); t-- > 0;) {
      const Tie& tie = task.order->ties[t];
      walk(tie.end);
      shared_.kernels.tie_precision(counts_.data(), places + tie.begin, tie.end - tie.begin, found);
      end = tie.begin;
    }
    walk(0);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      values[lane * values.size() / lanes + task.output] =
          found.positives[lane] == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : found.sum[lane] / found.positives[lane];
  }

  const Shared& shared_;
  LaneCounts counts_;
};

class RankEngine final : public Engine {
 public:
  RankEngine(std::uint64_t group, std::shared_ptr<const Shared> shared)
      : group_(group), shared_(std::move(shared)) {}

  [[nodiscard]] std::unique_ptr<Maker> maker() const override {
    return std::make_unique<Ranker>(*shared_);
  }
  [[nodiscard]] std::uint64_t group() const override { return group_; }
  [[nodiscard]] std::uint64_t steps() const override { return shared_->counting.rows(); }
  [[nodiscard]] std::optional<std::vector<double>> estimates() const override {
    return shared_->estimates;
  }

 private:
  std::uint64_t group_;
  std::shared_ptr<const Shared> shared_;
};

/// Models of all statistics.
std::size_t models(const study::Problem& problem) {
  std::size_t count = 0;
  for (const study::Part& part : problem.parts) count += part.columns.size() - 1;
  return count;
}

}  // namespace

bool suits(const Question& question) {
  return question.rows < kMostRows && LaneCounts::suits(question) &&
         std::all_of(question.problem().parts.begin(), question.problem().parts.end(),
                     [](const study::Part& part) {
                       const auto* call = std::get_if<statistic::Call>(&part.bound.body);
                       return call != nullptr && call->ranking.has_value();
                     });
}

Estimate estimate(const Question& question) {
  const bool streams = question.design.streams(question.rows);
  const auto rows = static_cast<double>(question.rows);
  const std::size_t count = models(question.problem());
  Estimate found;
  found.tier = streams ? Tier::counts : Tier::resample;
  found.reason = "counts are walked over in the order of the scores, which is found once";
  found.replicate_nanoseconds = 250 + rows * (0.2 + 0.5 * static_cast<double>(count)) +
                                (streams ? 0 : 4 * static_cast<double>(question.draws));
  found.start_nanoseconds = 120 * rows * static_cast<double>(count);
  found.shared_bytes = LaneCounts::shared_bytes(question) +
                       question.rows * (sizeof(Scored) + count * sizeof(std::uint32_t));
  found.thread_bytes = LaneCounts::thread_bytes(question);
  found.group = kLanes;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  const std::uint64_t group = kLanes * std::max<std::uint64_t>(1, 16384 / question.rows);
  return std::make_unique<RankEngine>(group, std::make_shared<const Shared>(question, resources));
}

}  // namespace bootfold::paths::ranked
