#include "data/slice.h"

#include <optional>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::data {

void check_slice(const Source& source, std::uint64_t first, std::uint64_t count) {
  const std::optional<std::uint64_t> rows = source.stored_rows();
  if (!rows)
    throw InvalidArgument(
        "the source can only be read from its beginning, so it has no slices; files of binary "
        "numbers (.npy, raw, Parquet) have");
  if (first > *rows || count > *rows - first)
    throw InvalidArgument(text::concat("the slice has rows ", first, " to ", first + count,
                                       ", the end excluded, but the source has ", *rows, " rows"));
}

std::unique_ptr<Source> Source::slice(std::uint64_t first, std::uint64_t count) const {
  check_slice(*this, first, count);
  throw InvalidArgument("the source tells the number of its stored rows but has no slices");
}

}  // namespace bootfold::data
