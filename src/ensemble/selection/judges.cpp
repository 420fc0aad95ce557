#include "ensemble/selection/judges.h"

#include <algorithm>
#include <map>

#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

namespace {

/// The rows of a record that a member with this number and share of the rows predicts, as indices
/// in the record.
std::vector<std::uint32_t> predicted_rows(const Ensemble::Frame& frame, const Member& member,
                                          const HeldOutRecord& record, execution::Level level) {
  std::vector<std::uint32_t> places;
  if (record.validation) {
    for (std::uint32_t i = 0; i < record.rows.size(); ++i) places.push_back(i);
    return places;
  }
  const std::vector<float> held_out =
      MemberRows({frame.seed, member.number, frame.share}, frame.resampling, frame.rows,
                 frame.settings[member.settings].subsample, false, level)
          .held_out();
  for (std::uint32_t i = 0; i < record.rows.size(); ++i)
    if (held_out[record.rows[i]] != 0) places.push_back(i);
  return places;
}

/// The numbers of those of the rows that are also in `wanted`.
std::vector<float> numbers_at(const std::vector<float>& numbers, std::size_t size,
                              const std::vector<std::uint32_t>& rows,
                              const std::vector<std::uint32_t>& wanted) {
  std::vector<float> found;
  found.reserve(wanted.size() * size);
  auto next = wanted.begin();
  for (std::size_t i = 0; i < rows.size() && next != wanted.end(); ++i) {
    if (rows[i] != *next) continue;
    ++next;
    found.insert(found.end(), numbers.data() + i * size, numbers.data() + (i + 1) * size);
  }
  return found;
}

}  // namespace

Judges::Judges(const Ensemble& ensemble, const Heads& heads, const HeldOutRecord& record,
               execution::Level level)
    : numbers_(heads),
      record_(record),
      targets_(record.rows.empty() ? 1 : record.targets.size() / record.rows.size()) {
  const Ensemble::Frame& frame = ensemble.frame();
  std::map<std::uint64_t, std::vector<std::size_t>> by_number;
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    if (ensemble.member(m).failure.empty() && !record.members[m].empty())
      by_number[record.validation ? 0 : ensemble.member(m).number].push_back(m);
  for (const auto& [number, members] : by_number) {
    // Members with different shares of the rows leave out different rows: those that all leave out
    // judge them.
    std::map<double, std::vector<std::uint32_t>> rows_of;
    for (const std::size_t m : members) {
      const double share = frame.settings[ensemble.member(m).settings].subsample;
      if (!rows_of.contains(share))
        rows_of[share] = predicted_rows(frame, ensemble.member(m), record, level);
    }
    Group group{rows_of.begin()->second, {}};
    for (const auto& [share, rows] : rows_of) {
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(group.rows, rows, std::back_inserter(both));
      group.rows = std::move(both);
    }
    if (group.rows.empty()) continue;
    for (const std::size_t m : members) {
      Candidate& candidate =
          group.candidates.emplace_back(Candidate{m, record.members[m].data(), {}});
      const auto& rows = rows_of[frame.settings[ensemble.member(m).settings].subsample];
      if (rows.size() == group.rows.size()) continue;
      candidate.own = numbers_at(record.members[m], numbers_.size(), rows, group.rows);
      candidate.numbers = candidate.own.data();
    }
    groups_.push_back(std::move(group));
  }
}

std::size_t Judges::candidates() const noexcept {
  std::size_t count = 0;
  for (const Group& group : groups_) count += group.candidates.size();
  return count;
}

SelectedSums Judges::no_members() const {
  return {std::vector<double>(rows() * numbers_.size()), std::vector<double>(rows())};
}

void Judges::add(const Group& group, const Candidate& candidate, SelectedSums& sums) const {
  const std::size_t size = numbers_.size();
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    for (std::size_t j = 0; j < size; ++j)
      sums.numbers[group.rows[i] * size + j] += candidate.numbers[i * size + j];
    sums.members[group.rows[i]] += 1;
  }
}

double Judges::loss_with(const Group& group, const Candidate& candidate, const SelectedSums& sums,
                         const Mask& mask) const {
  const std::size_t size = numbers_.size();
  std::vector<double> means(size);
  double total = 0;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    const std::size_t row = group.rows[i];
    if (mask[row] == 0) continue;
    for (std::size_t j = 0; j < size; ++j)
      means[j] = (sums.numbers[row * size + j] + candidate.numbers[i * size + j]) /
                 (sums.members[row] + 1);
    total += weight(row) * numbers_.loss(means.data(), &record_.targets[row * targets_]);
  }
  return total;
}

double Judges::loss_at(std::size_t row, const SelectedSums& sums) const {
  const std::size_t size = numbers_.size();
  std::vector<double> means(size);
  for (std::size_t j = 0; j < size; ++j)
    means[j] = sums.numbers[row * size + j] / sums.members[row];
  return numbers_.loss(means.data(), &record_.targets[row * targets_]);
}

double Judges::mean_loss(const SelectedSums& sums, const Mask& mask) const {
  double total = 0;
  double weights = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (mask[row] == 0 || sums.members[row] == 0) continue;
    total += weight(row) * loss_at(row, sums);
    weights += weight(row);
  }
  return total / weights;
}

void Judges::losses(const SelectedSums& sums, const Mask& mask, std::vector<double>& losses) const {
  for (std::size_t row = 0; row < rows(); ++row)
    if (mask[row] != 0 && sums.members[row] > 0 && weight(row) > 0)
      losses[row] = loss_at(row, sums);
}

std::vector<double> Judges::losses(const Group& group, const Candidate& candidate) const {
  const std::size_t size = numbers_.size();
  std::vector<double> means(size);
  std::vector<double> found;
  found.reserve(group.rows.size());
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    std::copy_n(&candidate.numbers[i * size], size, means.begin());
    found.push_back(numbers_.loss(means.data(), &record_.targets[group.rows[i] * targets_]));
  }
  return found;
}

}  // namespace bootfold::ensemble
