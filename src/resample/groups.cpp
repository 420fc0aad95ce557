#include "resample/groups.h"

#include <algorithm>

#include "bootfold/error.h"
#include "resample/numbering.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

Groups::Groups(std::span<const std::uint32_t> labels) : rows_(labels.size()) {
  // A counting sort: places of the groups, then every row to the next place of its group.
  const Numbering number(labels);
  std::vector<std::uint32_t> next(number.count());
  for (const std::uint32_t label : labels) ++next[number(label)];
  std::uint32_t begin = 0;
  for (std::uint32_t& place : next) {
    const std::uint32_t size = place;
    place = begin;
    begin += size;
    ends_.push_back(begin);
  }
  for (std::size_t row = 0; row < labels.size(); ++row)
    rows_[next[number(labels[row])]++] = static_cast<std::uint32_t>(row);
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
