#include "jackknife/deletion_units.h"

#include <algorithm>

#include "resample/numbering.h"
#include "study/problem.h"

namespace bootfold::jackknife {

Units::Units(std::uint64_t rows, std::vector<std::uint32_t> clusters)
    : clusters_(std::move(clusters)) {
  all_ = clusters_.empty()
             ? rows
             : std::uint64_t{*std::max_element(clusters_.begin(), clusters_.end())} + 1;
  grouped_ = all_ > study::kMostDeletedRows;
  count_ = grouped_ ? study::kDeletedGroups : all_;
}

std::vector<std::uint32_t> Units::numbers_of(std::span<const std::uint32_t> labels) {
  const resample::Numbering number(labels);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(labels.size());
  for (const std::uint32_t label : labels) numbers.push_back(number(label));
  return numbers;
}

}  // namespace bootfold::jackknife
