#include "resample/counts.h"

#include <algorithm>

#include "random/counter.h"
#include "resample/rows.h"
#include "resample/weighted_places.h"

namespace bootfold::resample {

using simd::kCountTile;

namespace {

/// Counts nothing, so that it cannot be void: all draws are left to the top-up.
constexpr std::uint8_t kLastAttempt = 255;

}  // namespace

BlockCounts::BlockCounts(execution::Level level, const TileLaws& laws, const Id& id,
                         std::uint64_t rows, std::uint64_t draws)
    : level_(level), id_(id), rows_(rows), draws_(draws), laws_(laws) {
  if (draws > 0) seed();
}

BlockCounts::BlockCounts(execution::Level level, const TileLaws& laws, const Id& id,
                         std::uint64_t rows)
    : BlockCounts(level, laws, id, rows, rows) {
  topped_up_ = false;
}

BlockCounts::BlockCounts(execution::Level level, const WeightedPlaces& places, const Id& id)
    : level_(level), id_(id), rows_(places.counted(id.block)), places_(&places) {
  const WeightedPlaces::Draws draws = places.draws(id.seed, id.replicate, id.block);
  draws_ = draws.counted;
  rest_ = draws.all - draws.counted;
  if (draws_ > 0) seed();
}

void BlockCounts::seed() {
  random::simd::kernels(level_).seed(
      random::lane_counter({id_.seed, id_.replicate, random::Purpose::counts, attempt_}, id_.block),
      lanes_);
  row_ = 0;
}

std::size_t BlockCounts::next(std::uint8_t* counts, simd::Replaced& replaced) {
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, rows_ - row_));
  // No draw falls into this super-block, or too few do, or it is the last attempt.
  if (draws_ == 0 || (places_ == nullptr && laws_.all == nullptr) || attempt_ == kLastAttempt) {
    std::fill_n(counts, (rows + 127) / 128 * 128, std::uint8_t{0});
  } else {
    const CountLaw& law = places_ != nullptr     ? places_->law(id_.block, row_ / kCountTile)
                          : row_ + rows == rows_ ? *laws_.last
                                                 : *laws_.all;
    if (simd::kernels(level_).counts(lanes_, law.table(), rows, counts, replaced)) [[unlikely]]
      decide_open(counts, replaced, law);
  }
  row_ += rows;
  return rows;
}

void BlockCounts::decide_open(std::uint8_t* counts, simd::Replaced& replaced,
                              const CountLaw& law) const {
  const random::StreamId tie{id_.seed, id_.replicate, random::Purpose::tie, attempt_};
  const std::uint64_t tile = id_.block * (kSuperBlockRows / kCountTile) + row_ / kCountTile;
  const std::size_t rows =
      static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, rows_ - row_));
  for (std::uint32_t i = replaced.first_rare; i < replaced.rows; ++i) {
    if (replaced.count[i] == simd::kOpen) {
      const auto words = random::block(tie, tile << 16 | (i - replaced.first_rare));
      replaced.count[i] = law.rare_count(std::uint64_t{words[1]} << 32 | words[0]);
    }
    if (replaced.row[i] < rows) counts[replaced.row[i]] = replaced.count[i];
  }
}

bool BlockCounts::is_void(std::uint64_t total) {
  if (!topped_up_ || total <= draws_) return false;
  ++attempt_;
  seed();
  return true;
}

std::span<std::uint32_t> BlockCounts::top_up(std::uint64_t total,
                                             std::vector<std::uint32_t>& room) {
  if (places_ != nullptr) {
    places_->draw_late(id_.seed, id_.replicate, id_.block, draws_ - total, rest_, room);
    return room;
  }
  const std::size_t draws = topped_up_ ? draws_ - total : 0;
  if (draws == 0) return {};
  if (room.size() < draws + kSideBySide) room.resize(draws + kSideBySide);
  simd::kernels(level_).top_up(lanes_, row_draw(static_cast<std::uint32_t>(rows_)), draws,
                               room.data());
  return {room.data(), draws};
}

}  // namespace bootfold::resample
