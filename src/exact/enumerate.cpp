// Every distinct resample with its multinomial probability.
//
// m distinct rows, row i standing for w_i of the n, make C(n + m - 1, n) distinct resamples; the
// one that draws row i c_i times has probability n! / (c_1! ... c_m!) (w_1 / n)^c_1 ... (w_m /
// n)^c_m. They are numbered in the order of falling c_1, c_2, ..., so that any worker can begin
// anywhere.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "exact/discrete.h"
#include "exact/methods.h"
#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "resample/overloaded.h"
#include "study/tile.h"

namespace bootfold::exact {

namespace {

using Counts = std::vector<std::uint32_t>;

constexpr std::uint64_t kEndless = std::uint64_t{1} << 62;

/// C(r + m - 1, r): ways to share r draws among m rows; kEndless if more.
std::uint64_t ways(std::uint64_t r, std::uint64_t m) {
  if (m == 0) return r == 0 ? 1 : 0;
  const std::uint64_t top = r + m - 1;
  const std::uint64_t k = std::min(r, m - 1);
  unsigned __int128 found = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    found = found * (top - k + i) / i;
    if (found > kEndless) return kEndless;
  }
  return static_cast<std::uint64_t>(found);
}

/// The counts of resample number `rank`.
Counts unrank(std::uint64_t rank, std::uint64_t n, std::size_t rows) {
  Counts counts(rows);
  std::uint64_t left = n;
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    std::uint64_t rest = 0;  // draws that go to later rows
    for (std::uint64_t many = ways(rest, rows - 1 - i); rank >= many;
         many = ways(rest, rows - 1 - i)) {
      rank -= many;
      ++rest;
    }
    counts[i] = static_cast<std::uint32_t>(left - rest);
    left = rest;
  }
  counts[rows - 1] = static_cast<std::uint32_t>(left);
  return counts;
}

/// The resample after this one.
void advance(Counts& counts) {
  const std::uint32_t tail = counts.back();
  counts.back() = 0;
  std::size_t i = counts.size() - 1;
  while (i > 0 && counts[i - 1] == 0) --i;
  if (i == 0) return;
  --counts[i - 1];
  counts[i] = tail + 1;
}

/// The statistic on the resample that draws row i counts[i] times.
class Evaluator {
 public:
  Evaluator(const study::Problem& problem, std::span<const std::uint64_t> rows)
      : problem_(problem), part_(problem.parts[0]), reader_(problem.data, rows.size()) {
    const statistic::Tile tile = reader_.gather(rows);
    count_ = rows.size();
    for (const std::uint32_t c : part_.columns)
      columns_.emplace_back(tile.columns[c], tile.columns[c] + count_);
    features_.resize(problem.features.count() * count_);
    problem.features.make(tile, features_.data(), count_);
    means_.resize(problem.features.count());
    if (std::holds_alternative<statistic::Order>(part_.bound.body)) {
      sorted_.resize(count_);
      std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
      std::sort(sorted_.begin(), sorted_.end(),
                [&](std::size_t a, std::size_t b) { return columns_[0][a] < columns_[0][b]; });
    }
  }

  [[nodiscard]] double operator()(const Counts& counts) {
    double value = 0;
    std::visit(overloaded{
                   [&](const statistic::Sums&) { of_sums(counts, value); },
                   [&](const statistic::Order& order) { of_order(order, counts, value); },
                   [&](const statistic::Fold& fold) { of_fold(fold, counts, value); },
                   [&](const statistic::Call&) { of_call(counts, value); },
               },
               part_.bound.body);
    return value;
  }

 private:
  void of_order(const statistic::Order& order, const Counts& counts, double& value) {
    std::vector<double> quantiles;
    for (const double q : order.probabilities) quantiles.push_back(quantile(counts, q));
    order.finish(quantiles, {&value, 1});
  }

  void of_fold(const statistic::Fold& fold, const Counts& counts, double& value) {
    std::vector<const double*> columns;
    for (const auto& column : columns_) columns.push_back(column.data());
    const auto state = fold.fresh();
    state->accumulate({columns, count_}, counts);
    state->finish({&value, 1});
  }

  void of_sums(const Counts& counts, double& value) {
    const auto n = static_cast<double>(problem_.data.rows());
    for (std::size_t f = 0; f < means_.size(); ++f) {
      numeric::Compensated sum;
      for (std::size_t i = 0; i < count_; ++i)
        if (counts[i] != 0) sum.add(counts[i] * features_[f * count_ + i]);
      means_[f] = sum.value() / n;
    }
    problem_.finish_sums(means_, n, 0, {&value, 1}, scratch_);
  }

