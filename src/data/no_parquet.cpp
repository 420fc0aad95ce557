// Parquet files in a build without Arrow C++.
#include "bootfold/error.h"
#include "bootfold/write.h"
#include "data/parquet.h"
#include "text/concat.h"

namespace bootfold::data {

std::shared_ptr<const ColumnFile> open_parquet(const std::string& path, const ReadOptions&,
                                               const Where&, std::size_t) {
  throw DataError(text::concat(
      path,
      " is a Parquet file, which this build of bootfold cannot read (it was built without Arrow "
      "C++); configure it with -DBOOTFOLD_ARROW=ON, or convert the file to .csv or .npy"));
}

void check_parquet_writer(const std::string& path) {
  throw DataError(text::concat(
      "cannot write ", path,
      ": this build of bootfold has no Arrow C++, which writes Parquet files; name a .csv or .npy "
      "file, or configure bootfold with -DBOOTFOLD_ARROW=ON"));
}

void write_parquet(const std::string& path, const std::vector<std::string>&,
                   std::span<const double>) {
  check_parquet_writer(path);
}

void write_parquet(const std::string& path, const std::vector<NamedColumn>&) {
  check_parquet_writer(path);
}

}  // namespace bootfold::data
