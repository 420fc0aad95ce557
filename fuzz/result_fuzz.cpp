// Fuzzer of the reader of results: any bytes give a Result or a DataError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "bootfold/bootfold.h"
#include "file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  const fuzz::File file(bytes, size, ".safetensors");
  try {
    const Result result = Result::load(file.path());
    if (result.outputs() == 0 || result.replicates().empty()) std::abort();
    if (result.replicates().size() % result.outputs() != 0) std::abort();
    if (result.replicates().size() * sizeof(double) > size) std::abort();
  } catch (const DataError&) {
  }
  return 0;
}
