#include "study/value_sample.h"

#include <algorithm>
#include <bit>

namespace bootfold::study {

std::uint64_t ValueSample::key_of(double value) noexcept {
  // Every step can be undone, so different values have different keys.
  constexpr std::uint64_t kFactor = 0xD6E8FEB86659FD93U;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0) + 0x9E3779B97F4A7C15U;
  bits = (bits ^ bits >> 32) * kFactor;
  bits = (bits ^ bits >> 29) * kFactor;
  return bits ^ bits >> 32;
}

void ValueSample::add(std::span<const double> values, std::span<const std::uint64_t> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] <= threshold_) count(keys[i], values[i], 1);
}

void ValueSample::merge(const ValueSample& other) {
  threshold_ = std::min(threshold_, other.threshold_);
  for (const Entry& entry : other.slots_)
    if (entry.weight > 0 && entry.key <= threshold_) count(entry.key, entry.value, entry.weight);
}

void ValueSample::count(std::uint64_t key, double value, std::uint64_t weight) {
  if (slots_.empty()) slots_.resize(kSlots);
  std::size_t slot = key % kSlots;
  while (slots_[slot].weight > 0 && slots_[slot].key != key) slot = (slot + 1) % kSlots;
  Entry& entry = slots_[slot];
  entry.weight += weight;
  if (entry.weight > weight) return;
  entry.key = key;
  entry.value = value + 0.0;
  if (++taken_ > 2 * kValues) prune();
}

std::vector<ValueSample::Entry> ValueSample::sorted() const {
  std::vector<Entry> entries;
  for (const Entry& entry : slots_)
    if (entry.weight > 0 && entry.key <= threshold_) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  if (entries.size() > kValues) entries.resize(kValues);
  return entries;
}

void ValueSample::prune() {
  const std::vector<Entry> kept = sorted();
  std::fill(slots_.begin(), slots_.end(), Entry{});
  taken_ = 0;
  if (kept.size() == kValues) threshold_ = kept.back().key;  // others were above it already
  for (const Entry& entry : kept) count(entry.key, entry.value, entry.weight);
}

ValueSample::Values ValueSample::values() const {
  Values found;
  for (const Entry& entry : sorted()) {
    found.values.push_back(entry.value);
    found.weights.push_back(entry.weight);
  }
  return found;
}

bool ValueSample::suits(std::uint64_t rows) const {
  const std::vector<Entry> kept = sorted();
  for (const Entry& entry : kept) {
    if (entry.weight > rows) return false;
    rows -= entry.weight;
  }
  return rows == 0 || kept.size() == kValues;
}

double ValueSample::distinct() const {
  const std::vector<Entry> kept = sorted();
  if (kept.size() < kValues) return static_cast<double>(kept.size());
  return static_cast<double>(kValues - 1) / (static_cast<double>(kept.back().key) * 0x1p-64);
}

bool ValueSample::operator==(const ValueSample& other) const {
  const std::vector<Entry> own = sorted();
  const std::vector<Entry> others = other.sorted();
  return std::equal(
      own.begin(), own.end(), others.begin(), others.end(),
      [](const Entry& a, const Entry& b) { return a.key == b.key && a.weight == b.weight; });
}

}  // namespace bootfold::study
