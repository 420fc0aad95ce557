// Rows by label: which rows each stratum or cluster has.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
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

/// Throws InvalidArgument unless there is one label for each row. `what`: "strata", "cluster".
void check_labels(std::span<const std::uint32_t> labels, const char* what, std::uint64_t rows);

/// The groups of labels, sorted when they are first asked for, by any thread, and only once. Refers
/// to the labels.
class LazyGroups {
 public:
  explicit LazyGroups(std::span<const std::uint32_t> labels) : labels_(labels) {}

  [[nodiscard]] std::span<const std::uint32_t> labels() const noexcept { return labels_; }
  [[nodiscard]] std::shared_ptr<const Groups> get() const {
    std::call_once(once_, [this] { groups_ = std::make_shared<const Groups>(labels_); });
    return groups_;
  }

 private:
  std::span<const std::uint32_t> labels_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const Groups> groups_;
};

}  // namespace bootfold::resample
