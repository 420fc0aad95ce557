// From data to the law of their mean: units, window, frequencies, nodes, error bound.
#include "exact/means.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bootfold/error.h"
#include "exact/discrete.h"
#include "exact/lattice.h"
#include "exact/methods.h"
#include "study/distinct.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::exact {

namespace {

constexpr double kOutside = 1e-13;          // probability left outside the window
constexpr double kCut = 5e-10;              // aimed at for frequencies beyond the last
constexpr double kMostTabulated = 0x1p20;   // lattice points that are listed
constexpr double kMostExact = 0x1p52;       // whole numbers that a double holds, with room
constexpr double kMostNodes = 0x1p24;       // nodes that are computed
constexpr double kMostNodeWork = 2e10;      // nodes times values
constexpr double kEasyNodeWork = 2e8;       // so few that no bound is needed to leave any out
constexpr double kMostPairWork = 5e9;       // cosines that bound the rest
constexpr std::uint64_t kFewRows = 80;      // too few for pairs to bound anything
constexpr std::uint64_t kSampledRuns = 64;  // of cells, in a sixteenth of an octave, for a forecast
constexpr double kForecastMargin = 1.6;     // what such a forecast may be too high by

/// The t at which Bennett's bound on P(sum - mean >= t) is kOutside / 2, for rows of at most
/// `reach` above their mean: exp(-(V / b^2) h(b t / V)), h(x) = (1 + x) log(1 + x) - x. Never more
/// than all rows at the top.
double window_reach(double variance, double reach, double rows) {
  const double b = reach * (1 + 1e-9);
  const double total = rows * variance * (1 + 1e-9);
  const double wanted = -std::log(kOutside / 2);
  const auto exponent = [&](double t) {
    const double x = b * t / total;
    // h(x) by its series where the difference would cancel.
    const double h = x < 1e-4 ? x * x / 2 - x * x * x / 6 : (1 + x) * std::log1p(x) - x;
    return total / (b * b) * h;
  };
  double low = 0;
  double high = rows * b;
  if (exponent(high) < wanted) return high;
  for (int i = 0; i < 200 && high - low > 1e-6 * high; ++i) {
    const double middle = (low + high) / 2;
    (exponent(middle) < wanted ? low : high) = middle;
  }
  return high;
}

double next_power_of_two(double value) {
  double power = 2;
  while (power < value) power *= 2;
  return power;
}

}  // namespace

Means::Means(const study::Study& study, bool total, const Options& options)
    : rows_(study.data().column(0), study.problem().columns[0].scale), total_(total) {
  const Execution& execution = options.execution;
  const study::Problem& problem = study.problem();
  const study::FeatureSummary& summary = study.summaries()[0];
  const double means[1] = {summary.mean};
  std::vector<double> scratch;
  problem.finish_sums(means, static_cast<double>(problem.data.rows()), 0, {&estimate_, 1}, scratch);

  if (!study.many_distinct()) {
    study::DistinctRows distinct = study.distinct_features();
    rows_.set_distinct(std::move(distinct.columns[0]), std::move(distinct.weights));
  }
  check(execution);
  rows_.set_shift(summary.mean);
  if (rows_.values() == 2 && (!options.method || options.method == Method::binomial)) {
    method_ = Method::binomial;
    reason_ = "two distinct values: how often one is drawn is binomial";
    return;
  }
  std::optional<Lattice> lattice;
  if (!options.method || options.method == Method::lattice)
    lattice = find_lattice(problem.data.column(0), problem.columns[0], rows_.values(), execution);
  if (lattice) {
    power_ = lattice->power;
    rows_.set_shift(0);
    rows_.set_step(lattice->step);
    const double middle = rows_.of_scaled(summary.mean);
    rows_.set_shift(middle);
    method_ = Method::lattice;
    reason_ = text::concat("all values are multiples of ", text::shortest(lattice->step),
                           " apart: the characteristic function is periodic and finitely many "
                           "frequencies give the law");
  }
  spread_ = spread_of(rows_, execution);
  choose_circle();
  if (!options.method && method_ == Method::lattice && !whole()) {
    // So fine a lattice is no help.
    if (circle_.period >= kMostExact || rows_.rows() < kFewRows ||
        Pairs(rows_).work(std::numbers::pi) > kMostPairWork) {
      method_ = Method::characteristic;
      rows_.set_step(0);
      rows_.set_shift(summary.mean);
      spread_ = spread_of(rows_, execution);
      choose_circle();
    }
  }
  if (method_ == Method::characteristic)
    reason_ = text::concat("mean of ", text::grouped(rows_.rows()),
                           " rows: the characteristic function, inverted, with a bound on all "
                           "frequencies that are left out");
}

