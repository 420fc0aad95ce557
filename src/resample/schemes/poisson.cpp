#include "resample/schemes/poisson.h"

#include <algorithm>

#include "resample/counts.h"
#include "resample/cumulants.h"
#include "resample/sampling_by.h"
#include "resample/strata.h"

namespace bootfold::resample {

namespace {

/// The rows in rising order, each as often as its Poisson count says.
struct PoissonRows {
  execution::Level level;
  std::uint64_t seed;
  std::size_t rows;
  std::shared_ptr<CountLaws> laws = std::make_shared<CountLaws>();
  std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(simd::kCountTile + 64);
  std::shared_ptr<simd::Replaced> replaced = nullptr;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    if (!replaced) replaced = std::make_shared<simd::Replaced>();
    out.clear();
    const SuperBlocks blocks(rows);
    for (std::uint64_t b = 0; b < blocks.count(); ++b) {
      BlockCounts drawn(level, (*laws)(1, blocks.rows(b)), {seed, replicate, b}, blocks.rows(b));
      for (std::uint64_t row = blocks.first_row(b); row < blocks.first_row(b + 1);) {
        const std::size_t size = drawn.next(counts.data(), *replaced);
        for (std::size_t i = 0; i < size; ++i)
          out.insert(out.end(), counts[i], static_cast<std::uint32_t>(row + i));
        row += size;
      }
    }
    return out;
  }
};

}  // namespace

Traits PoissonDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.exchangeable = true;
  facts.fixed_size = false;
  facts.any_length = true;
  facts.together = false;
  facts.formula = true;
  facts.studentized = Studentized::yes;
  return facts;
}

std::shared_ptr<const Sampling> PoissonDesign::sampling(std::uint64_t rows, std::uint64_t seed,
                                                        std::uint64_t,
                                                        execution::Level level) const {
  return sampling_by(PoissonRows{level, seed, rows});
}

std::unique_ptr<const Strata> PoissonDesign::strata(std::uint64_t rows, std::uint64_t seed) const {
  return std::make_unique<const Strata>(Strata::poisson(rows, seed));
}

std::optional<Cumulants> PoissonDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, {}, static_cast<double>(changes.size()));
}

}  // namespace bootfold::resample
