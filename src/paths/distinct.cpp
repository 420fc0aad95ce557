// Path `distinct`: how often each distinct row is drawn, by conditional binomials.
//
// Given what the rows before it took, a row's count is binomial over what is left. What is left is
// carried as integers, so the counts always add up to n.
#include <algorithm>
#include <cmath>

#include "bootfold/random.h"
#include "numeric/exact_sum.h"
#include "paths/entry.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "resample/rows.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::distinct {

namespace {

struct Shared {
  explicit Shared(const Question& question)
      : sums(question.study.fixed(question.tolerance, true)),
        seed(question.seed),
        rows(question.rows),
        draws(question.draws) {
    study::DistinctRows distinct = question.study.distinct_features();
    weights = std::move(distinct.weights);
    std::vector<const std::vector<double>*> features(sums.features());
    for (std::size_t f = 0; f < sums.places.size(); ++f)
      features[sums.places[f]] = &distinct.columns[f];
    integers.resize(weights.size() * sums.limbs.size());
    std::int64_t* at = integers.data();
    for (std::size_t row = 0; row < weights.size(); ++row)
      for (std::size_t f = 0; f < features.size(); ++f) {
        const study::FixedFeature& fixed = sums.fixed[f];
        study::quantize(fixed, {features[f]->data() + row, 1}, study::simd::kPortable, at, 1);
        at += fixed.limbs();
      }
  }

  const study::FixedSums& sums;
  std::uint64_t seed;
  std::uint64_t rows;
  std::uint64_t draws;
  std::vector<std::uint64_t> weights;  // rows that each distinct one stands for
  std::vector<std::int64_t> integers;  // [distinct row][limb]
};

/// Replicates that a thread makes at a time.
std::uint64_t group_of(const Shared& shared) {
  return std::max<std::uint64_t>(1, 4096 / shared.weights.size());
}

class Counter final : public Maker {
 public:
  explicit Counter(const Shared& shared)
      : shared_(shared), finish_(shared.sums), sums_(shared.sums.limbs.size()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t replicate = first; replicate < last; ++replicate)
      make_one(replicate, values.subspan((replicate - first) * outputs, outputs));
    worker.advance(static_cast<double>(last - first) * static_cast<double>(shared_.rows));
  }

 private:
  void make_one(std::uint64_t replicate, std::span<double> values) {
    random::Stream stream({shared_.seed, replicate, random::Purpose::binomial});
    std::uint64_t draws_left = shared_.draws;
    std::uint64_t weight_left = shared_.rows;
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t row = 0; row < shared_.weights.size() && draws_left > 0; ++row) {
      const std::uint64_t weight = shared_.weights[row];
      const std::uint64_t count =
          weight == weight_left
              ? draws_left
              : random::binomial(stream, draws_left,
                                 static_cast<double>(weight) / static_cast<double>(weight_left));
      draws_left -= count;
      weight_left -= weight;
      for (std::size_t f = 0; f < sums_.size(); ++f)
        sums_[f] += static_cast<__int128>(count) * shared_.integers[row * sums_.size() + f];
    }
    finish_(sums_, static_cast<double>(shared_.draws), values);
  }

  const Shared& shared_;
  Finisher finish_;
  std::vector<__int128> sums_;
};

/// All that is needed is in the look at the rows.
class Parts final : public planning::PartEngine {
 public:
  explicit Parts(const Question& question) : question_(question), shared_(question) {}

  [[nodiscard]] bool needs_rows() const override { return false; }
  void add(const planning::Piece&, planning::PartialSums&, const Execution&) const override {}

  void finish(const planning::PartialSums& part, std::uint64_t first, std::span<double> values,
              const Execution& execution, const planning::Made& made) const override {
    const std::uint64_t replicates = part.last() - first;
    const EngineOf<Shared, Counter> engine(group_of(shared_), question_.rows,
                                           std::shared_ptr<const Shared>(&shared_, [](auto*) {}));
    planning::make_replicates(engine, first, replicates, values.size() / replicates, values,
                              execution, made);
  }

