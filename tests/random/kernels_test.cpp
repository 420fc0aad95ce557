// Every SIMD level gives the same bits: lanes, exponential weights, and the state it leaves behind,
// at lengths around the vector widths too. Nothing is written outside.
#include "random/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "bootfold/random.h"
#include "random/counter.h"
#include "random/lane_access.h"
#include "random/lane_states.h"

namespace bootfold::random::simd {
namespace kernels_test {

constexpr std::size_t kLengths[] = {0,  1,  15,  16,  17,  31,   32,   33,  63,
                                    64, 65, 127, 128, 129, 4095, 4096, 4097};

LaneState some_lanes(std::uint64_t number) { return lane_state({.seed = 20}, number); }

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

class Kernel : public testing::TestWithParam<execution::Level> {};

TEST_P(Kernel, SeedsTheSameLanes) {
  random::Stream stream({.seed = 20});
  for (int time = 0; time < 1000; ++time) {
    const random::StreamId id{stream(), stream(), static_cast<random::Purpose>(stream() & 255),
                              static_cast<std::uint8_t>(stream())};
    const std::uint64_t number = stream() >> 20;  // 44 bits
    const random::Lanes expected(id, number);
    LaneState found;
    kernels(GetParam()).seed(random::lane_counter(id, number), found);
    ASSERT_EQ(std::memcmp(found.word, random::LaneAccess::state(expected), sizeof found.word), 0);
  }
}

// Against the library's logarithm, and to the bit against the portable level.
TEST_P(Kernel, DrawsTheSameExponentials) {
  for (const std::size_t rows : kLengths) {
    const std::size_t room = round_up(rows, 8);
    std::vector<double> expected(room + 1, -1);
    std::vector<double> found(room + 1, -1);
    LaneState lanes = some_lanes(3);
    LaneState reference = lanes;
    random::Lanes raw({.seed = 20}, 3);
    kernels(execution::Level::portable).exponentials(reference, rows, expected.data());
    kernels(GetParam()).exponentials(lanes, rows, found.data());
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0) << rows;
    EXPECT_TRUE(lanes == reference);
    EXPECT_EQ(found[room], -1);
    for (std::size_t first = 0; first < rows; first += 8) {
      const auto words = raw();
      for (std::size_t i = first; i < std::min(rows, first + 8); ++i) {
        const double u = (static_cast<double>(words[i - first] >> 12) + 0.5) * 0x1p-52;
        EXPECT_NEAR(found[i], -std::log(u), 4e-16 * std::max(1.0, found[i]));
      }
    }
    for (std::size_t i = rows; i < room; ++i) EXPECT_EQ(found[i], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

TEST(Crafted, LanesGiveTheWordsTheyWereMadeFor) {
  random::Stream stream({.seed = 20});
  Bytes first;
  Bytes second;
  for (auto& byte : first) byte = static_cast<std::uint8_t>(stream());
  for (auto& byte : second) byte = static_cast<std::uint8_t>(stream());
  random::Lanes lanes({}, 0);
  const LaneState state = crafted(first, second);
  std::memcpy(random::LaneAccess::state(lanes), state.word, sizeof state.word);
  EXPECT_EQ(std::bit_cast<Bytes>(lanes()), first);
  EXPECT_EQ(std::bit_cast<Bytes>(lanes()), second);
}

}  // namespace kernels_test
}  // namespace bootfold::random::simd
