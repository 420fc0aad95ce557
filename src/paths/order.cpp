// Path `order`: where the order statistics of a resample lie among the sorted data.
//
// A resample is m uniform draws, scaled up to positions. So its k-th smallest row is the data's
// order statistic number ceil(n U), where U is the k-th smallest of m uniforms: Beta(k, m - k + 1);
// and given one of them, the next one's gap is again a beta draw. The positions stay within a few
// standard deviations, so only a window of the sorted data is ever needed. Where rows have weights,
// the row is the one at which the weights of the sorted rows reach the share U.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "numeric/elementary.h"
#include "numeric/order_key.h"
#include "paths/entry.h"
#include "paths/order_data.h"
#include "paths/table.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::order {

namespace {

/// One further order statistic of m uniforms: number k after number `before`, which lies at `at`.
double next_position(random::Stream& stream, std::uint64_t before, std::uint64_t k, std::uint64_t m,
                     double at) {
  const auto above = static_cast<double>(m - before);
  // The least of those above needs one uniform: 1 - W^(1 / above).
  const double gap =
      k == before + 1
          ? -numeric::expm1(numeric::log(random::uniform(stream)) / above)
          : random::beta(stream, static_cast<double>(k - before), static_cast<double>(m - k) + 1);
  return at + (1 - at) * gap;
}

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : data(question.problem(), question.draws, resources.room, resources.execution.stop,
             question.design.weights()),
        seed(question.seed),
        rows(question.rows),
        draws(question.draws) {}

  Shared(const Question& question, OrderData found)
      : data(std::move(found)), seed(question.seed), rows(question.rows), draws(question.draws) {}

  OrderData data;
  std::uint64_t seed;
  std::uint64_t rows;
  std::uint64_t draws;
};

class Positions final : public Maker {
 public:
  explicit Positions(const Shared& shared) : shared_(shared), found_(shared.data.ranks().size()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t replicate = first; replicate < last; ++replicate) {
      random::Stream stream({shared_.seed, replicate, random::Purpose::order});
      double at = 0;
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < found_.size(); ++i) {
        const std::uint64_t k = shared_.data.ranks()[i];
        at = next_position(stream, before, k, shared_.draws, at);
        before = k;
        found_[i] = shared_.data.at(i, at);
      }
      shared_.data.finish(found_, values.subspan((replicate - first) * outputs, outputs));
    }
    worker.advance(static_cast<double>(last - first) * static_cast<double>(shared_.rows));
  }

 private:
  const Shared& shared_;
  std::vector<double> found_;
};

class OrderEngine final : public Engine {
 public:
  OrderEngine(const Question& question, const Resources& resources)
      : shared_(question, resources), outputs_(question.problem().outputs.size()) {}

  [[nodiscard]] std::unique_ptr<Maker> maker() const override {
    return std::make_unique<Positions>(shared_);
  }
  [[nodiscard]] std::uint64_t group() const override { return 1024; }
  [[nodiscard]] std::uint64_t steps() const override { return shared_.rows; }

  /// The order statistics of resamples of another size are not those of the data.
  [[nodiscard]] std::optional<std::vector<double>> estimates() const override {
    if (shared_.draws != shared_.rows) return std::nullopt;
    std::vector<double> values(outputs_);
    shared_.data.estimate(values);
    return values;
  }

 private:
  Shared shared_;
  std::size_t outputs_;
};

/// From the look it is known between which values the order statistics lie; one read of the rows
/// collects what is there.
class Parts final : public planning::PartEngine {
 public:
  Parts(const Question& question, const Resources& resources)
      : question_(question), column_(question.problem().parts[0].columns[0]) {
    for (const std::uint64_t rank : OrderData::ranks_of(question.problem(), question.draws))
      want(OrderData::window_of(rank, question.rows, question.draws));
    if (question.draws != question.rows)  // the estimate has order statistics of its own
      for (const std::uint64_t rank : OrderData::ranks_of(question.problem(), question.rows))
        want({rank, rank});
    const study::ColumnsLook& look = question.study.columns();
    most_ = std::max<std::uint64_t>(1 << 16, resources.room / 4 / sizeof(double) / 2);
    distinct_ = look.columns()[column_].sample.distinct();
    for (Wanted& one : wanted_) one.bracket = look.keys(column_)->bracket(one.first, one.last);
  }

