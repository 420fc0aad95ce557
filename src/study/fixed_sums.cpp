#include "study/fixed_sums.h"

#include <algorithm>
#include <utility>

namespace bootfold::study {

namespace {

/// Up to here a column that fixed point cannot hold well is resampled in doubles; beyond, a bound
/// in terms of the standard error has to do.
constexpr std::uint64_t kMostCompensatedRows = 1'000'000;
constexpr double kCleanProducts = 1e-5;  // and products have five digits even where rows are small

bool good_enough(const FixedFeature& fixed, std::size_t order, std::uint64_t rows,
                 double tolerance) {
  const bool will_do = rows > kMostCompensatedRows && fixed.linear <= tolerance &&
                       (order == 1 || fixed.clean <= kCleanProducts);
  return fixed.holds(order, tolerance) || will_do;
}

}  // namespace

FixedSums::FixedSums(const Problem& from, std::span<const FeatureSummary> summaries, double rows,
                     double tolerance, bool all_digits)
    : problem(from) {
  for (std::size_t f = 0; f < summaries.size(); ++f)
    fixed.push_back(fix(summaries[f], problem.features.order(f), rows, tolerance, all_digits));
  // The products of a statistic have equally many digits, so that the error of none is large
  // against what the others leave when they are subtracted from each other.
  for (const Part& part : problem.parts) {
    std::size_t most = 0;
    for (const std::uint32_t f : part.features)
      if (fixed[f].error > 0) most = std::max(most, fixed[f].digits);
    for (const std::uint32_t f : part.features)
      lengthen(fixed[f], summaries[f], problem.features.order(f), most, rows);
  }
  // What two statistics fold alike is folded once; the digits do not depend on who else is there.
  std::vector<std::size_t> digits;
  for (const FixedFeature& feature : fixed) digits.push_back(feature.digits);
  places = problem.features.merge_equal(digits);
  for (std::size_t f = 0; f < places.size(); ++f) fixed[places[f]] = fixed[f];
  fixed.resize(problem.features.count());
  for (const FixedFeature& feature : std::exchange(fixed, {})) append(feature);
  for (Part& part : problem.parts) {
    for (std::uint32_t& f : part.features) f = places[f];
    part.resolution = 0;
    // Where sizes are so different that they take several limbs, what was rounded in making a
    // product is small against that product, but not against others.
    const bool wide = std::any_of(part.features.begin(), part.features.end(),
                                  [&](std::uint32_t f) { return fixed[f].limbs() > 1; });
    for (const std::uint32_t f : part.features)
      part.resolution = std::max(part.resolution, wide ? fixed[f].rounding : fixed[f].error);
  }
  for (std::size_t f = 0; f < fixed.size(); ++f)
    accurate_ = accurate_ &&
                good_enough(fixed[f], problem.features.order(f), problem.data.rows(), tolerance);
}

void FixedSums::append(const FixedFeature& feature) {
  for (std::uint32_t limb = 0; limb < feature.limbs(); ++limb)
    limbs.push_back({static_cast<std::uint32_t>(fixed.size()), limb, feature.limb_digits(limb)});
  fixed.push_back(feature);
}

void FixedSums::find_means(std::span<const __int128> sums, double rows,
                           std::span<double> means) const {
  for (const FixedFeature& feature : fixed) {
    means[0] = feature.mean(sums.first(feature.limbs()), rows);
    means = means.subspan(1);
    sums = sums.subspan(feature.limbs());
  }
}

std::size_t FixedSums::planes() const noexcept {
  std::size_t all = 0;
  for (const FixedFeature& feature : fixed) all += feature.digits;
  return all;
}

std::size_t FixedSums::most_digits() const noexcept {
  std::size_t most = 0;
  for (const FixedFeature& feature : fixed) most = std::max(most, feature.digits);
  return most;
}

std::size_t FixedSums::fewest_digits() const noexcept {
  std::size_t fewest = kMostDigits;
  for (const FixedFeature& feature : fixed) fewest = std::min(fewest, feature.digits);
  return fewest;
}

double FixedSums::error() const noexcept {
  double worst = 0;
  for (const FixedFeature& feature : fixed) worst = std::max(worst, feature.linear);
  return worst;
}

}  // namespace bootfold::study
