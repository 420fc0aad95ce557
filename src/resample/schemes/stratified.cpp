#include "resample/schemes/stratified.h"

#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "resample/small_strata.h"
#include "resample/strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

/// Strata smaller than this on average are drawn row by row.
constexpr double kStreamedStratum = 256;

/// One stratum alone is drawn as rows without strata are.
struct OneStratumRows {
  execution::Level level;
  std::uint64_t seed;
  std::shared_ptr<const Groups> strata;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    const std::span<const std::uint32_t> rows = strata->all();
    draw_rows(level, seed, replicate, rows.size(), rows.size(), out);
    for (std::uint32_t& place : out) place = rows[place];
    return out;
  }
};

/// One stream for all strata, which may be many and small.
struct StratifiedRows {
  execution::Level level;
  std::shared_ptr<const SmallStrata> strata;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    draw_within(*strata, level, replicate, out);
    return out;
  }
};

}  // namespace

void draw_within(const SmallStrata& strata, execution::Level level, std::uint64_t replicate,
                 std::vector<std::uint32_t>& out) {
  const std::span<const std::uint32_t> rows = strata.order();
  out.resize(rows.size());
  SmallStrata::Draws draws(strata, level, replicate);
  for (std::size_t place = 0; place < rows.size();) {
    const std::size_t end = place + draws.next(out.data() + place);
    for (; place < end; ++place) out[place] = rows[out[place]];
  }
}

std::string describe_strata(std::size_t strata) {
  return text::concat("stratified, ", text::grouped(strata), " strata");
}

bool strata_stream(std::uint64_t rows, std::size_t strata) {
  return static_cast<double>(rows) >= kStreamedStratum * static_cast<double>(strata);
}

Traits strata_traits() {
  Traits facts;
  facts.together = false;
  facts.within_strata = true;
  facts.studentized = Studentized::yes;
  return facts;
}

std::string StratifiedDesign::describe(std::uint64_t) const {
  return describe_strata(groups()->count());
}

void StratifiedDesign::check(std::uint64_t rows) const { check_labels(labels(), "strata", rows); }

std::uint64_t StratifiedDesign::fixed_units(std::uint64_t) const {
  std::uint64_t alone = 0;
  for (std::size_t s = 0; s < groups()->count(); ++s) alone += groups()->rows(s).size() == 1;
  return alone;
}

Traits StratifiedDesign::traits(std::uint64_t) const { return strata_traits(); }

std::shared_ptr<const Sampling> StratifiedDesign::sampling(std::uint64_t, std::uint64_t seed,
                                                           std::uint64_t,
                                                           execution::Level level) const {
  if (groups()->count() == 1) return sampling_by(OneStratumRows{level, seed, groups()});
  return sampling_by(StratifiedRows{level, std::make_shared<const SmallStrata>(groups(), seed)});
}

std::unique_ptr<const SmallStrata> StratifiedDesign::small_strata(std::uint64_t seed) const {
  if (groups()->count() == 1) return nullptr;
  return std::make_unique<const SmallStrata>(groups(), seed);
}

bool StratifiedDesign::streams(std::uint64_t rows) const {
  return strata_stream(rows, groups()->count());
}

std::unique_ptr<const Strata> StratifiedDesign::strata(std::uint64_t, std::uint64_t seed) const {
  return std::make_unique<const Strata>(groups(), seed);
}

Scheme StratifiedDesign::subset(const OfRows& some) const {
  return scheme::Stratified{some.labels};
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
