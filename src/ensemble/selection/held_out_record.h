// Predictions of held-out rows by each member, recorded while members are trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ensemble/selection/loss_numbers.h"
#include "ensemble/training/training_context.h"

namespace bootfold::ensemble {

/// What members predict of rows that judge them. These are the validation rows if there are any,
/// and else the rows that a member is not trained on; rows that stop members are left out. If the
/// numbers would take more than kMostNumbers floats, a random part of the rows judges.
struct HeldOutRecord {
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 24;
  static constexpr std::size_t kLeastRows = 4096;

  HeldOutRecord() = default;
  /// Of members that have no numbers yet.
  HeldOutRecord(const TrainingContext& context, std::size_t members);

  bool validation = false;                  // which rows judge
  std::uint64_t fingerprint = 0;            // of the validation rows; 0: there are none
  bool stopped = false;                     // whether these rows, all or others, stop members
  double share = 1;                         // Stopping::share_of_rows
  std::size_t size = 0;                     // numbers of a row
  std::vector<std::uint32_t> rows;          // that judge, in ascending order
  std::vector<float> targets;               // [row][target]
  std::vector<float> weights;               // [row]; empty: all 1
  std::vector<std::vector<float>> members;  // [member][row that the member predicts][number]
};

/// Fills in a record. Several threads may add members, each other ones.
class HeldOutRecorder {
 public:
  HeldOutRecorder(const TrainingContext& context, std::size_t members);

  /// Adds `row` of the rows that judge, which is point row % kPoints of the last prediction in
  /// `sums`. The rows of a member come in ascending order.
  void add(std::size_t member, std::size_t row, const BlockSums& sums);

  [[nodiscard]] HeldOutRecord& record() noexcept { return record_; }
  /// Of the numbers of all members, at most.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return record_.members.size() * record_.rows.size() * record_.size * sizeof(float);
  }

 private:
  const TrainingMatrix& matrix_;
  LossNumbers numbers_;
  HeldOutRecord record_;
  std::vector<std::uint8_t> judges_;  // [row]
};

/// HeldOutRecord::fingerprint for these validation rows, or none.
[[nodiscard]] std::uint64_t fingerprint_of_judges(const Examples* validation);

/// The record of an ensemble that is joined of parts; places[member] is its part and its index
/// there. Null if not all parts have a record of the same rows.
[[nodiscard]] std::shared_ptr<const HeldOutRecord> join_records(
    const std::vector<const HeldOutRecord*>& parts,
    const std::vector<std::pair<std::size_t, std::size_t>>& places);

}  // namespace bootfold::ensemble