  /// From exact sums, as if the rows had been read.
  [[nodiscard]] std::vector<double> estimates(const planning::PartialSums&) const override {
    const study::Problem& problem = question_.problem();
    const study::DistinctRows distinct = question_.study.distinct_features();
    std::vector<double> means;
    for (const std::vector<double>& feature : distinct.columns) {
      numeric::ExactSum sum;
      for (std::size_t row = 0; row < feature.size(); ++row) {
        const auto weight = static_cast<double>(distinct.weights[row]);
        const double product = feature[row] * weight;
        sum.add(product);
        sum.add(std::fma(feature[row], weight, -product));
      }
      means.push_back(sum.value() / static_cast<double>(question_.rows));
    }
    std::vector<double> values(problem.outputs.size());
    std::vector<double> scratch;
    problem.finish_sums(means, static_cast<double>(question_.rows), 0, values, scratch);
    return values;
  }

 private:
  Question question_;
  Shared shared_;
};

/// A replicate, with so many distinct rows.
double cost(double distinct) { return 60 + 75 * (distinct - 1); }

std::string serves(const Question& question) {
  if (!question.problem().all<statistic::Sums>()) return "it takes functions of sums only";
  return question.traits.iid ? "" : no_way_for(question.design);
}

/// As many as are quicker to draw than the resample; for those who force the path, as many as the
/// memory holds.
std::size_t most_distinct(const Question& question) {
  const Size size = size_of(question);
  if (question.forced) {
    const double room = static_cast<double>(question.memory) / 2 / (24 * (size.features + 2));
    return static_cast<std::size_t>(std::min(room, size.rows));
  }
  double other = stream::cost(size);
  if (question.rows <= resample::kMostGatherRows) other = std::min(other, gather::cost(size));
  const double pays = (other - cost(1)) / (cost(2) - cost(1)) + 1;
  const double most = std::min({pays, 65536.0, 1e6 / (size.features + 2)});
  return most >= 1 ? static_cast<std::size_t>(most) : 0;
}

Estimate estimate(const Question& question) {
  Estimate found;
  const study::DistinctTable& table = question.study.columns().distinct();
  const std::size_t most = most_distinct(question);
  const study::FixedSums& sums = question.study.fixed(question.tolerance, true);
  if (table.closed() || table.count() > most) {
    found.refusal = text::concat("there are more than ", text::grouped(most),
                                 " distinct rows, which is all that the memory limit holds");
  } else if (!sums.accurate()) {
    found.refusal = kNotAccurate;
  }
  if (!found.refusal.empty()) return found;
  const std::uint64_t rows = table.count();
  found.tier = Tier::shortcut;
  found.distinct_rows = rows;
  found.reason =
      text::concat("only ", text::grouped(rows), " distinct ", rows == 1 ? "row" : "rows",
                   " among ", text::grouped(question.rows), ": ", text::grouped(rows - 1),
                   " binomial ", rows == 2 ? "draw" : "draws", " a replicate");
  found.replicate_nanoseconds = cost(static_cast<double>(rows));
  found.shared_bytes = rows * (sums.limbs.size() + 2) * 3 * sizeof(double);
  found.thread_bytes = 4096;
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources&) {
  auto shared = std::make_shared<const Shared>(question);
  const std::uint64_t group = group_of(*shared);
  return std::make_unique<EngineOf<Shared, Counter>>(group, question.rows, std::move(shared));
}

}  // namespace

PathEntry entry() {
  return {.id = Path::distinct,
          .name = "distinct",
          .meaning = "binomial draws over the distinct rows",
          .serves = serves,
          .most_distinct = most_distinct,
          .estimate = estimate,
          .prepare = prepare,
          .no_parts = [](const Question&) { return std::string(); },
          .prepare_parts = [](const Question& question,
                              const Resources&) -> std::unique_ptr<planning::PartEngine> {
            return std::make_unique<Parts>(question);
          }};
}

}  // namespace bootfold::paths::distinct
