// Which paths can serve: what schemes and statistics leave open, and what a person may force.
#pragma once

#include <cstdint>
#include <string>

#include "bootfold/plan.h"
#include "study/problem.h"

namespace bootfold::planning {

using namespace study;  // NOLINT(google-build-using-namespace): planning is about studies

/// The paths a scheme has for functions of sums, beside drawing the resample out.
struct Ways {
  bool plain = false;   // iid: all paths
  bool stream = false;  // counts that can be streamed
  bool blocks = false;
  bool weights = false;   // no rows are drawn, they are weighted
  bool deletion = false;  // no rows are drawn, one is left out
};

[[nodiscard]] Ways ways_of(const Scheme& scheme, std::uint64_t rows);

/// Are all statistics quantiles of one and the same column?
[[nodiscard]] bool one_column_of_quantiles(const Problem& problem);

/// Are all statistics functions of sums or quantiles, which need no resample?
[[nodiscard]] bool sums_or_quantiles(const Problem& problem);

/// Throws unless the path the person asks for can serve.
void check_path(const Problem& problem, const Scheme& scheme, Path path);

/// What a scheme asks of the run as a whole; throws InvalidArgument.
void check_run(const Options& options, std::uint64_t rows);

[[noreturn]] void throw_cannot_serve(Path path, const std::string& why);

}  // namespace bootfold::planning
