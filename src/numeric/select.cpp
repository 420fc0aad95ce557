#include "numeric/select.h"

#include <algorithm>
#include <cstring>

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

}  // namespace bootfold::numeric
