// Path `stream` for functions of sums, quantiles and trimmed means: what it serves and costs.
#include "paths/walk.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "paths/walker.h"
#include "text/concat.h"

namespace bootfold::paths::walk {

namespace {

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;

/// And what they should take where they take much.
constexpr std::size_t kCacheBytes = std::size_t{8} << 20;

}  // namespace

bool suits(const Question& question) { return of_counts(question.problem()); }

std::string serves(const Question& question) {
  if (!by_cluster(question))
    return question.design.streams(question.rows) ? "" : no_way_for(question.design);
  if (question.traits.deletes) return no_way_for(question.design);
  const auto units = resample::design(question.design.of_clusters());
  const bool walks =
      units->stratum_labels().empty() && units->streams(question.design.groups()->count());
  return walks ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  Estimate found;
  const Layout layout(question);
  const study::FixedSums& sums = layout.sums;
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  Size size = size_of(question);
  size.rows = static_cast<double>(layout.units);
  size.draws = std::min(size.draws, size.rows);
  size.planes = static_cast<double>(layout.size.planes);
  found.replicate_nanoseconds = stream::cost(size) + 2 * static_cast<double>(layout.windows.slots);
  found.start_nanoseconds =
      30 * static_cast<double>(question.rows) * static_cast<double>(layout.windows.windows);
  const char* const units = by_cluster(question) ? "clusters" : "rows";
  found.reason = rows_and_features(question, sums.features()) +
                 (question.forced ? std::string("path asked for")
                  : layout.windows.windows == 0
                      ? "Poisson counts with a top-up stream over the rows"
                      : text::concat("Poisson counts stream over the ", units,
                                     "; quantiles are counted in windows around those of the "
                                     "data"));
  found.shared_bytes =
      layout.law_bytes + layout.windows.windows * layout.places + 48 * layout.windows.most_slots +
      question.design.sampling_bytes(question.rows) + (layout.keeps_digits ? layout.kept_bytes : 0);
  if (by_cluster(question))  // columns of clusters, their slots; before these, the spread was found
    found.shared_bytes +=
        std::max(question.rows * DesignSpread::kBytes,
                 layout.units * (layout.size.features * sizeof(double) + sizeof(std::uint32_t))) +
        sizeof(WindowRow) * layout.windows.most_slots;
  found.thread_bytes = DigitReader::bytes(layout.size, layout.keeps_digits) +
                       (layout.side + 4) * (kCountTile + 64) + sizeof(resample::simd::Replaced);
  if (!question.design.weights().empty())  // draws of a super-block that are not counted
    found.thread_bytes += sizeof(std::uint32_t) *
                          std::min<std::uint64_t>(question.draws, 2 * resample::kSuperBlockRows);
  found.replicate_bytes = sizeof(BlockCounts) + 2 * sizeof(std::uint64_t) +
                          (layout.size.planes + 4 * layout.size.limbs + layout.windows.windows +
                           2 * layout.windows.tied) *
                              sizeof(std::int64_t) +
                          layout.windows.most_slots;
  // Large clusters can make windows so wide that many replicates would take more than a cache.
  found.group = by_cluster(question) ? std::clamp<std::size_t>(kCacheBytes / found.replicate_bytes,
                                                               kWideSide, kGroup)
                                     : kGroup;
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  // Small enough that all threads have work, large enough that a tile is read for many.
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  auto shared = std::make_shared<const Shared>(question, resources);
  std::uint64_t group =
      std::min<std::uint64_t>(resources.group, (share + kSide - 1) / kSide * kSide);
  // Weights may put more rows into a window than the plan could know.
  const std::size_t planned = shared->layout.windows.most_slots;
  if (shared->windows.slots() > planned)
    group = std::max<std::uint64_t>(1, group * planned / shared->windows.slots());
  const std::uint64_t units = shared->layout.units;
  return std::make_unique<EngineOf<Shared, Walker>>(group, units, std::move(shared));
}

}  // namespace bootfold::paths::walk