  void of_call(const Counts& counts, double& value) {
    std::vector<std::vector<double>> drawn(columns_.size());
    std::vector<const double*> pointers;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::size_t i = 0; i < count_; ++i)
        drawn[c].insert(drawn[c].end(), counts[i], columns_[c][i]);
      pointers.push_back(drawn[c].data());
    }
    std::get<statistic::Call>(part_.bound.body).call({pointers, problem_.data.rows()}, {&value, 1});
  }

  [[nodiscard]] double quantile(const Counts& counts, double q) const {
    const auto position = numeric::quantile_position(q, problem_.data.rows());
    const double low = ranked(counts, position.low);
    if (position.weight == 0) return low;
    return numeric::interpolate(low, ranked(counts, position.low + 1), position.weight);
  }

  [[nodiscard]] double ranked(const Counts& counts, std::uint64_t rank) const {
    for (const std::size_t i : sorted_) {
      if (rank <= counts[i]) return columns_[0][i];
      rank -= counts[i];
    }
    return columns_[0][sorted_.back()];
  }

  const study::Problem& problem_;
  const study::Part& part_;
  study::TileReader reader_;
  std::size_t count_ = 0;
  std::vector<std::vector<double>> columns_;
  std::vector<double> features_;
  std::vector<double> means_;
  std::vector<double> scratch_;
  std::vector<std::size_t> sorted_;
};

/// Logarithms of (w / n)^c / c! for every row and count, and of n!.
class Probabilities {
 public:
  Probabilities(std::span<const std::uint64_t> weights, std::uint64_t n) : n_(n) {
    factorials_.resize(n + 1);
    for (std::uint64_t c = 1; c <= n; ++c)
      factorials_[c] = factorials_[c - 1] + std::log(static_cast<long double>(c));
    for (const std::uint64_t weight : weights)
      shares_.push_back(std::log(static_cast<long double>(weight) / static_cast<long double>(n)));
  }

  [[nodiscard]] double operator()(const Counts& counts) const {
    long double sum = factorials_[n_];
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0)
        sum += static_cast<long double>(counts[i]) * shares_[i] - factorials_[counts[i]];
    return static_cast<double>(std::exp(sum));
  }

 private:
  std::uint64_t n_;
  std::vector<long double> factorials_;
  std::vector<long double> shares_;
};

}  // namespace

Enumeration::Enumeration(const study::Problem& problem, std::uint64_t most) : problem_(problem) {
  const std::uint64_t n = problem.data.rows();
  const bool constant =
      std::all_of(problem.columns.begin(), problem.columns.end(),
                  [](const study::ColumnSummary& column) { return column.min == column.max; });
  if (constant) {
    rows_ = {0};
    weights_ = {n};
    resamples_ = 1;
    possible_ = true;
    return;
  }
  if (n > most) return;  // two distinct rows make n + 1 resamples
  std::map<std::vector<double>, std::size_t> kinds;
  for (std::uint64_t row = 0; row < n; ++row) {
    std::vector<double> values;
    for (std::size_t c = 0; c < problem.data.columns(); ++c)
      values.push_back(problem.data.column(c)[row]);
    const auto [kind, fresh] = kinds.emplace(std::move(values), rows_.size());
    if (fresh) {
      rows_.push_back(row);
      weights_.push_back(0);
      resamples_ = ways(n, rows_.size());
      // A resample has n rows to look at, so a long one counts for more.
      if (resamples_ > most || resamples_ * n > 1000 * most) return;
    }
    ++weights_[kind->second];
  }
  possible_ = true;
}

Found Enumeration::law(const Execution& execution, double& estimate) const {
  const std::uint64_t n = problem_.data.rows();
  Counts all(weights_.begin(), weights_.end());
  estimate = Evaluator(problem_, rows_)(all);
  if (resamples_ == 1) {
    if (std::isnan(estimate))
      throw InvalidArgument("the statistic is undefined (NaN) on the only resample there is");
    return {Discrete::make({{estimate, 1}}, 0), 0, 0};
  }
  const Probabilities probability(weights_, n);
  struct State {
    std::vector<Atom> atoms;
    numeric::Compensated undefined;
  };
  constexpr std::uint64_t kChunk = 4096;
  State found = map_reduce(
      {0, static_cast<std::size_t>((resamples_ + kChunk - 1) / kChunk), 1}, State{},
      [&](State& state, std::size_t chunk, const execution::Worker& worker) {
        Evaluator evaluate(problem_, rows_);
        const std::uint64_t first = chunk * kChunk;
        const std::uint64_t last = std::min(resamples_, first + kChunk);
        Counts counts = unrank(first, n, rows_.size());
        for (std::uint64_t rank = first; rank < last; ++rank, advance(counts)) {
          if (rank % 64 == 0) worker.check();
          const double value = evaluate(counts);
          if (std::isnan(value))
            state.undefined.add(probability(counts));
          else
            state.atoms.push_back({value, probability(counts)});
        }
        worker.advance(static_cast<double>(last - first));
      },
      [](State& total, State&& part) {
        total.atoms.insert(total.atoms.end(), part.atoms.begin(), part.atoms.end());
        total.undefined.merge(part.undefined);
      },
      execution, static_cast<double>(resamples_));
  if (found.atoms.empty())
    throw InvalidArgument("the statistic is undefined (NaN) on every resample");
  const double undefined = found.undefined.value();
  if (undefined > 0)
    for (Atom& atom : found.atoms) atom.probability /= 1 - undefined;
  // A logarithm of a probability is a sum of 2 m + 1 numbers of at most n log n, in 64 bits.
  const auto rows = static_cast<double>(n);
  const double bound =
      1e-14 + 0x1p-62 * static_cast<double>(2 * rows_.size() + 2) * rows * std::log(rows + 2);
  return {Discrete::make(std::move(found.atoms), bound), bound, undefined};
}

}  // namespace bootfold::exact
