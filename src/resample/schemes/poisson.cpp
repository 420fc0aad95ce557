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
  std::shared_ptr<const Poisson> law;
  std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(kTile);
  std::vector<simd::OpenRow> open = std::vector<simd::OpenRow>(kTile);
  static constexpr std::size_t kTile = 4096;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    out.clear();
    random::simd::LaneState lanes;
    for (std::size_t row = 0; row < rows; row += kTile) {
      const std::size_t size = std::min(kTile, rows - row);
      draw_tile(level, *law, {seed, replicate, 0}, row, size, lanes, counts.data(), open.data());
      for (std::size_t i = 0; i < size; ++i)
        out.insert(out.end(), counts[i], static_cast<std::uint32_t>(row + i));
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
  return sampling_by(PoissonRows{level, seed, rows, std::make_shared<const Poisson>(1.0)});
}

std::unique_ptr<const Strata> PoissonDesign::strata(std::uint64_t rows, std::uint64_t seed) const {
  return std::make_unique<const Strata>(Strata::poisson(rows, seed));
}

std::optional<Cumulants> PoissonDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, {}, static_cast<double>(changes.size()));
}

}  // namespace bootfold::resample
