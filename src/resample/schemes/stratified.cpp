#include "resample/schemes/stratified.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "random/counter.h"
#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "resample/strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

/// Strata smaller than this on average are drawn row by row.
constexpr double kStreamedStratum = 256;

/// One stream for all strata, which may be many and small: the draw at a place is a row of the
/// stratum that the place lies in. One stratum alone is drawn as rows without strata are.
struct StratifiedRows {
  execution::Level level;
  std::uint64_t seed;
  std::shared_ptr<const Groups> strata;
  std::vector<simd::RowDraw> draws = {};  // of each stratum

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    const std::span<const std::uint32_t> rows = strata->all();
    if (strata->count() == 1) {
      draw_rows(level, seed, replicate, rows.size(), rows.size(), out);
    } else {
      draw_places(replicate, out);
    }
    for (std::uint32_t& place : out) place = rows[place];
    return out;
  }

 private:
  void draw_places(std::uint64_t replicate, RowList& out) {
    if (draws.empty())
      for (std::size_t s = 0; s < strata->count(); ++s)
        draws.push_back(row_draw(static_cast<std::uint32_t>(strata->rows(s).size())));
    out.resize(strata->all().size());
    const random::simd::Kernels& kernels = random::simd::kernels(level);
    random::simd::LaneState lanes;
    kernels.seed(random::lane_counter({seed, replicate, random::Purpose::index, kStrata}, 0),
                 lanes);
    constexpr std::size_t kSteps = 64;
    std::array<std::uint64_t, 8 * kSteps> words;
    std::array<std::uint32_t, 16 * kSteps> bits;
    std::uint32_t place = 0;
    for (const simd::RowDraw& draw : draws) {
      const std::uint32_t first = place;
      for (; place < first + draw.rows; ++place) {
        const std::size_t at = place % bits.size();
        if (at == 0) {
          kernels.words(lanes, kSteps, words.data());
          std::memcpy(bits.data(), words.data(), sizeof bits);
        }
        const std::uint64_t product = std::uint64_t{bits[at]} * draw.rows;
        auto row = static_cast<std::uint32_t>(product >> 32);
        if (static_cast<std::uint32_t>(product) < draw.reject) [[unlikely]]
          row = redraw({seed, replicate, random::Purpose::index_retry, kStrata}, place, draw);
        out[place] = first + row;
      }
    }
  }

  static constexpr std::uint8_t kStrata = 1;  // in place of an attempt
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
