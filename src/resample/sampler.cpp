#include "resample/sampler.h"

#include "bootfold/random.h"

namespace bootfold::resample {

std::uint64_t seed_of_stratum(std::uint64_t seed, std::size_t stratum, std::size_t strata) {
  if (strata == 1) return seed;
  const auto words = random::block({.seed = seed, .purpose = random::Purpose::stratum}, stratum);
  return std::uint64_t{words[1]} << 32 | words[0];
}

}  // namespace bootfold::resample
