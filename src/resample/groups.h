// Rows by label: which rows each stratum or cluster has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bootfold::resample {

class Groups {
 public:
  /// Labels that no row has are left out; the others keep their order.
  explicit Groups(std::span<const std::uint32_t> labels);

  [[nodiscard]] std::size_t count() const noexcept { return ends_.size(); }

  /// The rows of a group, in rising order.
  [[nodiscard]] std::span<const std::uint32_t> rows(std::size_t group) const noexcept {
    const std::size_t begin = group == 0 ? 0 : ends_[group - 1];
    return std::span(rows_).subspan(begin, ends_[group] - begin);
  }

  /// All rows, group by group.
  [[nodiscard]] std::span<const std::uint32_t> all() const noexcept { return rows_; }

  [[nodiscard]] std::size_t largest() const noexcept;

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace bootfold::resample
