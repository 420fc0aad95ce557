// Members that compete for places in an ensemble, and the rows that judge them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/ensemble/selection.h"
#include "ensemble/selection/held_out_record.h"

namespace bootfold::ensemble {

/// What is summed over the selected members at each row that judges.
struct SelectedSums {
  std::vector<double> numbers;  // [row][number]
  std::vector<double> members;  // [row]
};

/// Judges members by the rows of a record. A mask says which of these rows count: mask[row] != 0.
class Judges {
 public:
  using Mask = std::vector<std::uint8_t>;

  /// A member with its predictions of the rows of its group.
  struct Candidate {
    std::size_t member;      // index in the ensemble
    const float* numbers;    // [row of the group][number]: those of the record, or `own`
    std::vector<float> own;  // if the group has fewer rows than the member predicts
  };
  /// Members that are judged by the same rows.
  struct Group {
    std::vector<std::uint32_t> rows;  // indices in the record, ascending
    std::vector<Candidate> candidates;
  };

  /// The ensemble and the heads must outlive it. Members without numbers are left out.
  Judges(const Ensemble& ensemble, const Heads& heads, const HeldOutRecord& record,
         execution::Level level);

  [[nodiscard]] std::size_t rows() const noexcept { return record_.rows.size(); }
  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t candidates() const noexcept;
  /// The row number in the data of a row that judges.
  [[nodiscard]] std::uint32_t row(std::size_t index) const { return record_.rows[index]; }

  [[nodiscard]] SelectedSums no_members() const;
  void add(const Group& group, const Candidate& candidate, SelectedSums& sums) const;

  /// Weighted loss over those rows of a group that count, if the candidate is added.
  [[nodiscard]] double loss_with(const Group& group, const Candidate& candidate,
                                 const SelectedSums& sums, const Mask& mask) const;
  /// Mean loss of the members in `sums` over the rows that count and that one of them predicts.
  [[nodiscard]] double mean_loss(const SelectedSums& sums, const Mask& mask) const;
  /// losses[row] of the rows that count and that one of the members in `sums` predicts; leaves out
  /// rows of weight 0.
  void losses(const SelectedSums& sums, const Mask& mask, std::vector<double>& losses) const;
  /// The loss of one candidate at each row of its group.
  [[nodiscard]] std::vector<double> losses(const Group& group, const Candidate& candidate) const;
  [[nodiscard]] double weight(std::size_t row) const {
    return record_.weights.empty() ? 1 : record_.weights[row];
  }

 private:
  [[nodiscard]] double loss_at(std::size_t row, const SelectedSums& sums) const;

  LossNumbers numbers_;
  const HeldOutRecord& record_;
  std::size_t targets_;  // of a row
  std::vector<Group> groups_;
};

/// Pairs of group and candidate, in the order in which they were selected.
using Picks = std::vector<std::pair<std::size_t, std::size_t>>;

/// For each mask, a greedy forward selection of at most `count` members by the rows that count.
[[nodiscard]] std::vector<Picks> select_greedily(const Judges& judges, std::size_t count,
                                                 const std::vector<Judges::Mask>& masks,
                                                 const Execution& execution);

/// For each mask, the `count` candidates with the lowest mean losses over the rows that count.
[[nodiscard]] std::vector<Picks> select_best(const Judges& judges, std::size_t count,
                                             const std::vector<Judges::Mask>& masks,
                                             const Execution& execution);

}  // namespace bootfold::ensemble
