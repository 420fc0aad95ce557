#include "resample/strata.h"

#include <bit>
#include <map>
#include <utility>

#include "resample/design.h"
#include "resample/sampler.h"

namespace bootfold::resample {

const Poisson* Strata::law(double mean) {
  laws_.push_back(std::make_shared<const Poisson>(mean));
  return laws_.back().get();
}

Strata::Strata(std::uint64_t rows, std::uint64_t draws, std::uint64_t seed) {
  strata_.push_back({0, rows, draws, seed, law(count_mean(rows, draws, kMargin))});
}

Strata Strata::poisson(std::uint64_t rows, std::uint64_t seed) {
  Strata made;
  made.topped_up_ = false;
  made.strata_.push_back({0, rows, rows, seed, made.law(1)});
  return made;
}

Strata::Strata(std::shared_ptr<const Groups> groups, std::uint64_t seed)
    : groups_(std::move(groups)) {
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
