#include "resample/schemes/iid.h"

#include "resample/cumulants.h"
#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "resample/strata.h"

namespace bootfold::resample {

namespace {

/// Short replicates come a batch at a time.
struct IidRows {
  execution::Level level;
  std::uint64_t seed;
  std::size_t rows;
  std::size_t draws;
  std::uint64_t batch = ~std::uint64_t{0};
  RowList drawn = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    if (rows > kShortRows) {
      draw_rows(level, seed, replicate, rows, draws, out);
      return out;
    }
    if (batch != replicate / kSideBySide) {
      batch = replicate / kSideBySide;
      drawn.resize(draws * kSideBySide);
      draw_batch(level, seed, batch, static_cast<std::uint32_t>(rows), drawn);
    }
    return std::span<const std::uint32_t>(drawn).subspan(replicate % kSideBySide * draws, draws);
  }
};

}  // namespace

Traits IidDesign::traits(std::uint64_t rows) const {
  Traits facts;
  facts.iid = true;
  facts.exchangeable = draws(rows) == rows;
  facts.any_length = true;
  facts.together = false;
  facts.formula = true;
  facts.studentized = Studentized::yes;
  return facts;
}

std::shared_ptr<const Sampling> IidDesign::sampling(std::uint64_t rows, std::uint64_t seed,
                                                    std::uint64_t, execution::Level level) const {
  return sampling_by(IidRows{level, seed, rows, draws(rows)});
}

std::unique_ptr<const Strata> IidDesign::strata(std::uint64_t rows, std::uint64_t seed) const {
  return std::make_unique<const Strata>(rows, draws(rows), seed);
}

std::optional<Cumulants> IidDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, {}, static_cast<double>(draws(changes.size())));
}

}  // namespace bootfold::resample