void Means::choose_circle() {
  const auto n = static_cast<double>(rows_.rows());
  const double centre = n * spread_.mean;
  const double above = window_reach(spread_.variance, spread_.max - spread_.mean, n);
  const double below = window_reach(spread_.variance, spread_.mean - spread_.min, n);
  aliasing_ = kOutside;
  if (method_ == Method::lattice) {
    const double first = std::max(std::floor(centre - below) - 1, n * spread_.min);
    const double last = std::min(std::ceil(centre + above) + 1, n * spread_.max);
    double points = last - first + 1;
    if (points <= kMostTabulated)
      points = next_power_of_two(points);
    else if (std::fmod(points, 2) == 0)
      points += 1;  // no frequency is its own mirror
    circle_ = {first - 0.5, points, true};
    last_ = std::floor(points / 2);
    return;
  }
  // A hair wider than all sums there are, so that the two ends do not meet.
  const double width = 1.0001 * (above + below);
  circle_ = {centre - 1.0001 * below, width, false};
  const double deviation = std::sqrt(n * spread_.variance);
  const double mass = 1 + width / (deviation * std::sqrt(2 * std::numbers::pi));
  last_ = std::floor(mass / kCut);
}

Scaling Means::scaling() const {
  const auto n = static_cast<double>(rows_.rows());
  if (circle_.lattice && power_ > 0) {
    const Scaling whole{0, n * std::nearbyint(rows_.value(0) * power_),
                        std::nearbyint(rows_.unit() * power_), total_ ? power_ : n * power_};
    const double farthest =
        std::max(std::abs(circle_.start), std::abs(circle_.start + circle_.period));
    if (std::abs(whole.base) + whole.unit * farthest < kMostExact && whole.divisor < kMostExact)
      return whole;
  }
  const double divisor = total_ ? 1 : n;
  // From the estimate, which is a sum of whole steps too: nothing is lost where values are large.
  if (circle_.lattice)
    return {estimate_, -rows_.unit() * std::nearbyint(n * spread_.mean), rows_.unit(), divisor};
  return {total_ ? n * rows_.value(0) : rows_.value(0), 0, rows_.unit(), divisor};
}

Found Means::binomial() const {
  const std::uint64_t n = rows_.rows();
  double values[2] = {};
  double weights[2] = {};
  rows_.scan(0, 2, [&](std::span<const double> v, std::span<const double> w) {
    for (std::size_t i = 0; i < 2; ++i) {
      values[i] = rows_.value(v[i]);
      weights[i] = w[i];
    }
  });
  if (values[0] > values[1]) {
    std::swap(values[0], values[1]);
    std::swap(weights[0], weights[1]);
  }
  return binomial_law(n, static_cast<std::uint64_t>(weights[1]), [&](std::uint64_t count) {
    const long double sum =
        static_cast<long double>(values[1]) * static_cast<long double>(count) +
        static_cast<long double>(values[0]) * static_cast<long double>(n - count);
    return static_cast<double>(total_ ? sum : sum / static_cast<long double>(n));
  });
}

bool Means::few_rows() const noexcept { return !circle_.lattice && rows_.rows() < kFewRows; }

bool Means::easy() const noexcept {
  return method_ == Method::binomial || (whole() && circle_.period <= kMostTabulated);
}

bool Means::whole() const noexcept {
  return circle_.lattice && last_ <= kMostNodes &&
         (rows_.rows() < kFewRows || last_ * static_cast<double>(rows_.values()) <= kEasyNodeWork);
}

Frequencies Means::frequencies(const Pairs& pairs) const {
  Frequencies found;
  found.base = 2 * std::numbers::pi / circle_.period;
  found.last = last_;
  found.near =
      std::min(kMostNodes, std::floor(kMostNodeWork / static_cast<double>(rows_.values())));
  if (!circle_.lattice)
    while (found.last > found.near && pairs.work(found.last * found.base) > kMostPairWork)
      found.last = std::floor(found.last / 2);
  return found;
}

Cover Means::cover_all(const Execution& execution) const {
  if (whole()) return {{{1, static_cast<std::uint64_t>(last_) + 1}}, 0, 0};
  if (few_rows())
    return {{{1, static_cast<std::uint64_t>(kMostNodes) + 1}}, 0, 0, 1 / (kMostNodes + 1)};
  const Pairs pairs(rows_);
  const Frequencies all = frequencies(pairs);
  Cover found = cover(spread_, pairs, all, 0, execution);
  // Frequencies beyond the last: Selberg's polynomials (docs/exact.md).
  if (!circle_.lattice) found.beyond = 1 / (all.last + 1);
  return found;
}

