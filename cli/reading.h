// cli/reading.h: the rows that a request asks for.
#pragma once

#include <memory>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/source.h"

namespace bootfold::cli {

/// What read() returns. A column of --statistic that is not there is marked in its text.
template <class Read>
[[nodiscard]] auto with_marks(const Request& request, const Read& read) {
  try {
    return read();
  } catch (const UnknownColumn& error) {
    throw InvalidArgument(
        statistic::mark_column(request.statistic_texts, error.column(), error.problem()));
  }
}

/// data::read() of the files of a request.
[[nodiscard]] data::Table read_rows(const Request& request);
/// data::open() of the files of a request.
[[nodiscard]] std::unique_ptr<data::Source> open_rows(const Request& request);

}  // namespace bootfold::cli
