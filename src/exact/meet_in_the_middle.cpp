// Meeting in the middle.
//
// A resample that draws a rows of the first half and n - a of the second has a sum S + S', and for
// each a the two are independent: P = C(n, a) q q' with q = a! / (c_1! ...) (w_1 / n)^c_1 ... of
// the counts in each half. Both halves are listed by a and sorted: about C(3 n / 2, n / 2) entries
// each in place of C(2 n - 1, n) resamples. The distribution function at x is one walk along the
// two lists, in opposite directions; a quantile takes a dozen, and then the few sums that are left
// between its brackets are laid out.
#include "exact/meet_in_the_middle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "exact/discrete.h"
#include "exact/methods.h"
#include "exact/rows.h"
#include "numeric/compensated.h"

namespace bootfold::exact {

namespace {

/// Sums that a half can add with a given number of draws, rising.
struct List {
  std::vector<double> sums;
  std::vector<double> masses;  // of the first half: q; of the second: q' cumulated, from 0
};
using Half = std::vector<List>;  // by the number of draws

double ways_at_most(std::uint64_t draws, std::uint64_t rows) {
  double found = 1;
  for (std::uint64_t i = 1; i < rows; ++i)
    found = found * static_cast<double>(draws + i) / static_cast<double>(i);
  return rows == 0 && draws > 0 ? 0 : found;
}

/// All ways to draw at most n times from the given rows.
class Lister {
 public:
  Lister(std::span<const double> values, std::span<const std::uint64_t> weights, std::uint64_t n,
         const Execution& execution)
      : values_(values), weights_(weights), n_(n), execution_(execution), pairs_(n + 1) {
    visit(0, 0, 0, 1);
  }

  [[nodiscard]] Half list(bool cumulated) {
    Half half(n_ + 1);
    // The longest lists first, so that workers end together.
    execution::detail::run_chunks(n_ + 1, static_cast<double>(n_ + 1), silent(execution_),
                                  [&](const execution::Worker&, std::size_t chunk) {
                                    sort(n_ - chunk, cumulated, half[n_ - chunk]);
                                  });
    return half;
  }

 private:
  void sort(std::uint64_t draws, bool cumulated, List& list) {
    auto& pairs = pairs_[draws];
    std::sort(pairs.begin(), pairs.end());
    list.sums.reserve(pairs.size());
    list.masses.reserve(pairs.size() + 1);
    numeric::Compensated sum;
    for (const auto& [value, mass] : pairs) {
      list.sums.push_back(value);
      if (cumulated) list.masses.push_back(sum.value());
      sum.add(mass);
      if (!cumulated) list.masses.push_back(mass);
    }
    if (cumulated) list.masses.push_back(sum.value());
    pairs = std::vector<std::pair<double, double>>();  // `{}` would keep the memory
  }

  /// Rows from `row` on are still to be drawn; `mass` is draws! times the product of the others.
  void visit(std::size_t row, std::uint64_t draws, double sum, double mass) {
    if (row == values_.size()) {
      pairs_[draws].emplace_back(sum, mass);
      return;
    }
    const double share = static_cast<double>(weights_[row]) / static_cast<double>(n_);
    for (std::uint64_t c = 0; draws + c <= n_; ++c) {
      if (c > 0) mass *= share * static_cast<double>(draws + c) / static_cast<double>(c);
      visit(row + 1, draws + c, sum + static_cast<double>(c) * values_[row], mass);
    }
  }

  std::span<const double> values_;
  std::span<const std::uint64_t> weights_;
  std::uint64_t n_;
  const Execution& execution_;
  std::vector<std::vector<std::pair<double, double>>> pairs_;
};

/// The law of offset + scale * (sum of n draws of centred rows).
class HalvesLaw final : public Law {
 public:
  /// `typical`: the size of a centred row in the middle, whatever the outliers.
  HalvesLaw(Half first, Half second, const Moments& moments, double offset, double scale,
            double typical)
      : Law(moments.mean, moments.deviation),
        first_(std::move(first)),
        second_(std::move(second)),
        offset_(offset),
        scale_(scale),
        typical_(typical) {
    double choose = 1;
    const std::size_t n = first_.size() - 1;
    for (std::size_t a = 0; a <= n; ++a) {
      chooses_.push_back(choose);
      choose = choose * static_cast<double>(n - a) / static_cast<double>(a + 1);
    }
  }

  [[nodiscard]] double at_most(double x) const override {
    const double s = sum_of(x);
    return up_to(s + blur(s)).mass;
  }
  [[nodiscard]] double below(double x) const override {
    const double s = sum_of(x);
    return up_to(s - blur(s)).mass;
  }
  [[nodiscard]] double quantile(double p) const override;

 private:
  struct Share {
    double mass;   // of sums up to a point
    double pairs;  // how many they are
  };

  [[nodiscard]] double sum_of(double x) const { return (x - offset_) / scale_; }
  /// Sums closer than this to s are equal to it: they have at most 2 n roundings, of at most 2^-53
  /// of their size each; eight times that, because the value that is asked for was rounded too.
  [[nodiscard]] double blur(double s) const {
    const auto n = static_cast<double>(first_.size() - 1);
    return 0x1p-49 * n * (std::abs(s) + n * typical_);
  }

  /// Calls see(a, i, j) for each entry i of the first half with a draws: the first j of the second
  /// make sums up to s.
  template <class See>
  void walk(double s, const See& see) const {
    for (std::size_t a = 0; a < first_.size(); ++a) {
      const List& ours = first_[a];
      const List& theirs = second_[first_.size() - 1 - a];
      std::size_t j = theirs.sums.size();
      for (std::size_t i = 0; i < ours.sums.size(); ++i) {
        while (j > 0 && ours.sums[i] + theirs.sums[j - 1] > s) --j;
        if (j == 0) break;
        see(a, i, j);
      }
    }
  }

