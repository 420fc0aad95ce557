#include "reading.h"

#include "bootfold/sources.h"
#include "input_note.h"
#include "timer.h"

namespace bootfold::cli {

data::Table read_files(const std::vector<std::string>& files, data::ReadOptions options,
                       bool quiet) {
  const auto bar = reading_bar(quiet);
  options.progress = bar->callback();
  return data::read(files, options);
}

std::unique_ptr<ProgressBar> reading_bar(bool quiet) {
  return std::make_unique<ProgressBar>(quiet, "bytes", [] { return std::string("reading"); });
}

data::Table read_rows(const Request& request) {
  return with_marks(request,
                    [&] { return read_files(request.files, request.read, request.quiet); });
}

RowsRead read_and_tell(const Request& request) {
  const Timer reading;
  RowsRead rows{read_rows(request)};
  rows.seconds = reading.seconds();
  print_input_note(rows.table.note(), request.quiet || request.json);
  print_where_note(rows.table, request.quiet);
  return rows;
}

std::unique_ptr<data::Source> open_rows(const Request& request) {
  return with_marks(request, [&] { return data::open(request.files, request.read); });
}

}  // namespace bootfold::cli
