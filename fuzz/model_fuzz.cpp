// Fuzzer of the reader of models: any bytes give an Ensemble or a DataError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "bootfold/bootfold.h"
#include "file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  const fuzz::File file(bytes, size, ".safetensors");
  try {
    const auto model = ensemble::Ensemble::load(file.path());
    std::size_t numbers = 0;
    for (std::size_t m = 0; m < model.size(); ++m) {
      numbers += model.parameters(m).size();
      if (model.member(m).settings >= model.frame().settings.size()) std::abort();
    }
    // Limits of all levels exist and grow.
    const auto& scores = model.frame().conformal;
    for (const auto* orders : {&scores.residuals, &scores.scaled})
      for (const auto& order : *orders)
        if (!(order.limit(0.5) <= order.limit(0.95))) std::abort();
    if (numbers == 0 || numbers * sizeof(float) > size) std::abort();
  } catch (const DataError&) {
  }
  return 0;
}
