#include "reading.h"

#include "progress.h"

namespace bootfold::cli {

data::Table read_files(const std::vector<std::string>& files, data::ReadOptions options,
                       bool quiet) {
  ProgressBar bar(quiet, "bytes", [] { return std::string("reading"); });
  options.progress = bar.callback();
  return data::read(files, options);
}

}  // namespace bootfold::cli
