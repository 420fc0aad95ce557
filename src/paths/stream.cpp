// Path `stream`: Poisson counts and a top-up, over tiles of rows. What counts are used for depends
// on the statistics: a table has one line for each kind of problem.
#include <algorithm>
#include <array>
#include <cmath>

#include "paths/accumulate.h"
#include "paths/entry.h"
#include "paths/ordered.h"
#include "paths/ranked.h"
#include "paths/resampled.h"
#include "paths/table.h"
#include "paths/walk.h"
#include "paths/weighted_order.h"
#include "resample/super_blocks.h"

namespace bootfold::paths::stream {

namespace {

/// How a kind of problem is served: as a path is.
struct Kind {
  bool (*suits)(const Question& question);
  std::string (*serves)(const Question& question);
  Estimate (*estimate)(const Question& question);
  std::unique_ptr<Engine> (*prepare)(const Question& question, const Resources& resources);
  std::string (*no_parts)(const Question& question) = nullptr;
  std::unique_ptr<planning::PartEngine> (*prepare_parts)(const Question& question,
                                                         const Resources& resources) = nullptr;
};

/// Schemes whose counts are drawn row by row.
std::string serves_rows(const Question& question) {
  return question.design.streams(question.rows) ? "" : no_way_for(question.design);
}

constexpr std::array kKinds = {
    Kind{ranked::suits, serves_rows, ranked::estimate, ranked::prepare},
    Kind{weighted_order::suits, serves_rows, weighted_order::estimate, weighted_order::prepare},
    Kind{ordered::suits, serves_rows, ordered::estimate, ordered::prepare},
    Kind{resampled::by_counts::suits, serves_rows, resampled::by_counts::estimate,
         resampled::by_counts::prepare},
    Kind{accumulate::suits, accumulate::serves, accumulate::estimate, accumulate::prepare},
    Kind{walk::suits, walk::serves, walk::estimate, walk::prepare, walk::no_parts,
         walk::prepare_parts},
};

/// The first kind that suits; null if there is none.
const Kind* kind_of(const Question& question) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const Kind& kind) { return kind.suits(question); });
  return found == kKinds.end() ? nullptr : &*found;
}

std::string serves(const Question& question) {
  const Kind* const kind = kind_of(question);
  if (kind == nullptr)
    return "it takes functions of sums, quantiles and trimmed means, or accumulators, or measures "
           "of ranking, or mad, gini, top_share and spearman, but no functions that need the "
           "resample in the order of drawing";
  return kind->serves(question);
}

Estimate estimate(const Question& question) { return kind_of(question)->estimate(question); }

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return kind_of(question)->prepare(question, resources);
}

std::string no_parts(const Question& question) {
  const Kind* const kind = kind_of(question);
  return kind->no_parts != nullptr ? kind->no_parts(question)
                                   : "functions of the resample, accumulators, measures of "
                                     "ranking and statistics of sorted rows need all rows";
}

std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                    const Resources& resources) {
  return kind_of(question)->prepare_parts(question, resources);
}

}  // namespace

double cost(const Size& size) {
  constexpr auto kBlock = static_cast<double>(resample::kSuperBlockRows);
  const double blocks = std::ceil(size.rows / kBlock);
  const double top_up = 3 * std::sqrt(size.draws * blocks);  // with what void attempts cost
  const double row = 0.045 + 0.007 * size.planes;
  return 250 + size.rows * row + top_up * (2 + 1.5 * size.features);
}

PathEntry entry() {
  return {.id = Path::stream,
          .name = "stream",
          .meaning = "Poisson counts and a top-up, over tiles of rows",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare,
          .no_parts = no_parts,
          .prepare_parts = prepare_parts};
}

}  // namespace bootfold::paths::stream
