#include "study/bin_counts.h"

#include <algorithm>
#include <utility>

namespace bootfold::study {

namespace {

constexpr std::size_t kMostListed = std::size_t{1} << 14;

}  // namespace

void BinCounts::make_array() {
  all_.resize(kBins);
  for (const Bin& one : std::exchange(few_, {})) all_[one.bin] = one.count;
}

void BinCounts::add(const std::vector<Bin>& bins) {
  if (all_.empty()) {
    std::vector<Bin> both;
    both.reserve(few_.size() + bins.size());
    std::merge(few_.begin(), few_.end(), bins.begin(), bins.end(), std::back_inserter(both),
               [](const Bin& a, const Bin& b) { return a.bin < b.bin; });
    few_.clear();
    for (const Bin& one : both) {
      if (!few_.empty() && few_.back().bin == one.bin)
        few_.back().count += one.count;
      else
        few_.push_back(one);
    }
    if (few_.size() > kMostListed) make_array();
    return;
  }
  for (const Bin& one : bins) all_[one.bin] += one.count;
}

void BinCounts::add(std::span<const std::uint32_t> counts) {
  if (all_.empty()) {
    std::vector<Bin> bins;
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      if (counts[bin] != 0) bins.push_back({bin, counts[bin]});
    return add(bins);
  }
  for (std::size_t bin = 0; bin < counts.size(); ++bin) all_[bin] += counts[bin];
}

void BinCounts::add(const BinCounts& other) {
  if (other.all_.empty()) return add(other.few_);
  if (all_.empty()) make_array();
  for (std::size_t bin = 0; bin < kBins; ++bin) all_[bin] += other.all_[bin];
}

}  // namespace bootfold::study
