#include "study/distinct.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace bootfold::study {

namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

DistinctTable::DistinctTable(std::size_t width, std::size_t most)
    : width_(width), most_(most), closed_(most == 0) {}

void DistinctTable::close() {
  closed_ = true;
  // `{}` would keep the memory.
  slots_ = std::vector<std::uint32_t>();
  rows_ = std::vector<std::uint64_t>();
  weights_ = std::vector<std::uint64_t>();
  first_rows_ = std::vector<std::uint64_t>();
}

void DistinctTable::shift(std::uint64_t rows) {
  for (std::uint64_t& row : first_rows_) row += rows;
}

bool DistinctTable::counts_all(std::uint64_t rows) const {
  if (closed_) return true;
  for (const std::uint64_t weight : weights_) {
    if (weight == 0 || weight > rows) return false;
    rows -= weight;
  }
  return rows == 0;
}

void DistinctTable::add(const statistic::Tile& tile, std::uint64_t first) {
  scratch_.resize(width_);
  for (std::size_t i = 0; i < tile.rows && !closed_; ++i) {
    for (std::size_t c = 0; c < width_; ++c)
      scratch_[c] = std::bit_cast<std::uint64_t>(tile.columns[c][i] + 0.0);  // -0 becomes 0
    // Equal rows often follow each other.
    const auto same = [&](std::size_t row) {
      return std::memcmp(&rows_[row * width_], scratch_.data(), width_ * sizeof scratch_[0]) == 0;
    };
    if (last_ < weights_.size() && same(last_))
      ++weights_[last_];
    else
      count(scratch_.data(), 1, first + i);
  }
}

void DistinctTable::add(double value, std::uint64_t times, std::uint64_t first) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  if (!closed_ && times > 0) count(&bits, times, first);
}

void DistinctTable::merge(const DistinctTable& other) {
  if (other.closed_) close();
  for (std::size_t i = 0; i < other.weights_.size() && !closed_; ++i)
    count(&other.rows_[i * width_], other.weights_[i], other.first_rows_[i]);
}

void DistinctTable::count(const std::uint64_t* row, std::uint64_t weight, std::uint64_t first_row) {
  if (slots_.empty()) slots_.assign(kFirstSlots, kFree);
  std::size_t slot = hash(row);
  for (;; ++slot) {
    const std::uint32_t found = slots_[slot & (slots_.size() - 1)];
    if (found == kFree) break;
    if (std::memcmp(&rows_[found * width_], row, width_ * sizeof *row) == 0) {
      weights_[found] += weight;
      first_rows_[found] = std::min(first_rows_[found], first_row);
      last_ = found;
      return;
    }
  }
  if (weights_.size() == most_) return close();
  last_ = weights_.size();
  slots_[slot & (slots_.size() - 1)] = static_cast<std::uint32_t>(last_);
  rows_.insert(rows_.end(), row, row + width_);
  weights_.push_back(weight);
  first_rows_.push_back(first_row);
  if (2 * weights_.size() > slots_.size()) grow();
}

std::size_t DistinctTable::hash(const std::uint64_t* row) const {
  std::uint64_t h = 0;
  for (std::size_t f = 0; f < width_; ++f) {
    h = (h ^ row[f]) * 0x9E3779B97F4A7C15U;
    h ^= h >> 29;
  }
  return h * 0xBF58476D1CE4E5B9U >> 20;
}

void DistinctTable::sort() {
  if (std::is_sorted(first_rows_.begin(), first_rows_.end())) return;
  std::vector<std::size_t> order(weights_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return first_rows_[a] < first_rows_[b]; });
  DistinctTable sorted(width_, most_);
  for (const std::size_t i : order) sorted.count(&rows_[i * width_], weights_[i], first_rows_[i]);
  *this = std::move(sorted);
}

void DistinctTable::restore() {
  slots_.assign(kFirstSlots, kFree);
  last_ = 0;
  while (slots_.size() < 2 * weights_.size()) slots_.resize(2 * slots_.size());
  slots_.resize(slots_.size() / 2);
  grow();
}

void DistinctTable::grow() {
  slots_.assign(slots_.size() * 2, kFree);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    std::size_t slot = hash(&rows_[i * width_]);
    while (slots_[slot & (slots_.size() - 1)] != kFree) ++slot;
    slots_[slot & (slots_.size() - 1)] = static_cast<std::uint32_t>(i);
  }
}

DistinctRows DistinctTable::rows() const {
  std::vector<std::size_t> order(weights_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weights_[a] != weights_[b] ? weights_[a] > weights_[b] : first_rows_[a] < first_rows_[b];
  });
  DistinctRows found;
  found.columns.resize(width_);
  for (const std::size_t i : order) {
    found.weights.push_back(weights_[i]);
    found.first_rows.push_back(first_rows_[i]);
    for (std::size_t c = 0; c < width_; ++c)
      found.columns[c].push_back(std::bit_cast<double>(rows_[i * width_ + c]));
  }
  return found;
}

}  // namespace bootfold::study
