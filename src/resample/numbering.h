// Labels of any size as numbers 0, 1, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace bootfold::resample {

/// Numbers labels in rising order, without those that no row has. Takes memory by the number of
/// rows, whatever the largest label: a table where labels are dense, else a search.
class Numbering {
 public:
  Numbering() = default;
  using Lists = std::initializer_list<std::span<const std::uint32_t>>;
  explicit Numbering(Lists lists);
  explicit Numbering(std::span<const std::uint32_t> labels) : Numbering(Lists{labels}) {}

  /// How many different labels there are.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// The number of a label that was among the given ones.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t label) const noexcept {
    return table_.empty() ? search(label) : table_[label];
  }

 private:
  [[nodiscard]] std::uint32_t search(std::uint32_t label) const noexcept;

  std::vector<std::uint32_t> table_;   // by label; empty if labels are sparse
  std::vector<std::uint32_t> labels_;  // rising; empty if they are dense
  std::size_t count_ = 0;
};

}  // namespace bootfold::resample
