#include "resample/strata.h"

#include <bit>
#include <map>

#include "resample/sampler.h"
#include "resample/scheme.h"

namespace bootfold::resample {

Strata::Strata(const Scheme& scheme, std::uint64_t rows, std::uint64_t seed) {
  const auto law = [this](double mean) {
    laws_.push_back(std::make_unique<Poisson>(mean));
    return laws_.back().get();
  };
  const auto* stratified = std::get_if<scheme::Stratified>(&scheme);
  if (stratified == nullptr) {
    topped_up_ = !std::holds_alternative<scheme::Poisson>(scheme);
    const std::uint64_t draws = draws_of(scheme, rows);
    strata_.push_back(
        {0, rows, draws, seed, law(topped_up_ ? count_mean(rows, draws, kMargin) : 1)});
    return;
  }
  groups_.emplace(stratified->strata);
  // Strata of about the same size share a law, because a table is dear and the mean is free.
  std::map<int, const Poisson*> laws;
  std::uint64_t first = 0;
  for (std::size_t s = 0; s < groups_->count(); ++s) {
    const std::uint64_t size = groups_->rows(s).size();
    const bool alone = groups_->count() == 1;
    const auto magnitude = static_cast<int>(std::bit_width(size) / 2);
    const Poisson*& shared = laws[magnitude];
    if (shared == nullptr) {
      const std::uint64_t least =
          alone || magnitude == 0 ? size : std::uint64_t{1} << (2 * magnitude - 1);
      shared = law(count_mean(least, least, kMargin));
    }
    strata_.push_back({first, size, size, seed_of_stratum(seed, s, groups_->count()), shared});
    first += size;
  }
}

}  // namespace bootfold::resample
