#include "resample/strata.h"

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

Strata::Strata(std::shared_ptr<const Groups> groups, std::uint64_t seed)
    : groups_(std::move(groups)) {
  std::uint64_t first = 0;
  for (std::size_t s = 0; s < groups_->count(); ++s) {
    const std::uint64_t size = groups_->rows(s).size();
    strata_.push_back({first, size, size, seed_of_stratum(seed, s, groups_->count())});
    first += size;
  }
}

}  // namespace bootfold::resample
