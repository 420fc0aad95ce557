// libFuzzer entry for the file readers: any bytes give a Table or an exception of bootfold.
//
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I include -I src
//       src/data/*.cpp src/text/*.cpp fuzz/read_fuzz.cpp -lz -o /tmp/read_fuzz
//   /tmp/read_fuzz -max_total_time=60 -max_len=4096
//
// The first byte chooses kind and options, the rest is the file.
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bootfold/data.h"
#include "bootfold/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  static constexpr std::array<const char*, 4> kEndings = {".csv", ".tsv", ".csv.gz", ".npy"};
  if (size == 0) return 0;
  const unsigned choice = bytes[0];
  const std::string path =
      concat("/dev/shm/bootfold-fuzz-", ::getpid(), kEndings[choice % kEndings.size()]);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes + 1), static_cast<std::streamsize>(size - 1));

  data::ReadOptions options;
  if ((choice & 4U) != 0) options.columns = {"1"};
  if ((choice & 8U) != 0) options.columns.emplace_back("2");
  if ((choice & 16U) != 0) options.nan = data::NanPolicy::omit;
  if ((choice & 32U) != 0) options.header = (choice & 64U) != 0;
  if ((choice & 128U) != 0) options.labels = {"1"};
  try {
    const data::Table table = data::read(path, options);
    for (std::size_t c = 0; c < table.view().columns(); ++c)
      for (std::size_t row = 0; row < table.view().rows(); ++row)
        if (!std::isfinite(table.view().column(c)[row])) std::abort();
    if (!options.labels.empty()) {
      const data::Labels& labels = table.labels();
      if (labels.rows() != table.view().rows()) std::abort();
      for (const std::uint64_t count : labels.counts())
        if (count == 0) std::abort();
    }
  } catch (const DataError&) {
  } catch (const InvalidArgument&) {
  }
  ::unlink(path.c_str());
  return 0;
}
