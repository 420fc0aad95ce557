#include "numeric/select.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/compensated.h"
#include "numeric/order_key.h"
#include "numeric/quantile.h"

namespace bootfold::numeric {

namespace {

/// A rank on its way to its key: the leading bits are known, and how many values are below them.
struct Search {
  std::uint64_t rank;  // from 1, among those with the known leading bits
  std::uint64_t key = 0;
  std::uint64_t same = 0;  // values with exactly this key, once it is whole
  std::vector<std::uint64_t> histogram;

  void narrow(int shift) {
    std::uint64_t digit = 0;
    while (rank > histogram[digit]) rank -= histogram[digit++];
    same = histogram[digit];
    key |= digit << shift;
  }
};

/// The same for a sum of weights.
struct WeightedSearch {
  double target;  // among those with the known leading bits
  std::uint64_t key = 0;
  std::vector<double> histogram;

  void narrow(int shift) {
    std::uint64_t digit = 0;
    std::uint64_t last = 0;  // that has a weight: where rounding leaves some of the target
    for (; digit < histogram.size(); ++digit) {
      if (histogram[digit] == 0) continue;
      last = digit;
      if (target <= histogram[digit]) break;
      target -= histogram[digit];
    }
    key |= last << shift;
  }
};

/// About kSample values, evenly spread, and how many there are; NaN may be among them.
struct Sample {
  static constexpr std::size_t kSample = std::size_t{1} << 17;

  explicit Sample(const Scan& scan) {
    std::uint64_t step = 1;
    std::uint64_t next = 0;
    scan([&](std::span<const double> piece) {
      for (; next < all + piece.size(); next += step) {
        if (values.size() == kSample) {  // take every second one from here on
          for (std::size_t i = 0; i < kSample / 2; ++i) values[i] = values[2 * i];
          values.resize(kSample / 2);
          step *= 2;
          next = (next + step - 1) / step * step;
          if (next >= all + piece.size()) break;
        }
        values.push_back(piece[next - all]);
      }
      all += piece.size();
    });
  }

