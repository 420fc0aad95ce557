// Fuzzer of the reader of checkpoints: any bytes are resumed or refused, and change no result.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "bootfold/bootfold.h"
#include "file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  static constexpr std::array kRows = {1.0, 2.0, 4.0, 8.0};
  const fuzz::File file(bytes, size, ".checkpoint");
  try {
    const Options options{.replicates = 4, .execution = {.threads = 1}};
    Options resumed = options;
    resumed.checkpoint = file.path();
    const Result result = bootstrap(DataView(kRows), statistic::mean(), resumed);
    if (result.count() != 4 || result.replicates().size() != 4) std::abort();
  } catch (const DataError&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
