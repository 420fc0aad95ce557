#include "resample/poisson.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace bootfold::resample {

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;  // software: the same on every machine

}  // namespace

double count_mean(std::uint64_t rows, std::uint64_t draws, double margin) noexcept {
  const double share = static_cast<double>(draws) / static_cast<double>(rows);
  return share * std::max(0.5, 1 - margin / std::sqrt(static_cast<double>(draws)));
}

Poisson::Poisson(double mean) : mean_(mean), lookup_(65536), table_{} {
  const Wide one = 1;
  const Wide scale = ldexp(one, 80);
  Wide probability = exp(Wide(-mean));
  Wide below = probability;
  for (unsigned k = 0; one - below > 0; ++k) {
    const auto threshold = boost::multiprecision::uint128_t(floor(below * scale));
    if ((threshold >> 80) != 0) break;
    thresholds_.push_back({static_cast<std::uint32_t>(threshold >> 64),
                           static_cast<std::uint64_t>(threshold & ~std::uint64_t{0})});
    if (one - below < ldexp(one, -80)) break;
    probability *= Wide(mean) / (k + 1);
    below += probability;
  }
  fill_table();
}

void Poisson::fill_table() {
  using simd::kOpen;
  // Thresholds ascend; several may begin with the same 16 bits.
  std::uint32_t begin = 0;
  std::uint8_t count = 0;
  for (const Threshold& t : thresholds_) {
    if (begin < t.first) std::fill(&lookup_[begin], &lookup_[t.first], count);
    lookup_[t.first] = kOpen;
    begin = t.first + 1;
    ++count;
  }
  std::fill(lookup_.begin() + begin, lookup_.end(), count);
  table_.lookup = lookup_.data();

  std::fill(std::begin(table_.wide_high), std::end(table_.wide_high), std::uint8_t{255});
  std::fill(std::begin(table_.wide_low), std::end(table_.wide_low), std::uint8_t{255});
  std::vector<std::uint8_t> top;       // low bytes of the thresholds in the last cell
  std::vector<std::uint8_t> wide_top;  // ... in the last wide cell
  for (const Threshold& t : thresholds_) {
    const auto high = static_cast<std::uint8_t>(t.first >> 8);
    const auto low = static_cast<std::uint8_t>(t.first & 255U);
    const std::uint32_t wide = high >> 2;
    for (std::uint32_t later = wide + 1; later < 64; ++later) ++table_.wide_count[later];
    if (wide < 63 || wide_top.empty()) {
      table_.wide_high[wide] = high;
      table_.wide_low[wide] = low;
    }
    if (wide == 63) wide_top.push_back(low);
    if (high < 255) {
      table_.cell[table_.cells] = high;
      table_.cell_split[table_.cells++] = low;
    } else {
      top.push_back(low);
    }
  }
  const auto at = [](const std::vector<std::uint8_t>& lows, std::size_t i) {
    return i < lows.size() ? lows[i] : std::uint8_t{255};
  };
  table_.wide_top = {at(wide_top, 1), at(wide_top, 2)};
  table_.top_first = at(top, 0);
  table_.top = {at(top, 1), at(top, 2)};
}

std::uint8_t Poisson::count(std::uint32_t bits, std::uint64_t more) const noexcept {
  std::uint8_t count = 0;
  for (const Threshold& t : thresholds_)
    count =
        static_cast<std::uint8_t>(count + (t.first < bits || (t.first == bits && t.last <= more)));
  return count;
}

}  // namespace bootfold::resample
