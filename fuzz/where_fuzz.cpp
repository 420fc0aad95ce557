// Fuzzer of conditions: any text is a condition or an InvalidArgument, and a condition has a value
// for every row.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bootfold/error.h"
#include "data/where.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const data::Where where(text);
    if (where.empty() || where.columns().empty()) std::abort();
    for (const bool missing : {false, true})
      for (const char* word : {"", "JFK", "a"}) {
        const data::Where::Cell cell{static_cast<double>(size % 3), word, missing};
        const std::vector<data::Where::Cell> cells(where.columns().size(), cell);
        if (where.holds(cells) != where.holds(cells)) std::abort();
      }
  } catch (const InvalidArgument&) {
  }
  return 0;
}