  [[nodiscard]] std::size_t windows() const override { return wanted_.size(); }

  [[nodiscard]] bool wants_read() const override {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [this](const Wanted& one) { return is_coarse(one); });
  }
  void read_again(const DataView& piece, const Execution& execution) override {
    for (Wanted& one : wanted_) {
      if (!is_coarse(one)) continue;
      if (!one.finer) one.finer.emplace(one.bracket.keys);
      one.finer->see(piece.column(column_), execution);
    }
  }
  void end_read() override {
    for (Wanted& one : wanted_) {
      if (one.finer) one.bracket = one.finer->bracket(one.first, one.last);
      one.finer.reset();
    }
  }

  void add(const planning::Piece& added, planning::PartialSums& part,
           const Execution& execution) const override {
    if (part.windows.empty()) return;
    const DataView& piece = added.rows;
    std::mutex lock;
    Execution quiet = execution;
    quiet.progress = nullptr;
    const std::uint64_t rows = piece.rows();
    execution::detail::run_chunks(
        static_cast<std::size_t>((rows + study::kChunkRows - 1) / study::kChunkRows), 1, quiet,
        [&](const execution::Worker& worker, std::size_t chunk) {
          worker.check();
          std::vector<std::vector<double>> found(wanted_.size());
          std::vector<double> tile(study::kTileRows);
          const std::uint64_t end = std::min(rows, (chunk + 1) * study::kChunkRows);
          for (std::uint64_t row = chunk * study::kChunkRows; row < end; row += tile.size()) {
            const std::span<double> some =
                std::span(tile).first(std::min<std::uint64_t>(tile.size(), end - row));
            piece.column(column_).read(row, some);
            for (std::size_t w = 0; w < wanted_.size(); ++w) {
              const double low = numeric::value_of_key(wanted_[w].bracket.keys.first);
              const double high = numeric::value_of_key(wanted_[w].bracket.keys.last);
              // Bounds beyond all numbers are NaN, and compare false.
              for (const double value : some)
                if (!(value < low) && !(value > high)) found[w].push_back(value);
            }
          }
          const std::lock_guard guard(lock);
          for (std::size_t w = 0; w < wanted_.size(); ++w) part.windows[w].add(std::move(found[w]));
        });
  }

  void finish(const planning::PartialSums& part, std::uint64_t first, std::span<double> values,
              const Execution& execution, const planning::Made& made) const override {
    const std::uint64_t replicates = part.last() - first;
    const OrderData data = order_data(part, question_.draws);
    const auto shared = std::make_shared<const Shared>(question_, data);
    const EngineOf<Shared, Positions> engine(1024, question_.rows, shared);
    planning::make_replicates(engine, first, replicates, values.size() / replicates, values,
                              execution, made);
  }

  [[nodiscard]] std::vector<double> estimates(const planning::PartialSums& part) const override {
    std::vector<double> values(question_.problem().outputs.size());
    order_data(part, question_.rows).estimate(values);
    return values;
  }

 private:
  /// The order statistics first .. last of the data, and where they are.
  struct Wanted {
    std::uint64_t first;
    std::uint64_t last;
    study::KeyHistogram::Bracket bracket = {};
    std::optional<study::KeyHistogram> finer = std::nullopt;  // while rows are read again
  };

  void want(std::pair<std::uint64_t, std::uint64_t> ranks) {
    const auto [first, last] = ranks;
    for (Wanted& one : wanted_)
      if (first <= one.last + 1 && one.first <= last + 1) {
        one.first = std::min(one.first, first);
        one.last = std::max(one.last, last);
        return;
      }
    wanted_.push_back({first, last});
  }

  /// Whether so many values lie between the bounds that they might not fit.
  [[nodiscard]] bool is_coarse(const Wanted& one) const {
    return one.bracket.inside > std::max(most_, 2 * (one.last - one.first)) &&
           distinct_ > static_cast<double>(most_) && one.bracket.keys.first < one.bracket.keys.last;
  }

  [[nodiscard]] OrderData order_data(const planning::PartialSums& part, std::uint64_t draws) const {
    std::vector<OrderData::Window> windows;
    for (const std::uint64_t rank : OrderData::ranks_of(question_.problem(), draws)) {
      const auto [first, last] = draws == question_.draws
                                     ? OrderData::window_of(rank, question_.rows, draws)
                                     : std::pair(rank, rank);
      windows.push_back({first, values_of(part, first, last)});
    }
    return {question_.problem(), draws, std::move(windows)};
  }

  /// The order statistics first .. last of the data.
  [[nodiscard]] std::vector<double> values_of(const planning::PartialSums& part,
                                              std::uint64_t first, std::uint64_t last) const {
    std::size_t w = 0;
    while (first < wanted_[w].first || last > wanted_[w].last) ++w;
    const planning::WindowValues& there = part.windows.at(w);
    if (there.rows() != wanted_[w].bracket.inside)
      throw DataError(text::concat("the look found ", text::grouped(wanted_[w].bracket.inside),
                                   " values near a quantile but the rows that were read later "
                                   "have ",
                                   text::grouped(there.rows()),
                                   "; the data must not change between the two"));
    std::vector<double> found;
    found.reserve(last - first + 1);
    std::uint64_t rank = wanted_[w].bracket.below;
    for (std::size_t i = 0; i < there.values.size() && rank < last; ++i) {
      const std::uint64_t from = std::max(rank + 1, first);
      rank += there.counts[i];
      if (rank >= from) found.insert(found.end(), std::min(rank, last) - from + 1, there.values[i]);
    }
    if (found.size() != last - first + 1)
      throw DataError("the values near a quantile do not fit the look; make both again");
    return found;
  }

  Question question_;
  std::uint32_t column_;
  std::uint64_t most_ = 0;  // values that may be kept
  double distinct_ = 0;     // values of the column, roughly
  std::vector<Wanted> wanted_;
};