  std::vector<double> values;
  std::uint64_t all = 0;
};

/// Elements number first .. last (from 1), sorted.
std::vector<double> middle_of(std::vector<double>& values, std::uint64_t first,
                              std::uint64_t last) {
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(first - 1);
  const auto to = values.begin() + static_cast<std::ptrdiff_t>(last);
  std::nth_element(values.begin(), from, values.end());
  if (to != values.end()) std::nth_element(from, to, values.end());
  std::sort(from, to);
  return {from, to};
}

/// The order statistics of few values in one pass, or in two by a sample that tells about where
/// they lie; nothing where it does not help: many ties, or NaN among many values.
std::optional<std::vector<double>> sampled_statistics(const Scan& scan, std::uint64_t first,
                                                      std::uint64_t last) {
  constexpr double kReach = 6;                               // standard deviations
  constexpr std::size_t kMostInside = std::size_t{1} << 18;  // values to sort
  Sample sample(scan);
  const auto size = static_cast<double>(sample.values.size());
  const auto all = static_cast<double>(sample.all);
  if (sample.all <= Sample::kSample) {  // it has all values
    std::erase_if(sample.values, [](double x) { return x != x; });
    for (double& value : sample.values) value += 0.0;  // -0 is 0
    if (last > sample.values.size()) return std::nullopt;
    return middle_of(sample.values, first, last);
  }
  if (last > sample.all) return std::nullopt;
  if (std::any_of(sample.values.begin(), sample.values.end(), [](double x) { return x != x; }))
    return std::nullopt;
  const auto value_near = [&](std::uint64_t rank, double side) {
    const double share = static_cast<double>(rank) / all;
    const double at = share * size + side * (kReach * std::sqrt(size * share * (1 - share)) + 8);
    if (at < 0 || at >= size) return side * std::numeric_limits<double>::infinity();
    const auto place = sample.values.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(sample.values.begin(), place, sample.values.end());
    return *place;
  };
  const double low = value_near(first, -1);
  const double high = value_near(last, 1);
  sample.values = {};
  std::uint64_t below = 0;
  std::vector<double> inside;
  scan([&](std::span<const double> values) {
    for (const double value : values) {
      below += value < low ? 1 : 0;
      if (value >= low && value <= high && inside.size() <= kMostInside)
        inside.push_back(value + 0.0);
    }
  });
  if (inside.size() > kMostInside || first <= below || last > below + inside.size())
    return std::nullopt;
  return middle_of(inside, first - below, last - below);
}

}  // namespace

std::vector<double> order_statistics(const Scan& scan, std::uint64_t first, std::uint64_t last) {
  if (auto found = sampled_statistics(scan, first, last)) return std::move(*found);
  constexpr int kBits = 16;
  constexpr std::uint64_t kDigits = std::uint64_t{1} << kBits;
  Search low{first, 0, 0, {}};
  Search high{last, 0, 0, {}};
  for (int shift = 64 - kBits; shift >= 0; shift -= kBits) {
    low.histogram.assign(kDigits, 0);
    high.histogram.assign(kDigits, 0);
    const int known = shift + kBits;
    const bool together = low.key == high.key;
    scan([&](std::span<const double> values) {
      for (const double value : values) {
        if (value != value) continue;
        const std::uint64_t key = order_key(value);
        const std::uint64_t digit = key >> shift & (kDigits - 1);
        const std::uint64_t leading = known == 64 ? 0 : key >> known << known;
        if (leading == low.key) ++low.histogram[digit];
        if (!together && leading == high.key) ++high.histogram[digit];
      }
    });
    if (together) high.histogram = low.histogram;
    low.narrow(shift);
    high.narrow(shift);
  }
  const std::uint64_t wanted = last - first + 1;
  if (low.key == high.key) return std::vector<double>(wanted, value_of_key(low.key));
  // low.rank-th of the values equal to the lowest comes first, high.rank-th of the highest last.
  std::vector<double> found(low.same - low.rank + 1, value_of_key(low.key));
  const auto equal = static_cast<std::ptrdiff_t>(found.size());
  scan([&](std::span<const double> values) {
    for (const double value : values) {
      if (value != value) continue;
      const std::uint64_t key = order_key(value);
      if (key > low.key && key < high.key) found.push_back(value);
    }
  });
  std::sort(found.begin() + equal, found.end());
  found.resize(wanted, value_of_key(high.key));
  return found;
}

WeightedWindow weighted_window(const WeightedScan& scan, double first, double last) {
  constexpr int kBits = 16;
  constexpr std::uint64_t kDigits = std::uint64_t{1} << kBits;
  WeightedSearch low{first, 0, {}};
  WeightedSearch high{last, 0, {}};
  for (int shift = 64 - kBits; shift >= 0; shift -= kBits) {
    low.histogram.assign(kDigits, 0);
    high.histogram.assign(kDigits, 0);
    const int known = shift + kBits;
    scan([&](std::span<const double> values, std::span<const double> weights) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != values[i]) continue;
        const std::uint64_t key = order_key(values[i]);
        const std::uint64_t digit = key >> shift & (kDigits - 1);
        const std::uint64_t leading = known == 64 ? 0 : key >> known << known;
        if (leading == low.key) low.histogram[digit] += weights[i];
        if (leading == high.key) high.histogram[digit] += weights[i];
      }
    });
    low.narrow(shift);
    high.narrow(shift);
  }
  std::vector<WeightedRow> rows;
  Compensated reached;
  scan([&](std::span<const double> values, std::span<const double> weights) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != values[i]) continue;
      const std::uint64_t key = order_key(values[i]);
      if (key < low.key) reached.add(weights[i]);
      if (key >= low.key && key <= high.key && weights[i] > 0)
        rows.push_back({values[i], weights[i]});
    }
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const WeightedRow& a, const WeightedRow& b) { return a.value < b.value; });
  WeightedWindow found;
  found.below = reached.value();
  for (const WeightedRow& row : rows) {
    reached.add(row.weight);
    found.values.push_back(row.value);
    found.reached.push_back(
        std::max(reached.value(), found.reached.empty() ? 0.0 : found.reached.back()));
  }
  return found;
}

std::optional<double> WeightedWindow::value_at(double target) const {
  if (target <= below && below > 0) return std::nullopt;
  const auto at = std::lower_bound(reached.begin(), reached.end(), target) - reached.begin();
  if (static_cast<std::size_t>(at) == values.size()) return std::nullopt;
  return values[static_cast<std::size_t>(at)];
}

}  // namespace bootfold::numeric
