#include "paths/strata_sums.h"

#include <algorithm>
#include <array>
#include <utility>

#include "paths/sums.h"

namespace bootfold::paths::strata_sums {

namespace {

using resample::SmallStrata;

/// Replicates that share the look-ups of a tile.
constexpr std::uint64_t kGroup = 16;

struct Shared {
  Shared(const study::FixedSums& fixed, std::unique_ptr<const SmallStrata> all,
         const Resources& resources)
      : sums(fixed),
        strata(std::move(all)),
        level(resources.level()),
        integers(integer_features(sums, study::simd::kernels(level), sums.problem.data,
                                  strata->order())) {}

  const study::FixedSums& sums;
  std::unique_ptr<const SmallStrata> strata;
  execution::Level level;
  std::vector<std::int64_t> integers;  // [feature][place]
};

class StrataSums final : public Maker {
 public:
  explicit StrataSums(const Shared& shared) : shared_(shared), finish_(shared.sums) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    const std::size_t limbs = shared_.sums.limbs.size();
    const std::size_t rows = shared_.strata->order().size();
    sums_.assign((last - first) * limbs, 0);
    draws_.clear();
    for (std::uint64_t r = first; r < last; ++r)
      draws_.emplace_back(*shared_.strata, shared_.level, r);
    for (std::size_t place = 0; place < rows; place += SmallStrata::kTile) {
      if (place % (8 * SmallStrata::kTile) == 0) worker.check();
      for (std::size_t i = 0; i < draws_.size(); ++i) {
        const std::size_t size = draws_[i].next(drawn_.data());
        for (std::size_t f = 0; f < limbs; ++f)
          sums_[i * limbs + f] += sum_of(shared_.integers.data() + f * rows, size);
      }
    }
    for (std::size_t i = 0; i < draws_.size(); ++i)
      finish_(std::span<const __int128>(sums_).subspan(i * limbs, limbs), static_cast<double>(rows),
              values.subspan(i * outputs, outputs));
    worker.advance(static_cast<double>(last - first) * static_cast<double>(rows));
  }

 private:
  /// The integers of the drawn places, added up in parts that cannot overflow.
  [[nodiscard]] __int128 sum_of(const std::int64_t* integers, std::size_t size) const {
    constexpr std::size_t kSafe = 128;  // so many integers of 55 bits sum to 62 bits
    __int128 sum = 0;
    for (std::size_t first = 0; first < size; first += kSafe) {
      const std::size_t end = std::min(size, first + kSafe);
      std::int64_t part = 0;
      for (std::size_t i = first; i < end; ++i) part += integers[drawn_[i]];
      sum += part;
    }
    return sum;
  }

  const Shared& shared_;
  Finisher finish_;
  std::vector<SmallStrata::Draws> draws_;  // of each replicate
  std::vector<__int128> sums_;             // [replicate][feature]
  std::array<std::uint32_t, SmallStrata::kTile> drawn_;
};

}  // namespace

std::unique_ptr<Engine> prepare(const study::FixedSums& sums,
                                std::unique_ptr<const SmallStrata> strata,
                                const Resources& resources) {
  const std::uint64_t rows = strata->order().size();
  return std::make_unique<EngineOf<Shared, StrataSums>>(
      kGroup, rows, std::make_shared<const Shared>(sums, std::move(strata), resources));
}

}  // namespace bootfold::paths::strata_sums
