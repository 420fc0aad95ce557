// cli/reading.h: reads files, and shows on the terminal how far it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/mistakes.h"
#include "bootfold/source.h"
#include "progress.h"

namespace bootfold::cli {

/// data::read() with a progress bar on standard error, if that is a terminal and not `quiet`.
[[nodiscard]] data::Table read_files(const std::vector<std::string>& files,
                                     data::ReadOptions options, bool quiet);

/// A bar for files that are read several times: "reading", bytes and time left of this pass.
[[nodiscard]] std::unique_ptr<ProgressBar> reading_bar(bool quiet);

/// What read() returns. A column of --statistic that is not there, or cannot be used, is marked in
/// its text.
template <class Read>
auto with_marks(const Request& request, const Read& read) {
  try {
    return read();
  } catch (...) {
    statistic::throw_marked(request.statistic_texts);
  }
}

/// read_files() of the files of a request.
[[nodiscard]] data::Table read_rows(const Request& request);

struct RowsRead {
  data::Table table;
  double seconds = 0;
};
/// The same, with notes of what was found out about the files and of rows that are left out.
[[nodiscard]] RowsRead read_and_tell(const Request& request);

/// data::open() of the files of a request.
[[nodiscard]] std::unique_ptr<data::Source> open_rows(const Request& request);

}  // namespace bootfold::cli
