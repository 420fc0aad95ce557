#include "numeric/select.h"

#include <algorithm>
#include <cstring>

#include "numeric/compensated.h"
#include "numeric/quantile.h"

namespace bootfold::numeric {

namespace {

/// Integers in the order of the doubles; -0 and 0 are one number.
std::uint64_t key_of(double value) {
  const double plain = value + 0.0;
  std::uint64_t bits;
  std::memcpy(&bits, &plain, sizeof bits);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

double value_of(std::uint64_t key) {
  const std::uint64_t bits = key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

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

}  // namespace

std::vector<double> order_statistics(const Scan& scan, std::uint64_t first, std::uint64_t last) {
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
        const std::uint64_t key = key_of(value);
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
  if (low.key == high.key) return std::vector<double>(wanted, value_of(low.key));
  // low.rank-th of the values equal to the lowest comes first, high.rank-th of the highest last.
  std::vector<double> found(low.same - low.rank + 1, value_of(low.key));
  const auto equal = static_cast<std::ptrdiff_t>(found.size());
  scan([&](std::span<const double> values) {
    for (const double value : values) {
      if (value != value) continue;
      const std::uint64_t key = key_of(value);
      if (key > low.key && key < high.key) found.push_back(value);
    }
  });
  std::sort(found.begin() + equal, found.end());
  found.resize(wanted, value_of(high.key));
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
        const std::uint64_t key = key_of(values[i]);
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
      const std::uint64_t key = key_of(values[i]);
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
