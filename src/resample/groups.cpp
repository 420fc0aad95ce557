#include "resample/groups.h"

#include <algorithm>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

Groups::Groups(std::span<const std::uint32_t> labels) : rows_(labels.size()) {
  // A counting sort: places of the groups, then every row to the next place of its group.
  const std::uint32_t highest =
      labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end());
  std::vector<std::uint32_t> next(std::size_t{highest} + 1);
  for (const std::uint32_t label : labels) ++next[label];
  std::uint32_t begin = 0;
  for (std::uint32_t& place : next) {
    const std::uint32_t size = place;
    place = begin;
    begin += size;
    if (size > 0) ends_.push_back(begin);
  }
  for (std::size_t row = 0; row < labels.size(); ++row)
    rows_[next[labels[row]]++] = static_cast<std::uint32_t>(row);
}

std::size_t Groups::largest() const noexcept {
  std::size_t most = 0;
  for (std::size_t g = 0; g < count(); ++g) most = std::max(most, rows(g).size());
  return most;
}

void check_labels(std::span<const std::uint32_t> labels, const char* what, std::uint64_t rows) {
  if (labels.size() != rows)
    throw InvalidArgument(text::concat("there are ", text::grouped(labels.size()), " ", what,
                                       " labels but ", text::grouped(rows),
                                       " rows; every row needs one"));
}

}  // namespace bootfold::resample
