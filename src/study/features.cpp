#include "study/features.h"

#include <algorithm>
#include <cmath>

#include "study/column_look.h"

namespace bootfold::study {

namespace {

/// A column as products see it: what Features::make() makes of its values.
ValuesLook scaled_look(const ValuesLook& column, const statistic::Scale& scale) {
  const int half = -scale.exponent / 2;
  const double first = std::ldexp(1.0, half);
  const double second = std::ldexp(1.0, -scale.exponent - half);
  ValuesLook look;
  look.min = (column.min - scale.centre) * first * second;
  look.max = (column.max - scale.centre) * first * second;
  look.lowest_bit = ValuesLook::kNotWhole;
  if (look.min == 0 && look.max == 0) {
    look.lowest_bit = ValuesLook::kNoBits;
    return look;
  }
  // The centre is 0 or a value of the column, and so a multiple of the same power of two.
  const double farthest =
      std::max(std::abs(column.max - scale.centre), std::abs(column.min - scale.centre));
  if (column.lowest_bit != ValuesLook::kNotWhole &&
      std::ldexp(farthest, -column.lowest_bit) < 0x1p53)
    look.lowest_bit = column.lowest_bit - scale.exponent;
  return look;
}

int sum_of_bits(int a, int b) {
  if (a == ValuesLook::kNoBits || b == ValuesLook::kNoBits) return ValuesLook::kNoBits;
  if (a == ValuesLook::kNotWhole || b == ValuesLook::kNotWhole) return ValuesLook::kNotWhole;
  return a + b;
}

ValuesLook times_look(const ValuesLook& a, const ValuesLook& b) {
  const auto [min, max] = std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
  ValuesLook look;
  look.min = min;
  look.max = max;
  look.lowest_bit = sum_of_bits(a.lowest_bit, b.lowest_bit);
  return look;
}

ValuesLook power_look(const ValuesLook& column, const statistic::Scale& scale, std::size_t times) {
  const ValuesLook one = scaled_look(column, scale);
  ValuesLook power = one;
  for (std::size_t i = 1; i < times; ++i) {
    power.min *= one.min;
    power.max *= one.max;
    power.lowest_bit = sum_of_bits(power.lowest_bit, one.lowest_bit);
  }
  if (times % 2 == 0) {
    const double most = std::max(power.min, power.max);
    power.min = one.min <= 0 && one.max >= 0 ? 0 : std::min(power.min, power.max);
    power.max = most;
  }
  return power;
}

}  // namespace

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
  make_products(tile, features, stride);
  for (const Filler& filler : fillers_)
    fill_one(filler, tile, features + filler.first * stride, stride);
}

std::vector<std::uint32_t> Features::product_columns() const {
  std::vector<std::uint32_t> columns;
  for (const statistic::Product& product : slots_)
    columns.insert(columns.end(), product.begin(), product.end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::vector<double> Features::make(const std::vector<std::vector<double>>& columns,
                                   std::size_t rows) const {
  std::vector<double> made(count() * rows);
  const std::vector<std::uint32_t> multiplied = product_columns();
  std::vector<const double*> places(multiplied.empty() ? 0 : multiplied.back() + 1);
  for (std::size_t i = 0; i < multiplied.size(); ++i) places[multiplied[i]] = columns[i].data();
  make_products({places, rows}, made.data(), rows);
  std::size_t next = multiplied.size();
  for (std::size_t f = 0; f < count(); ++f)
    if (!is_product(f)) {
      std::copy(columns[next].begin(), columns[next].end(),
                made.begin() + static_cast<std::ptrdiff_t>(f * rows));
      ++next;
    }
  return made;
}

void Features::make_products(const statistic::Tile& tile, double* features,
                             std::size_t stride) const {
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
}

std::size_t Features::filled() const noexcept {
  std::size_t all = 0;
  for (const Filler& filler : fillers_) all += filler.sums.filled;
  return all;
}

void Features::fill(const statistic::Tile& tile, double* filled, std::size_t stride) const {
  for (const Filler& filler : fillers_) {
    fill_one(filler, tile, filled, stride);
    filled += filler.sums.filled * stride;
  }
}

void Features::fill_one(const Filler& filler, const statistic::Tile& tile, double* filled,
                        std::size_t stride) {
  std::vector<const double*> columns;
  for (const std::uint32_t c : filler.columns) columns.push_back(tile.columns[c]);
  std::vector<double*> out;
  for (std::size_t f = 0; f < filler.sums.filled; ++f) out.push_back(filled + f * stride);
  filler.sums.fill({columns, tile.rows}, out);
}

std::vector<std::pair<std::uint32_t, std::size_t>> Features::powers(std::size_t feature) const {
  std::vector<std::pair<std::uint32_t, std::size_t>> found;
  for (const std::uint32_t c : slots_[feature]) {
    const auto same =
        std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == c; });
    if (same == found.end())
      found.emplace_back(c, 1);
    else
      ++same->second;
  }
  return found;
}

ValuesLook Features::product_look(std::size_t feature, std::span<const ValuesLook> columns) const {
  ValuesLook look;
  bool first = true;
  for (const auto& [column, times] : powers(feature)) {
    const ValuesLook power = power_look(columns[column], scales_[column], times);
    look = first ? power : times_look(look, power);
    first = false;
  }
  // Rounding in another order may reach a little farther.
  if (slots_[feature].size() > 2) {
    look.min *= 1 + 0x1p-50;
    look.max *= 1 + 0x1p-50;
  }
  const double reach = std::max(std::abs(look.min), std::abs(look.max));
  if (look.lowest_bit != ValuesLook::kNotWhole && look.lowest_bit != ValuesLook::kNoBits &&
      std::ldexp(reach, -look.lowest_bit) >= 0x1p53)
    look.lowest_bit = ValuesLook::kNotWhole;
  return look;
}

}  // namespace bootfold::study
