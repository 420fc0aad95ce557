// Quantiles of rows with weights, from counts.
//
// The order of the values is found once. A replicate is a walk over the rows in that order, which
// adds up count times weight until it reaches the weight of an order statistic (numeric/quantile.h
// has the definition). Weights are integers in a unit so small that they are exact if they are
// whole numbers; sums of integers have no order, so a replicate has the same bits everywhere.
#include "paths/weighted_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "numeric/quantile.h"
#include "resample/counting.h"

namespace bootfold::paths::weighted_order {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;

/// Rows of a walk between two looks at the time.
constexpr std::size_t kWalk = std::size_t{1} << 18;

const statistic::Order* order_of(const study::Part& part) {
  const auto* call = std::get_if<statistic::Call>(&part.bound.body);
  return call != nullptr && call->weighted_order ? &*call->weighted_order : nullptr;
}

/// The rows of a column in the order of its values, without those of weight 0.
struct Sorted {
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  std::vector<std::uint64_t> weights;
  std::vector<std::uint64_t> row_weights;  // in the order of the rows
};

std::vector<double> read(const ColumnView& column) {
  std::vector<double> values(column.rows());
  column.read(0, values);
  return values;
}

/// Weights as integers, the largest below 2^bits. Whole numbers below that keep their ratios; what
/// is too small for them counts as 1, so that no positive weight is lost.
std::vector<std::uint64_t> integers(std::span<const double> weights, int bits) {
  const int exponent = std::ilogb(*std::max_element(weights.begin(), weights.end())) + 1;
  std::vector<std::uint64_t> found;
  found.reserve(weights.size());
  for (const double weight : weights) {
    const double units = std::nearbyint(std::ldexp(weight, bits - exponent));
    found.push_back(weight > 0 ? static_cast<std::uint64_t>(std::max(1.0, units)) : 0);
  }
  return found;
}

Sorted sort(const DataView& data, std::uint32_t column, std::uint32_t weights, int bits) {
  const std::vector<double> values = read(data.column(column));
  Sorted sorted;
  sorted.row_weights = integers(read(data.column(weights)), bits);
  const std::vector<std::uint64_t>& units = sorted.row_weights;
  for (std::uint32_t row = 0; row < values.size(); ++row)
    if (units[row] > 0) sorted.rows.push_back(row);
  std::sort(sorted.rows.begin(), sorted.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  for (const std::uint32_t row : sorted.rows) {
    sorted.values.push_back(values[row]);
    sorted.weights.push_back(units[row]);
  }
  return sorted;
}

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.problem()),
        counting(question.design, question.rows, question.seed, question.replicates,
                 resources.level()) {
    // Sums of counts times weights stay below 2^63, also where the number of draws varies.
    const int bits = 60 - static_cast<int>(std::bit_width(question.rows + question.draws));
    for (const study::Part& part : problem.parts) {
      const std::pair key(part.columns[0], part.columns[1]);
      if (!columns.contains(key)) columns[key] = sort(problem.data, key.first, key.second, bits);
    }
  }

  const study::Problem& problem;
  resample::Counting counting;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sorted> columns;  // by values and weights
};

/// A place in the list of quantiles, and the order statistics that it lies between.
struct Wanted {
  std::size_t quantile;
  bool upper;
  unsigned __int128 weight;  // cumulative, that reaches the order statistic
};

