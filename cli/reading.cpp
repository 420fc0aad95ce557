#include "reading.h"

#include "bootfold/sources.h"

namespace bootfold::cli {

data::Table read_rows(const Request& request) {
  return with_marks(request, [&] { return data::read(request.files, request.read); });
}

std::unique_ptr<data::Source> open_rows(const Request& request) {
  return with_marks(request, [&] { return data::open(request.files, request.read); });
}

}  // namespace bootfold::cli
