#include "reading.h"

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

}  // namespace bootfold::cli