double Means::forecast(const Execution& execution) const {
  if (method_ == Method::binomial || whole()) return 0;
  if (few_rows()) return forecast_nodes(kMostNodes, execution);
  const Pairs pairs(rows_);
  const Frequencies all = frequencies(pairs);
  const Cover sampled = cover(spread_, pairs, all, kSampledRuns, execution);
  const double beyond = circle_.lattice ? 0 : (1 + 2 * sampled.plain) / (all.last + 1);
  const double charged = (sampled.harmonic + beyond) / kForecastMargin;
  return circle_.lattice ? charged : std::max(charged, forecast_nodes(all.last, execution));
}

double Means::forecast_nodes(double last, const Execution& execution) const {
  // The low frequencies, and one block in each stratum of the others: a group of them at a time,
  // because how much groups differ tells what the sum is known to.
  constexpr std::uint64_t kLow = 4096;
  constexpr std::uint64_t kBlock = 32;
  constexpr std::uint64_t kGroups = 64;
  constexpr std::uint64_t kRowsAtOnce = 64;  // with more rows the sample is smaller
  if (rows_.values() > kFewValues) return 0;
  // In a stratum. Of few rows, whose bounds are near the tolerance, a quarter is looked at.
  const std::uint64_t blocks = few_rows() ? 4 : 16 * (1 + (rows_.values() - 1) / kRowsAtOnce);
  const auto end = static_cast<std::uint64_t>(std::min(last, kMostNodes));
  const auto size_of = [&](std::span<const NodeRange> ranges) {
    return compute_nodes(rows_, spread_, circle_.period, ranges, 1, silent(execution)).plain;
  };
  const NodeRange low{1, kLow};
  const double known = size_of({&low, 1});
  double sum = 0;
  double squares = 0;
  for (std::uint64_t group = 0; group < kGroups; ++group) {
    check(execution);
    std::vector<NodeRange> ranges;
    for (std::uint64_t stratum = group; kLow + (stratum + 1) * blocks * kBlock <= end;
         stratum += kGroups) {
      // Which block: by a multiplicative hash, so that no period of the data is met.
      const std::uint64_t chosen = ((stratum * 0x9E3779B97F4A7C15U) >> 32) % blocks;
      const std::uint64_t first = kLow + (stratum * blocks + chosen) * kBlock;
      ranges.push_back({first, first + kBlock});
    }
    const double part = static_cast<double>(blocks) * size_of(ranges);
    sum += part;
    squares += part * part;
  }
  // Three standard errors below: the groups are alike but for what each of them happens to meet.
  const double unseen = 1 - 1 / static_cast<double>(blocks);
  const double variance =
      unseen * std::max(0.0, squares - sum * sum / kGroups) * kGroups / (kGroups - 1.0);
  return std::max(0.0, 1 + 2 * (known + sum - 3 * std::sqrt(variance))) / (last + 1);
}

Found Means::law(const Execution& execution) const {
  if (method_ == Method::binomial) return binomial();
  const Cover covered = cover_all(execution);
  const bool tabulated = circle_.lattice && circle_.period <= kMostTabulated;
  const double worth = few_rows() ? 2e-14 : tabulated ? 1e-24 : 1e-19;
  const Computed computed =
      compute_nodes(rows_, spread_, circle_.period, covered.nodes, worth, execution);
  const std::vector<Node>& nodes = computed.nodes;
  const double harmonic = covered.harmonic + computed.harmonic;
  const double plain = covered.plain + computed.plain;
  const double bound = std::min(
      1.0, aliasing_ + harmonic + covered.beyond * (1 + 2 * plain) + 0x1p-48 * (1 + plain));
  const auto n = static_cast<double>(rows_.rows());
  const double deviation =
      rows_.unit() * std::sqrt(spread_.variance) * (total_ ? std::sqrt(n) : 1 / std::sqrt(n));
  if (!tabulated)
    return {std::make_shared<const Series>(circle_, nodes, scaling(), estimate_, deviation), bound,
            0};
  const std::vector<double> probabilities = lattice_probabilities(circle_, nodes);
  const Scaling scale = scaling();
  std::vector<Atom> atoms;
  const double last = n * spread_.max;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double sum = circle_.start + 0.5 + static_cast<double>(i);
    if (probabilities[i] > 0 && sum <= last) atoms.push_back({scale.value(sum), probabilities[i]});
  }
  return {Discrete::make(std::move(atoms), bound, Moments{estimate_, deviation}), bound, 0};
}

}  // namespace bootfold::exact
