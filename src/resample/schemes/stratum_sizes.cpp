#include "resample/schemes/stratum_sizes.h"

#include <algorithm>

#include "bootfold/error.h"
#include "resample/schemes/stratified.h"
#include "resample/strata.h"
#include "text/concat.h"

namespace bootfold::resample {

std::string StratumSizesDesign::describe(std::uint64_t) const {
  return describe_strata(sizes_.size());
}

void StratumSizesDesign::check(std::uint64_t rows) const {
  if (strata_stream(rows, sizes_.size())) return;
  throw InvalidArgument(text::concat(
      "strata have ", rows / sizes_.size(),
      " rows on average; strata of so few rows are drawn row by row, which needs all rows in one "
      "place: read them into memory, or split the replicates in place of the rows"));
}

std::uint64_t StratumSizesDesign::fixed_units(std::uint64_t) const {
  return static_cast<std::uint64_t>(std::count(sizes_.begin(), sizes_.end(), 1U));
}

Traits StratumSizesDesign::traits(std::uint64_t) const {
  Traits facts = strata_traits();
  facts.lists_rows = false;
  facts.studentized = Studentized::no;
  return facts;
}

std::shared_ptr<const Sampling> StratumSizesDesign::sampling(std::uint64_t, std::uint64_t,
                                                             std::uint64_t,
                                                             execution::Level) const {
  throw InvalidArgument("rows that are elsewhere cannot be listed");
}

std::unique_ptr<const Strata> StratumSizesDesign::strata(std::uint64_t, std::uint64_t seed) const {
  return std::make_unique<const Strata>(sizes_, seed);
}

}  // namespace bootfold::resample
