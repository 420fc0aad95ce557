// Meeting in the middle.
//
// A resample that draws a rows of the first half and n - a of the second has a sum S + S', and for
// each a the two are independent: P = C(n, a) q q' with q = a! / (c_1! ...) (w_1 / n)^c_1 ... of
// the counts in each half. Both halves are listed by a and sorted: about C(3 n / 2, n / 2) entries
// each in place of C(2 n - 1, n) resamples. The distribution function at x is one walk along the
// two lists of each a, in opposite directions: entry by entry along the shorter, by leaps along the
// longer, which may be a million times as long. A quantile takes a dozen such walks, and then the
// few sums that are left between its brackets are laid out.
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
  std::vector<double> cumulated;  // their q from 0 on: one more than there are sums

  [[nodiscard]] double mass(std::size_t i) const { return cumulated[i + 1] - cumulated[i]; }
};
using Half = std::vector<List>;  // by the number of draws

/// What is drawn given how many draws fall into each half: two independent sums.
struct Split {
  List shorter = {};
  List longer = {};
  double ways = 0;  // C(n, draws in the first half)
};

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

  [[nodiscard]] Half list() {
    Half half(n_ + 1);
    // The longest lists first, so that workers end together.
    execution::detail::run_chunks(
        n_ + 1, static_cast<double>(n_ + 1), silent(execution_),
        [&](const execution::Worker&, std::size_t chunk) { sort(n_ - chunk, half[n_ - chunk]); });
    return half;
  }

 private:
  void sort(std::uint64_t draws, List& list) {
    auto& pairs = pairs_[draws];
    std::sort(pairs.begin(), pairs.end());
    list.sums.reserve(pairs.size());
    list.cumulated.reserve(pairs.size() + 1);
    numeric::Compensated sum;
    list.cumulated.push_back(0);
    for (const auto& [value, mass] : pairs) {
      list.sums.push_back(value);
      sum.add(mass);
      list.cumulated.push_back(sum.value());
    }
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
        draws_(static_cast<double>(first.size() - 1)),
        offset_(offset),
        scale_(scale),
        typical_(typical) {
    double ways = 1;
    for (std::size_t a = 0; a < first.size(); ++a) {
      List& ours = first[a];
      List& theirs = second[first.size() - 1 - a];
      if (ours.sums.size() > theirs.sums.size()) std::swap(ours, theirs);
      if (!ours.sums.empty()) splits_.push_back({std::move(ours), std::move(theirs), ways});
      ways = ways * (draws_ - static_cast<double>(a)) / static_cast<double>(a + 1);
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
    return 0x1p-49 * draws_ * (std::abs(s) + draws_ * typical_);
  }

  /// How many of the first `most` of these rising sums are at most s together with `part`; found by
  /// leaps from the end.
  [[nodiscard]] static std::size_t count_up_to(double s, double part, std::span<const double> sums,
                                               std::size_t most) {
    std::size_t leap = 1;
    for (; leap <= most && part + sums[most - leap] > s; leap *= 2) most -= leap;
    const std::size_t least = leap <= most ? most - leap + 1 : 0;
    const std::span<const double> left = sums.subspan(least, most - least);
    const auto end = std::partition_point(left.begin(), left.end(),
                                          [&](double each) { return part + each <= s; });
    return least + static_cast<std::size_t>(end - left.begin());
  }

  /// Calls see(split, i, j) for each entry i of the shorter list: the first j of the longer make
  /// sums up to s.
  template <class See>
  void walk(double s, const See& see) const {
    for (const Split& split : splits_) {
      std::size_t j = split.longer.sums.size();
      for (std::size_t i = 0; i < split.shorter.sums.size(); ++i) {
        j = count_up_to(s, split.shorter.sums[i], split.longer.sums, j);
        if (j == 0) break;
        see(split, i, j);
      }
    }
  }

  [[nodiscard]] Share up_to(double s) const {
    numeric::Compensated mass;
    double pairs = 0;
    walk(s, [&](const Split& split, std::size_t i, std::size_t j) {
      mass.add(split.ways * split.shorter.mass(i) * split.longer.cumulated[j]);
      pairs += static_cast<double>(j);
    });
    return {std::clamp(mass.value(), 0.0, 1.0), pairs};
  }

  /// All sums in (low, high], rising, with their probabilities.
  [[nodiscard]] std::vector<Atom> between(double low, double high) const {
    std::vector<Atom> found;
    walk(high, [&](const Split& split, std::size_t i, std::size_t j) {
      const double part = split.shorter.sums[i];
      for (; j > 0 && part + split.longer.sums[j - 1] > low; --j)
        found.push_back({part + split.longer.sums[j - 1],
                         split.ways * split.shorter.mass(i) * split.longer.mass(j - 1)});
    });
    std::sort(found.begin(), found.end(),
              [](const Atom& x, const Atom& y) { return x.value < y.value; });
    return found;
  }

  std::vector<Split> splits_;
  double draws_;
  double offset_;
  double scale_;
  double typical_;
};

// What a cumulated probability may be short by. Each cumulated q is rounded once, and a sum of
// their differences times a falling function shows that rounding a few times, not once for each
// entry.
constexpr double kSlack = 1e-12;

double HalvesLaw::quantile(double p) const {
  constexpr double kFewPairs = 200'000;
  const double wanted = std::max(p - kSlack, std::numeric_limits<double>::min());
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Split& split : splits_) {
    least = std::min(least, split.shorter.sums.front() + split.longer.sums.front());
    most = std::max(most, split.shorter.sums.back() + split.longer.sums.back());
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
  Half first = Lister(all.first(half), weights.first(half), n, execution).list();
  Half second = Lister(all.subspan(half), weights.subspan(half), n, execution).list();
  const double deviation = std::sqrt(squares.value() / draws / draws);
  const double factor = total ? draws : 1;
  return {std::make_shared<const HalvesLaw>(std::move(first), std::move(second),
                                            Moments{factor * mean, factor * deviation},
                                            factor * centre, factor / draws, *middle),
          kSlack, 0};
}

}  // namespace bootfold::exact
