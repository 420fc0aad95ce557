#include "jackknife/deletion_units.h"

#include <algorithm>

#include "study/problem.h"

namespace bootfold::jackknife {

Units::Units(std::uint64_t rows, std::vector<std::uint32_t> clusters)
    : clusters_(std::move(clusters)) {
  const std::uint64_t all =
      clusters_.empty() ? rows
                        : std::uint64_t{*std::max_element(clusters_.begin(), clusters_.end())} + 1;
  grouped_ = all > study::kMostDeletedRows;
  count_ = grouped_ ? study::kDeletedGroups : all;
}

std::vector<std::uint32_t> Units::numbers_of(std::span<const std::uint32_t> labels) {
  std::vector<std::uint32_t> number;
  for (const std::uint32_t label : labels) {
    if (label >= number.size()) number.resize(std::size_t{label} + 1);
    number[label] = 1;
  }
  std::uint32_t next = 0;
  for (std::uint32_t& n : number) n = n == 0 ? 0 : next++;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(labels.size());
  for (const std::uint32_t label : labels) numbers.push_back(number[label]);
  return numbers;
}

}  // namespace bootfold::jackknife
