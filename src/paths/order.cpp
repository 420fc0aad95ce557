// Path `order`: where the order statistics of a resample lie among the sorted data.
//
// A resample is m uniform draws, scaled up to positions. So its k-th smallest row is the data's
// order statistic number ceil(n U), where U is the k-th smallest of m uniforms: Beta(k, m - k + 1);
// and given one of them, the next one's gap is again a beta draw. The positions stay within a few
// standard deviations, so only a window of the sorted data is ever needed. Where rows have weights,
// the row is the one at which the weights of the sorted rows reach the share U.
#include <algorithm>
#include <cmath>

#include "bootfold/random.h"
#include "numeric/elementary.h"
#include "paths/entry.h"
#include "paths/order_data.h"
#include "paths/table.h"

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
          .prepare = prepare};
}

}  // namespace bootfold::paths::order
