#include "resample/poisson.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace bootfold::resample {

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;  // software: the same on every machine

}  // namespace

double count_mean(std::uint64_t rows, double margin) noexcept {
  return std::max(0.5, 1 - margin / std::sqrt(static_cast<double>(rows)));
}

Poisson::Poisson(double mean) : mean_(mean), lookup_(65536), table_{} {
  const Wide one = 1;
  const Wide scale = ldexp(one, 80);
  Wide probability = exp(Wide(-mean));
  Wide below = probability;
  for (unsigned k = 0; one - below > 0; ++k) {
    const auto threshold = boost::multiprecision::uint128_t(floor(below * scale));
    if (threshold >> 80 != 0) break;
    thresholds_.push_back({static_cast<std::uint32_t>(threshold >> 64),
                           static_cast<std::uint64_t>(threshold & ~std::uint64_t{0})});
    if (one - below < ldexp(one, -80)) break;
    probability *= Wide(mean) / (k + 1);
    below += probability;
  }
  fill_table();
}

void Poisson::fill_table() {
  using execution::simd::kOpen;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    std::uint8_t count = 0;
    for (const Threshold& t : thresholds_) {
      if (t.first == bits) {
        count = kOpen;
        break;
      }
      count = static_cast<std::uint8_t>(count + (t.first < bits));
    }
    lookup_[bits] = count;
  }
  table_.lookup = lookup_.data();

  std::fill(std::begin(table_.split), std::end(table_.split), std::uint8_t{255});
  table_.top_second = 255;
  table_.top_open = 255;
  unsigned in_top = 0;
  for (const Threshold& t : thresholds_) {
    const std::uint32_t cell = t.first >> 8;
    const auto low = static_cast<std::uint8_t>(t.first & 255U);
    for (std::uint32_t later = cell + 1; later < 256; ++later) ++table_.count[later];
    if (cell < 255) {
      table_.split[cell] = low;
      table_.cell[table_.cells] = static_cast<std::uint8_t>(cell);
      table_.cell_split[table_.cells++] = low;
      if (low == 255) table_.odd_cell[table_.odd_cells++] = static_cast<std::uint8_t>(cell);
    } else if (in_top == 0) {
      table_.split[255] = low;
    } else if (in_top == 1) {
      table_.top_second = low;
    } else if (in_top == 2) {
      table_.top_open = low;
    }
    in_top += cell == 255;
  }
}

std::uint8_t Poisson::count(std::uint32_t bits, std::uint64_t more) const noexcept {
  std::uint8_t count = 0;
  for (const Threshold& t : thresholds_)
    count =
        static_cast<std::uint8_t>(count + (t.first < bits || (t.first == bits && t.last <= more)));
  return count;
}

}  // namespace bootfold::resample
