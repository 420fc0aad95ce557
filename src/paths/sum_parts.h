// What paths that add up integer sums of pieces share: from the sums of all rows to values.
#pragma once

#include <cstdint>
#include <span>

#include "paths/entry.h"
#include "paths/sums.h"
#include "planning/part_engine.h"

namespace bootfold::paths {

class SumParts : public planning::PartEngine {
 public:
  explicit SumParts(const study::FixedSums& sums) : sums_(sums) {}

  [[nodiscard]] std::size_t limbs() const final { return sums_.limbs.size(); }
  void finish(const planning::PartialSums& part, std::uint64_t first, std::span<double> values,
              const Execution& execution, const planning::Made& made) const final;

 protected:
  [[nodiscard]] const study::FixedSums& fixed() const noexcept { return sums_; }

 private:
  void finish_one(Finisher& finisher, std::span<const __int128> sums, std::uint64_t drawn,
                  std::span<double> values) const;

  const study::FixedSums& sums_;
};

/// Rows from .. to - 1 of a piece that begins with row `first`.
[[nodiscard]] DataView slice(const DataView& piece, std::uint64_t first, std::uint64_t from,
                             std::uint64_t to);

/// Progress of `size` units of work that begin at `done` of `all`.
[[nodiscard]] Execution stage_of(const Execution& execution, double done, double size, double all);

}  // namespace bootfold::paths
