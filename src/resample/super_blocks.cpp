#include "resample/super_blocks.h"

#include "bootfold/random.h"

namespace bootfold::resample {

std::uint64_t SuperBlocks::draws(std::uint64_t seed, std::uint64_t replicate, std::uint64_t draws,
                                 std::uint64_t block) const {
  constexpr unsigned kNodeBits = 16;  // positions of a stream that a node has to itself
  std::uint64_t first = 0;
  std::uint64_t last = count();
  while (last - first > 1) {
    const std::uint64_t middle = first + (last - first) / 2;
    const auto left = static_cast<double>(first_row(middle) - first_row(first));
    const auto all = static_cast<double>(first_row(last) - first_row(first));
    random::Stream stream({seed, replicate, random::Purpose::split}, middle << kNodeBits);
    const std::uint64_t below = random::binomial(stream, draws, left / all);
    if (block < middle) {
      draws = below;
      last = middle;
    } else {
      draws -= below;
      first = middle;
    }
  }
  return draws;
}

}  // namespace bootfold::resample
