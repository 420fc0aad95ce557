#include "resample/numbering.h"

#include <algorithm>

namespace bootfold::resample {

Numbering::Numbering(Lists lists) {
  constexpr std::size_t kSmallTable = 65536;
  std::size_t rows = 0;
  std::size_t end = 0;
  for (const auto labels : lists) {
    rows += labels.size();
    if (!labels.empty()) end = std::max(end, std::size_t{std::ranges::max(labels)} + 1);
  }
  if (end <= std::max(kSmallTable, 2 * rows)) {
    table_.resize(end);
    for (const auto labels : lists)
      for (const std::uint32_t label : labels) table_[label] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& number : table_) number = number == 0 ? 0 : next++;
    count_ = next;
    return;
  }
  labels_.reserve(rows);
  for (const auto labels : lists) labels_.insert(labels_.end(), labels.begin(), labels.end());
  std::ranges::sort(labels_);
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
  labels_.shrink_to_fit();
  count_ = labels_.size();
}

std::uint32_t Numbering::search(std::uint32_t label) const noexcept {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(labels_, label) - labels_.begin());
}

}  // namespace bootfold::resample