std::string serves(const Question& question) {
  if (!question.traits.iid && question.design.weights().empty()) return no_way_for(question.design);
  const study::Problem& problem = question.problem();
  bool one_column = problem.all<statistic::Order>();
  for (const study::Part& part : problem.parts)
    one_column = one_column && part.columns == problem.parts[0].columns;
  return one_column ? "" : "it takes quantiles of one column only";
}

/// The windows of sorted data that are kept.
std::size_t window_bytes(const Question& question) {
  const auto rows = static_cast<double>(question.rows);
  const double thin = std::max(1.0, rows / static_cast<double>(question.draws));
  double values = 0;
  for (const study::Part& part : question.problem().parts)
    for (const double q : std::get<statistic::Order>(part.bound.body).probabilities)
      values += 2 * std::min(rows, 20 * std::sqrt(thin * rows * q * (1 - q) + thin) + 124 * thin);
  return (std::size_t{2} << 20) + static_cast<std::size_t>(values) * sizeof(double);
}

Estimate estimate(const Question& question) {
  double quantiles = 0;
  for (const study::Part& part : question.problem().parts)
    quantiles +=
        static_cast<double>(std::get<statistic::Order>(part.bound.body).probabilities.size());
  Estimate found;
  found.tier = Tier::shortcut;
  found.reason = "quantiles of one column: their positions in the sorted data are beta draws";
  found.replicate_nanoseconds = 60 + 200 * quantiles;
  found.start_nanoseconds =
      static_cast<double>(question.rows) *
      (question.design.weights().empty() ? std::min(14 * quantiles, 100.0) : 28 * quantiles);
  found.shared_bytes = window_bytes(question);
  found.thread_bytes = 4096;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<OrderEngine>(question, resources);
}

}  // namespace

PathEntry entry() {
  return {.id = Path::order,
          .name = "order",
          .meaning = "draws of the positions of order statistics",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare,
          .no_parts =
              [](const Question& question) {
                return std::string(question.design.weights().empty()
                                       ? ""
                                       : "rows with probabilities have to be sorted");
              },
          .prepare_parts = [](const Question& question,
                              const Resources& resources) -> std::unique_ptr<planning::PartEngine> {
            return std::make_unique<Parts>(question, resources);
          }};
}

}  // namespace bootfold::paths::order
