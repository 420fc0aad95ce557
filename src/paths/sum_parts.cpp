#include "paths/sum_parts.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace bootfold::paths {

void SumParts::finish(const planning::PartialSums& part, std::uint64_t first,
                      std::span<double> values, const Execution& execution,
                      const planning::Made&) const {
  const std::uint64_t before = first - part.first;
  const std::uint64_t replicates = part.replicates - before;
  const std::size_t outputs = values.size() / replicates;
  const std::size_t own = limbs();
  constexpr std::uint64_t kTogether = 4096;
  std::vector<std::unique_ptr<Finisher>> finishers(execution::thread_count(execution));
  Execution quiet = execution;
  quiet.progress = nullptr;
  execution::detail::run_chunks(
      (replicates + kTogether - 1) / kTogether, 1, quiet,
      [&](const execution::Worker& worker, std::size_t chunk) {
        worker.check();
        auto& finisher = finishers[worker.index()];
        if (!finisher) finisher = std::make_unique<Finisher>(sums_);
        const std::uint64_t end = std::min(replicates, (chunk + 1) * kTogether);
        for (std::uint64_t r = chunk * kTogether; r < end; ++r)
          finish_one(*finisher, std::span(part.sums).subspan((before + r) * own, own),
                     part.drawn[before + r], values.subspan(r * outputs, outputs));
      });
}

void SumParts::finish_one(Finisher& finisher, std::span<const __int128> sums, std::uint64_t drawn,
                          std::span<double> values) const {
  const auto rows = static_cast<double>(drawn);
  if (drawn == 0) {  // a scheme may draw no row at all
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  } else if (sums_.problem.is_mean()) {
    const double mean[1] = {sums_.fixed[0].mean(sums, rows)};
    sums_.problem.finish_means(mean, values);
  } else {
    finisher(sums, rows, values);
  }
}

DataView slice(const DataView& piece, std::uint64_t first, std::uint64_t from, std::uint64_t to) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < piece.columns(); ++c)
    columns.push_back(piece.column(c).slice(from - first, to - from));
  return DataView(std::move(columns));
}

Execution stage_of(const Execution& execution, double done, double size, double all) {
  Execution staged = execution;
  if (execution.progress)
    staged.progress = [&execution, done, size, all](execution::Progress progress) {
      execution.progress({done + size * progress.done / progress.total, all});
    };
  return staged;
}

}  // namespace bootfold::paths
