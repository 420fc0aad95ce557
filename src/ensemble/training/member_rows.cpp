#include "ensemble/training/member_rows.h"

#include <algorithm>
#include <cmath>

#include "bootfold/random.h"
#include "resample/rows.h"
#include "resample/weights.h"

namespace bootfold::ensemble {

using random::Purpose;

namespace {

/// The key of a shuffle; `position` distinguishes the epochs of a member.
std::uint64_t shuffle_key(std::uint64_t seed, std::uint64_t number, Purpose purpose,
                          std::uint64_t position) {
  const auto words = random::block({seed, number, purpose}, position);
  return std::uint64_t{words[1]} << 32 | words[0];
}

/// Exponential weights that add up to the number of rows: n times a draw of Dirichlet(1, ..., 1).
std::vector<float> dirichlet(const MemberId& id, std::size_t rows, execution::Level level) {
  std::vector<std::uint32_t> drawn((rows + 15) / 16 * 16);
  resample::BayesianWeights(level, id.seed, id.resample()).next(rows, drawn.data());
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : drawn) sum += weight;
  const double scale = static_cast<double>(rows) / static_cast<double>(sum);
  std::vector<float> weights(rows);
  for (std::size_t i = 0; i < rows; ++i) weights[i] = static_cast<float>(drawn[i] * scale);
  return weights;
}

}  // namespace

bool leaves_rows_out(Resampling resampling, std::span<const Settings> settings,
                     std::size_t rows) noexcept {
  if (resampling != Resampling::subsample) return resampling == Resampling::bootstrap;
  const auto all = static_cast<double>(rows);
  return std::ranges::any_of(
      settings, [&](const Settings& each) { return std::round(each.subsample * all) < all; });
}

bool leaves_rows_out(const Ensemble::Frame& frame) noexcept {
  return leaves_rows_out(frame.resampling, frame.settings, frame.rows);
}

std::string_view name_of_all_rows(Resampling resampling) noexcept {
  return resampling == Resampling::subsample ? "subsample and subsample 1" : name(resampling);
}

MemberRows::MemberRows(const MemberId& id, Resampling resampling, std::size_t rows,
                       double subsample, bool reshuffle, execution::Level level)
    : id_(id), rows_(rows), size_(rows), reshuffle_(reshuffle) {
  switch (resampling) {
    case Resampling::bootstrap:
      drawn_.resize(rows + resample::kSideBySide);
      resample::draw_rows(level, id.seed, id.resample(), static_cast<std::uint32_t>(rows),
                          {drawn_.data(), rows});
      drawn_.resize(rows);
      break;
    case Resampling::subsample: {
      size_ = std::clamp<std::size_t>(
          static_cast<std::size_t>(std::llround(subsample * static_cast<double>(rows))), 1, rows);
      const resample::Permutation order(
          rows, shuffle_key(id.seed, id.resample(), Purpose::member_rows, 0));
      for (std::size_t i = 0; i < size_; ++i)
        drawn_.push_back(static_cast<std::uint32_t>(order(i)));
      break;
    }
    case Resampling::bayesian:
      weights_ = dirichlet(id, rows, level);
      break;
    case Resampling::none:
      break;
  }
  if (id.share == 0) return;
  // Members of a group differ in the order of the rows, so a step sees as many different rows as
  // their batches together have.
  const resample::Permutation order(size_,
                                    shuffle_key(id.seed, id.number, Purpose::shared_order, 0));
  std::vector<std::uint32_t> ordered(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::uint64_t from = order(i);
    ordered[i] = drawn_.empty() ? static_cast<std::uint32_t>(from) : drawn_[from];
  }
  drawn_ = std::move(ordered);
}

std::uint32_t MemberRows::at(std::uint64_t place) const {
  std::uint64_t position = place % size_;
  if (reshuffle_)
    position = resample::Permutation(size_, shuffle_key(id_.seed, id_.number, Purpose::member_rows,
                                                        1 + place / size_))(position);
  return drawn_.empty() ? static_cast<std::uint32_t>(position) : drawn_[position];
}

std::vector<float> MemberRows::held_out() const {
  if (drawn_.empty()) return std::vector<float>(rows_, 0.0F);
  std::vector<float> out(rows_, 1.0F);
  for (const std::uint32_t row : drawn_) out[row] = 0;
  return out;
}

}  // namespace bootfold::ensemble
