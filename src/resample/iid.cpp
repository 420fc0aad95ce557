// One replicate laid open, for people and tests.
#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "resample/rows.h"
#include "resample/strata.h"
#include "text/concat.h"

namespace bootfold::resample {

std::vector<std::uint32_t> counts(std::size_t rows, const ReplicateId& id, execution::Level level) {
  execution::check_available(level);
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  CountLaws laws;
  return all_counts(level, laws, Strata(rows, rows, id.seed), 0, id.replicate);
}

std::vector<std::uint32_t> indices(std::size_t rows, const ReplicateId& id,
                                   execution::Level level) {
  execution::check_available(level);
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  if (rows > kMostGatherRows)
    throw InvalidArgument(text::concat("rows is ", rows, " but row numbers are drawn from at most ",
                                       kMostGatherRows, " rows; counts() has no such limit"));
  std::vector<std::uint32_t> result(rows + kSideBySide);
  draw_rows(level, id.seed, id.replicate, static_cast<std::uint32_t>(rows), {result.data(), rows});
  result.resize(rows);
  return result;
}

}  // namespace bootfold::resample
