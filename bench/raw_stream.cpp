// Writes the random streams as raw bytes to standard output, for statistical batteries:
//
//     raw_stream --kind lanes | dieharder -a -g 200
//
// lanes: the fast stream as the engine uses it, 2048 bytes from every lane stream in turn, so that
// the seeding is tested as well; long: one lane stream without end; philox: the counter-based
// words.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bootfold/random.h"

namespace {

using namespace bootfold::random;

template <class T, std::size_t N>
bool write(const std::array<T, N>& words) {
  return std::fwrite(words.data(), sizeof(T), N, stdout) == N;
}

int write_lanes() {
  for (std::uint64_t replicate = 0;; ++replicate) {
    Lanes lanes({.seed = 1, .replicate = replicate, .purpose = Purpose::counts}, 0);
    for (int step = 0; step < 32; ++step)
      if (!write(lanes())) return 0;
  }
}

int write_long() {
  Lanes lanes({.seed = 1, .replicate = 0, .purpose = Purpose::counts}, 0);
  while (write(lanes())) {
  }
  return 0;
}

int write_philox() {
  for (std::uint64_t position = 0;; ++position)
    if (!write(block({.seed = 1, .replicate = position >> 10, .purpose = Purpose::user},
                     position & 1023)))
      return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string kind = count == 3 && std::string(words[1]) == "--kind" ? words[2] : "";
  if (kind == "lanes") return write_lanes();
  if (kind == "long") return write_long();
  if (kind == "philox") return write_philox();
  std::fprintf(stderr, "usage: raw_stream --kind lanes|long|philox\n");
  return 2;
}
