#include "resample/strata.h"

#include <algorithm>
#include <utility>

#include "resample/design.h"
#include "resample/sampler.h"

namespace bootfold::resample {

Strata::Strata(std::uint64_t rows, std::uint64_t draws, std::uint64_t seed) {
  strata_.push_back({0, rows, draws, seed});
}

Strata Strata::poisson(std::uint64_t rows, std::uint64_t seed) {
  Strata made(rows, rows, seed);
  made.topped_up_ = false;
  return made;
}

namespace {

std::vector<std::uint64_t> sizes_of(const Groups& groups) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t s = 0; s < groups.count(); ++s) sizes.push_back(groups.rows(s).size());
  return sizes;
}

}  // namespace

Strata::Strata(std::span<const std::uint64_t> sizes, std::uint64_t seed) {
  std::uint64_t first = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    strata_.push_back({first, sizes[s], sizes[s], seed_of_stratum(seed, s, sizes.size())});
    first += sizes[s];
  }
}

Strata::Strata(std::shared_ptr<const Groups> groups, std::uint64_t seed)
    : Strata(sizes_of(*groups), seed) {
  groups_ = std::move(groups);
}

Strata::Strata(std::shared_ptr<const WeightedPlaces> places, std::uint64_t seed)
    : weighted_(std::move(places)) {
  strata_.push_back({0, weighted_->rows().size(), weighted_->draws(), seed});
}

BlockSource::BlockSource(execution::Level level, CountLaws& laws, const Strata& strata,
                         std::size_t stratum, std::uint64_t block)
    : level_(level),
      laws_(laws),
      strata_(strata),
      stratum_(strata.all()[stratum]),
      blocks_(stratum_.rows),
      block_(block),
      counted_(strata.weighted() == nullptr ? blocks_.rows(block)
                                            : strata.weighted()->counted(block)) {}

template <class Build>
auto BlockSource::build_with(std::uint64_t replicate, Build&& build) {
  const BlockCounts::Id id{stratum_.seed, replicate, block_};
  if (strata_.weighted() != nullptr) return build(level_, *strata_.weighted(), id);
  const std::uint64_t rows = blocks_.rows(block_);
  const std::uint64_t draws =
      strata_.topped_up() ? blocks_.draws(stratum_.seed, replicate, stratum_.draws, block_) : rows;
  if (draws != last_draws_ && draws > 0) {  // without strata and super-blocks it never changes
    const double wanted = strata_.topped_up() ? count_mean(rows, draws) : 1;
    if (wanted == 0)
      last_laws_ = {};
    else if (wanted != mean_)
      last_laws_ = laws_(wanted, rows);
    mean_ = wanted;
    last_draws_ = draws;
  }
  if (!strata_.topped_up()) return build(level_, last_laws_, id, rows);
  return build(level_, last_laws_, id, rows, draws);
}

BlockCounts BlockSource::operator()(std::uint64_t replicate) {
  return build_with(replicate, [](const auto&... how) { return BlockCounts(how...); });
}

void BlockSource::add(std::uint64_t replicate, std::vector<BlockCounts>& list) {
  build_with(replicate, [&](const auto&... how) { list.emplace_back(how...); });
}

std::vector<std::uint32_t> all_counts(execution::Level level, CountLaws& laws, const Strata& strata,
                                      std::size_t stratum, std::uint64_t replicate) {
  std::vector<std::uint32_t> result(strata.all()[stratum].rows);
  std::vector<std::uint8_t> tile(simd::kCountTile + 64);
  std::vector<std::uint32_t> late;
  const auto replaced = std::make_unique<simd::Replaced>();
  const SuperBlocks blocks(result.size());
  for (std::uint64_t b = 0; b < blocks.count(); ++b) {
    BlockSource source(level, laws, strata, stratum, b);
    BlockCounts counts = source(replicate);
    std::uint32_t* const own = result.data() + blocks.first_row(b);
    const auto room = [&](std::uint64_t) { return tile.data(); };
    const auto keep = [&](std::uint64_t row, std::span<const std::uint8_t> drawn) {
      std::copy(drawn.begin(), drawn.end(), own + row);
    };
    for (const std::uint32_t row : counts.draw(*replaced, late, room, keep).late) ++own[row];
  }
  return result;
}

}  // namespace bootfold::resample