  [[nodiscard]] Share up_to(double s) const {
    numeric::Compensated mass;
    double pairs = 0;
    walk(s, [&](std::size_t a, std::size_t i, std::size_t j) {
      const List& theirs = second_[first_.size() - 1 - a];
      mass.add(chooses_[a] * first_[a].masses[i] * theirs.masses[j]);
      pairs += static_cast<double>(j);
    });
    return {std::clamp(mass.value(), 0.0, 1.0), pairs};
  }

  /// All sums in (low, high], rising, with their probabilities.
  [[nodiscard]] std::vector<Atom> between(double low, double high) const {
    std::vector<Atom> found;
    walk(high, [&](std::size_t a, std::size_t i, std::size_t j) {
      const List& theirs = second_[first_.size() - 1 - a];
      for (; j > 0 && first_[a].sums[i] + theirs.sums[j - 1] > low; --j)
        found.push_back(
            {first_[a].sums[i] + theirs.sums[j - 1],
             chooses_[a] * first_[a].masses[i] * (theirs.masses[j] - theirs.masses[j - 1])});
    });
    std::sort(found.begin(), found.end(),
              [](const Atom& x, const Atom& y) { return x.value < y.value; });
    return found;
  }

  Half first_;
  Half second_;
  double offset_;
  double scale_;
  double typical_;
  std::vector<double> chooses_;
};

constexpr double kSlack = 1e-12;  // what a cumulated probability may be short by

double HalvesLaw::quantile(double p) const {
  constexpr double kFewPairs = 200'000;
  const double wanted = std::max(p - kSlack, std::numeric_limits<double>::min());
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t a = 0; a < first_.size(); ++a) {
    const List& ours = first_[a];
    const List& theirs = second_[first_.size() - 1 - a];
    if (ours.sums.empty() || theirs.sums.empty()) continue;
    least = std::min(least, ours.sums.front() + theirs.sums.front());
    most = std::max(most, ours.sums.back() + theirs.sums.back());
  }
  double low = least - 2 * blur(least);
  double high = most + blur(most);
  Share at_low{0, 0};
  Share at_high = up_to(high);
  // A secant as long as it halves what is left between the brackets, else the middle.
  bool smooth = true;
  while (at_high.pairs - at_low.pairs > kFewPairs && high - low > blur(low)) {
    const double left = at_high.pairs - at_low.pairs;
    double s = low + (high - low) / 2;
    if (smooth && at_high.mass > at_low.mass) {
      const double aim = (wanted - at_low.mass) / (at_high.mass - at_low.mass);
      s = low + (high - low) * std::clamp(aim, 0.001, 0.999);
    }
    const Share here = up_to(s);
    (here.mass < wanted ? low : high) = s;
    (here.mass < wanted ? at_low : at_high) = here;
    smooth = !smooth || at_high.pairs - at_low.pairs < left / 2;
  }
  double value = high;
  if (at_high.pairs - at_low.pairs <= kFewPairs) {
    numeric::Compensated mass;
    mass.add(at_low.mass);
    for (const Atom& atom : between(low, high)) {
      mass.add(atom.probability);
      value = atom.value;
      if (mass.value() >= wanted) break;
    }
  }
  return offset_ + scale_ * value;
}

}  // namespace

HalvedRows halve(const ColumnView& column, std::uint64_t most) {
  constexpr std::uint64_t kMostRows = 1000;  // C(n, n / 2) is a double
  const std::uint64_t n = column.rows();
  if (n < 2 || n > kMostRows) return {};
  std::map<double, std::uint64_t> kinds;
  for (std::uint64_t row = 0; row < n; ++row) ++kinds[column[row]];
  HalvedRows rows;
  for (const auto& [value, count] : kinds) {
    rows.values.push_back(value);
    rows.weights.push_back(count);
  }
  const std::size_t half = rows.values.size() / 2;
  double entries = 0;
  for (std::uint64_t draws = 0; draws <= n; ++draws)
    entries += ways_at_most(draws, half) + ways_at_most(draws, rows.values.size() - half);
  if (half > 0 && entries <= static_cast<double>(most))
    rows.entries = static_cast<std::uint64_t>(entries);
  return rows;
}

Found halves_law(const HalvedRows& rows, bool total, const Execution& execution) {
  std::uint64_t n = 0;
  numeric::Compensated sum;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    n += rows.weights[i];
    sum.add(static_cast<double>(rows.weights[i]) * rows.values[i]);
  }
  const auto draws = static_cast<double>(n);
  const double mean = sum.value() / draws;
  // About a value in the middle, so that small values keep their digits next to an outlier.
  const double centre = rows.values[rows.values.size() / 2];
  std::vector<double> values;
  std::vector<double> sizes;
  numeric::Compensated squares;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    values.push_back(rows.values[i] - centre);
    sizes.push_back(std::abs(values[i]));
    const double off = rows.values[i] - mean;
    squares.add(static_cast<double>(rows.weights[i]) * off * off);
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const std::size_t half = values.size() / 2;
  const std::span<const double> all(values);
  const std::span<const std::uint64_t> weights(rows.weights);
  Half first = Lister(all.first(half), weights.first(half), n, execution).list(false);
  Half second = Lister(all.subspan(half), weights.subspan(half), n, execution).list(true);
  const double deviation = std::sqrt(squares.value() / draws / draws);
  const double factor = total ? draws : 1;
  return {std::make_shared<const HalvesLaw>(std::move(first), std::move(second),
                                            Moments{factor * mean, factor * deviation},
                                            factor * centre, factor / draws, *middle),
          kSlack, 0};
}

}  // namespace bootfold::exact
