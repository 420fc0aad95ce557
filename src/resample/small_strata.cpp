#include "resample/small_strata.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "random/counter.h"
#include "resample/rows.h"

namespace bootfold::resample {

namespace {

constexpr std::uint8_t kStrata = 1;  // in place of an attempt

}  // namespace

SmallStrata::SmallStrata(std::shared_ptr<const Groups> groups, std::uint64_t seed)
    : groups_(std::move(groups)), seed_(seed) {
  first_.reserve(groups_->all().size());
  rows_.reserve(groups_->all().size());
  for (std::size_t s = 0; s < groups_->count(); ++s) {
    const auto size = static_cast<std::uint32_t>(groups_->rows(s).size());
    const auto first = static_cast<std::uint32_t>(first_.size());
    first_.insert(first_.end(), size, first);
    rows_.insert(rows_.end(), size, size);
  }
}

SmallStrata::Draws::Draws(const SmallStrata& strata, execution::Level level,
                          std::uint64_t replicate)
    : strata_(&strata), level_(level), replicate_(replicate) {
  random::simd::kernels(level).seed(
      random::lane_counter({strata.seed_, replicate, random::Purpose::index, kStrata}, 0), lanes_);
}

std::size_t SmallStrata::Draws::next(std::uint32_t* drawn) {
  constexpr std::size_t kStep = 16;
  std::array<std::uint64_t, kTile / 2> words;
  std::array<std::uint32_t, kTile> bits;
  const std::size_t size = std::min(kTile, strata_->rows_.size() - place_);
  const std::uint32_t* const first = strata_->first_.data() + place_;
  const std::uint32_t* const rows = strata_->rows_.data() + place_;
  random::simd::kernels(level_).words(lanes_, (size + kStep - 1) / kStep, words.data());
  std::memcpy(bits.data(), words.data(), sizeof bits);
  if (simd::kernels(level_).stratum_rows(bits.data(), first, rows, size, drawn)) [[unlikely]] {
    const random::StreamId retry{strata_->seed_, replicate_, random::Purpose::index_retry, kStrata};
    for (std::size_t i = 0; i < size; ++i) {
      const simd::RowDraw draw = row_draw(rows[i]);
      if (bits[i] * rows[i] < draw.reject)
        drawn[i] = first[i] + redraw(retry, static_cast<std::uint32_t>(place_ + i), draw);
    }
  }
  place_ += size;
  return size;
}

}  // namespace bootfold::resample
