#include "ensemble/selection/held_out_record.h"

#include <algorithm>

#include "ensemble/fingerprint.h"
#include "ensemble/selection/row_draws.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Rows whose numbers fit.
std::size_t most_rows(std::size_t members, std::size_t size) {
  return std::max(HeldOutRecord::kLeastRows,
                  HeldOutRecord::kMostNumbers / std::max<std::size_t>(1, members * size));
}

}  // namespace

HeldOutRecord::HeldOutRecord(const TrainingContext& context, std::size_t count)
    : validation(context.validation != nullptr),
      fingerprint(fingerprint_of_judges(context.training.validation)),
      stopped(context.training.stopping.patience > 0),
      share(stopped ? context.training.stopping.share_of_rows : 1),
      size(LossNumbers(context.heads).size()),
      members(count) {
  const TrainingMatrix& matrix = context.validation_matrix();
  const double used =
      static_cast<double>(most_rows(count, size)) / static_cast<double>(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const RowDraws draws(context.training.seed, validation, row);
    if (share < 1 && draws.stops(share)) continue;
    if (used < 1 && !draws.is_used(used)) continue;
    rows.push_back(static_cast<std::uint32_t>(row));
    const float* const target = &matrix.targets[row * matrix.targets_each];
    targets.insert(targets.end(), target, target + matrix.targets_each);
    if (!matrix.weights.empty()) weights.push_back(matrix.weights[row]);
  }
}

HeldOutRecorder::HeldOutRecorder(const TrainingContext& context, std::size_t members)
    : matrix_(context.validation_matrix()),
      numbers_(context.heads),
      record_(context, members),
      judges_(matrix_.rows) {
  for (const std::uint32_t row : record_.rows) judges_[row] = 1;
}

void HeldOutRecorder::add(std::size_t member, std::size_t row, const BlockSums& sums) {
  if (judges_[row] == 0) return;
  std::vector<float>& numbers = record_.members[member];
  numbers.resize(numbers.size() + numbers_.size());
  numbers_.write(sums, row % kPoints, &matrix_.targets[row * matrix_.targets_each],
                 numbers.data() + numbers.size() - numbers_.size());
}

std::uint64_t fingerprint_of_judges(const Examples* validation) {
  return validation != nullptr ? fingerprint_of_answers(*validation, true) : 0;
}

std::shared_ptr<const HeldOutRecord> join_records(
    const std::vector<const HeldOutRecord*>& parts,
    const std::vector<std::pair<std::size_t, std::size_t>>& places) {
  for (const HeldOutRecord* part : parts)
    if (part == nullptr || part->rows != parts[0]->rows ||
        part->fingerprint != parts[0]->fingerprint || part->validation != parts[0]->validation)
      return nullptr;
  auto joined = std::make_shared<HeldOutRecord>(*parts[0]);
  joined->members.clear();
  for (const auto& [part, member] : places) joined->members.push_back(parts[part]->members[member]);
  return joined;
}

}  // namespace bootfold::ensemble
