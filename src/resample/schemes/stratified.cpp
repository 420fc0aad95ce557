#include "resample/schemes/stratified.h"

#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "resample/strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

/// Strata smaller than this on average are drawn row by row.
constexpr double kStreamedStratum = 256;

struct StratifiedRows {
  execution::Level level;
  std::uint64_t seed;
  std::shared_ptr<const Groups> strata;
  RowList places = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    out.clear();
    for (std::size_t s = 0; s < strata->count(); ++s) {
      const auto rows = strata->rows(s);
      draw_rows(level, seed_of_stratum(seed, s, strata->count()), replicate, rows.size(),
                rows.size(), places);
      for (const std::uint32_t place : places) out.push_back(rows[place]);
    }
    return out;
  }
};

}  // namespace

std::string StratifiedDesign::describe(std::uint64_t) const {
  return text::concat("stratified, ", text::grouped(groups()->count()), " strata");
}

void StratifiedDesign::check(std::uint64_t rows) const { check_labels(labels(), "strata", rows); }

Traits StratifiedDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.together = false;
  facts.studentized = Studentized::yes;
  return facts;
}

std::shared_ptr<const Sampling> StratifiedDesign::sampling(std::uint64_t, std::uint64_t seed,
                                                           std::uint64_t,
                                                           execution::Level level) const {
  return sampling_by(StratifiedRows{level, seed, groups()});
}

bool StratifiedDesign::streams(std::uint64_t rows) const {
  return static_cast<double>(rows) >= kStreamedStratum * static_cast<double>(groups()->count());
}

std::unique_ptr<const Strata> StratifiedDesign::strata(std::uint64_t, std::uint64_t seed) const {
  return std::make_unique<const Strata>(groups(), seed);
}

Scheme StratifiedDesign::subset(std::span<const std::uint32_t> labels,
                                std::span<const double>) const {
  return scheme::Stratified{labels};
}

std::optional<Cumulants> StratifiedDesign::cumulants(std::span<const double> changes) const {
  Cumulants sums;
  const std::shared_ptr<const Groups> sorted = groups();
  for (std::size_t s = 0; s < sorted->count(); ++s) {
    const auto rows = sorted->rows(s);
    numeric::Compensated sum;
    for (const std::uint32_t row : rows) sum.add(changes[row]);
    const double mean = sum.value() / static_cast<double>(rows.size());
    if (rows.size() > 1)
      for (const std::uint32_t row : rows) sums.add(changes[row] - mean);
  }
  return sums;
}

}  // namespace bootfold::resample
