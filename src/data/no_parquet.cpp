// Parquet files in a build without Arrow C++.
#include "bootfold/error.h"
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

}  // namespace bootfold::data