class Walker final : public Maker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared), maker_(shared.counting), counts_(shared.counting.rows()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    const resample::Counting& counting = shared_.counting;
    for (std::uint64_t replicate = first; replicate < last; ++replicate) {
      std::uint64_t draws = 0;
      for (std::uint64_t piece = 0; piece < counting.pieces(); ++piece)
        draws += maker_.make(
            replicate, piece,
            std::span(counts_).subspan(counting.first_row(piece), counting.piece_rows(piece)),
            worker);
      evaluate(draws, values.subspan((replicate - first) * outputs, outputs), worker);
      worker.advance(static_cast<double>(counting.rows()));
    }
  }

 private:
  void evaluate(std::uint64_t draws, std::span<double> values, const execution::Worker& worker) {
    for (const study::Part& part : shared_.problem.parts) {
      const statistic::Order& order = *order_of(part);
      const Sorted& sorted = shared_.columns.at({part.columns[0], part.columns[1]});
      find(sorted, order.probabilities, draws, worker);
      order.finish(quantiles_, values.subspan(part.first_output, part.outputs()));
    }
  }

  /// Sets quantiles_.
  void find(const Sorted& sorted, std::span<const double> probabilities, std::uint64_t draws,
            const execution::Worker& worker) {
    quantiles_.assign(probabilities.size(), std::numeric_limits<double>::quiet_NaN());
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < counts_.size(); ++row)
      total += counts_[row] * sorted.row_weights[row];
    if (total == 0) return;
    wanted_.clear();
    std::vector<numeric::QuantilePosition> positions;
    for (std::size_t q = 0; q < probabilities.size(); ++q) {
      positions.push_back(numeric::quantile_position(probabilities[q], draws));
      const std::uint64_t low = positions[q].low;
      wanted_.push_back({q, false, numeric::weight_of_rank(total, low, draws)});
      if (positions[q].weight > 0)
        wanted_.push_back({q, true, numeric::weight_of_rank(total, low + 1, draws)});
    }
    std::sort(wanted_.begin(), wanted_.end(),
              [](const Wanted& a, const Wanted& b) { return a.weight < b.weight; });
    std::uint64_t seen = 0;
    std::size_t at = 0;
    upper_.resize(probabilities.size());
    for (const Wanted& wanted : wanted_) {
      while (seen < wanted.weight) {
        if (at % kWalk == 0) worker.check();
        seen += counts_[sorted.rows[at]] * sorted.weights[at];
        ++at;
      }
      (wanted.upper ? upper_ : quantiles_)[wanted.quantile] = sorted.values[at - 1];
    }
    for (std::size_t q = 0; q < positions.size(); ++q)
      quantiles_[q] = numeric::interpolate(
          quantiles_[q], positions[q].weight > 0 ? upper_[q] : quantiles_[q], positions[q].weight);
  }

  const Shared& shared_;
  resample::CountMaker maker_;
  std::vector<std::uint8_t> counts_;
  std::vector<Wanted> wanted_;
  std::vector<double> quantiles_;
  std::vector<double> upper_;
};

}  // namespace

bool suits(const Question& question) {
  const auto& parts = question.problem().parts;
  return question.rows < kMostRows && question.traits.lists_rows && !question.traits.deletes &&
         resample::count_bytes(question.design, question.rows) == 1 &&
         std::all_of(parts.begin(), parts.end(),
                     [](const study::Part& part) { return order_of(part) != nullptr; });
}

Estimate estimate(const Question& question) {
  const bool streams = question.design.streams(question.rows);
  const auto rows = static_cast<double>(question.rows);
  const auto parts = question.problem().parts.size();
  Estimate found;
  found.tier = streams ? Tier::counts : Tier::resample;
  found.reason = "counts are walked over in the order of the values, which is found once";
  found.replicate_nanoseconds = 250 + rows * (0.2 + 1.2 * static_cast<double>(parts)) +
                                (streams ? 0 : 4 * static_cast<double>(question.draws));
  found.start_nanoseconds = 150 * rows * static_cast<double>(parts);
  constexpr std::size_t kSortedBytes = 28;
  constexpr std::size_t kSortingBytes = 16;  // values and weights, for a while
  found.shared_bytes = question.design.sampling_bytes(question.rows) + (std::size_t{1} << 19) +
                       question.rows * (kSortingBytes + parts * kSortedBytes);
  found.thread_bytes = question.rows + sizeof(resample::simd::Replaced) + 8192 + 4 * question.rows +
                       (streams ? 0 : 4 * question.draws);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<EngineOf<Shared, Walker>>(
      std::max<std::uint64_t>(1, 16384 / question.rows), question.rows,
      std::make_shared<const Shared>(question, resources));
}

}  // namespace bootfold::paths::weighted_order
