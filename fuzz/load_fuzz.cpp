// libFuzzer entry for model files: any bytes give a valid Ensemble or an exception of bootfold.
//
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I include -I src
//       -I build/dev/src/include src/data/*.cpp src/text/*.cpp
//       src/ensemble/{names,parse,shape}.cpp src/ensemble/files/*.cpp fuzz/load_fuzz.cpp -lz
//       -o /tmp/load_fuzz
//   bootfold ensemble train iris.csv --target species --members 2 --output corpus/iris.safetensors
//   /tmp/load_fuzz -max_total_time=60 -rss_limit_mb=512 corpus
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"

namespace bootfold::ensemble {

// The part of ensemble.cpp that loading needs, so that the rest of the library is not built.
Ensemble::Ensemble(Frame frame, std::vector<Member> members,
                   std::vector<std::vector<float>> parameters, std::uint64_t fingerprint)
    : frame_(std::move(frame)),
      members_(std::move(members)),
      parameters_(std::move(parameters)),
      fingerprint_(fingerprint) {}

}  // namespace bootfold::ensemble

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  const std::string path = concat("/dev/shm/bootfold-fuzz-", ::getpid(), ".safetensors");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  try {
    const auto model = ensemble::Ensemble::load(path);
    std::size_t numbers = 0;
    for (std::size_t m = 0; m < model.size(); ++m) {
      numbers += model.parameters(m).size();
      if (model.member(m).settings >= model.frame().settings.size()) std::abort();
    }
    if (numbers == 0 || numbers * sizeof(float) > size) std::abort();
  } catch (const DataError&) {
  }
  ::unlink(path.c_str());
  return 0;
}
