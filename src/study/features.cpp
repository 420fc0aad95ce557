#include "study/features.h"

#include <algorithm>
#include <cmath>

namespace bootfold::study {

std::optional<std::size_t> Features::find(const statistic::Product& product) const {
  const auto found = std::find(slots_.begin(), slots_.end(), product);
  if (found == slots_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - slots_.begin());
}

std::uint32_t Features::add_product(const statistic::Product& product) {
  slots_.push_back(product);
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

std::vector<std::uint32_t> Features::merge_equal(std::span<const std::size_t> digits) {
  std::vector<statistic::Product> kept;
  std::vector<std::size_t> kept_digits;
  std::vector<std::uint32_t> places;
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    std::size_t at = is_product(f) ? 0 : kept.size();
    while (at < kept.size() && !(kept[at] == slots_[f] && kept_digits[at] == digits[f])) ++at;
    places.push_back(static_cast<std::uint32_t>(at));
    if (at < kept.size()) continue;
    kept.push_back(slots_[f]);
    kept_digits.push_back(digits[f]);
  }
  for (Filler& filler : fillers_) filler.first = places[filler.first];
  slots_ = std::move(kept);
  return places;
}

std::uint32_t Features::add_filled(const statistic::Sums& sums,
                                   std::vector<std::uint32_t> columns) {
  const auto first = static_cast<std::uint32_t>(slots_.size());
  slots_.resize(slots_.size() + sums.filled);
  fillers_.push_back({sums, std::move(columns), first});
  return first;
}

void Features::make(const statistic::Tile& tile, double* features, std::size_t stride) const {
  std::vector<const double*> scaled(tile.columns.size());  // columns that are features themselves
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    double* out = features + f * stride;
    bool started = false;
    for (const std::uint32_t c : slots_[f]) {
      if (scaled[c] != nullptr) {
        const double* u = scaled[c];
        if (started) {
          for (std::size_t row = 0; row < tile.rows; ++row) out[row] *= u[row];
        } else {
          std::copy_n(u, tile.rows, out);
        }
      } else {
        const double* x = tile.columns[c];
        const double centre = scales_[c].centre;
        // One power of two cannot scale denormals up, two can.
        const int half = -scales_[c].exponent / 2;
        const double scale = std::ldexp(1.0, half);
        const double rescale = std::ldexp(1.0, -scales_[c].exponent - half);
        for (std::size_t row = 0; row < tile.rows; ++row) {
          const double u = (x[row] - centre) * scale * rescale;
          out[row] = started ? out[row] * u : u;
        }
      }
      started = true;
    }
    if (slots_[f].size() == 1) scaled[slots_[f][0]] = out;
  }
  for (const Filler& filler : fillers_) {
    std::vector<const double*> columns;
    for (const std::uint32_t c : filler.columns) columns.push_back(tile.columns[c]);
    std::vector<double*> out;
    for (std::size_t f = 0; f < filler.sums.filled; ++f)
      out.push_back(features + (filler.first + f) * stride);
    filler.sums.fill({columns, tile.rows}, out);
  }
}

bool Features::centred_exactly(std::size_t feature, const statistic::Tile& tile) const {
  for (const std::uint32_t c : slots_[feature]) {
    const double centre = scales_[c].centre;
    for (const double x : tile.column(c)) {  // Knuth's two-sum: what the difference lost
      const double difference = x - centre;
      const double back = difference - x;
      if ((x - (difference - back)) - (centre + back) != 0) return false;
    }
  }
  return true;
}

}  // namespace bootfold::study
