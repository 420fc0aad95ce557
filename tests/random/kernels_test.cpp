// Every SIMD level gives the same bits: lanes, weights, and the state it leaves behind,
// at lengths around the vector widths too. Nothing is written outside.
#include "random/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

#include "bootfold/random.h"
#include "random/counter.h"
#include "random/lane_access.h"
#include "random/lane_states.h"
#include "random/vectors.h"

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

using Wide = boost::multiprecision::cpp_bin_float_50;

/// 2^20 times -log2 of u = (k + 1/2) 2^-30, k being the first 30 bits.
double exact_weight(std::uint32_t bits) {
  const Wide u = ldexp(Wide(bits >> 1 | 1), -31);
  return static_cast<double>(ldexp(-log(u) / log(Wide(2)), 20));
}

/// A weight is odd and in the cell of the exact value, or beside it if that is close to its edge.
constexpr double kMostError = 1.22;

// Against 50 digits, and to the bit against the portable level.
TEST_P(Kernel, DrawsTheSameWeights) {
  for (const std::size_t rows : kLengths) {
    const std::size_t room = round_up(rows, kStepWeights);
    std::vector<std::uint32_t> expected(room + 1, 7);
    std::vector<std::uint32_t> found(room + 1, 7);
    LaneState lanes = some_lanes(3);
    LaneState reference = lanes;
    random::Lanes raw({.seed = 20}, 3);
    kernels(execution::Level::portable).weights(reference, rows, expected.data());
    kernels(GetParam()).weights(lanes, rows, found.data());
    EXPECT_EQ(found, expected) << rows;
    EXPECT_TRUE(lanes == reference);
    EXPECT_EQ(found[room], 7);
    std::array<std::uint64_t, 8> words{};
    for (std::size_t i = 0; i < std::min<std::size_t>(rows, 129); i += 2) {
      if (i % kStepWeights == 0) words = raw();
      const std::uint64_t word = words[i % kStepWeights / 2];
      EXPECT_NEAR(found[i], exact_weight(static_cast<std::uint32_t>(word)), kMostError);
      if (i + 1 == rows) continue;
      EXPECT_NEAR(found[i + 1], exact_weight(static_cast<std::uint32_t>(word >> 32)), kMostError);
    }
    for (std::size_t i = rows; i < room; ++i) EXPECT_EQ(found[i], 0);
  }
}

/// The weight of given bits, at a level: lanes whose next words these are.
std::vector<std::uint32_t> weights_of(execution::Level level, std::vector<std::uint32_t> bits) {
  std::vector<std::uint32_t> found;
  bits.resize(round_up(bits.size(), 32));
  for (std::size_t i = 0; i < bits.size(); i += 32) {
    Bytes first;
    Bytes second;
    std::memcpy(first.data(), bits.data() + i, 64);
    std::memcpy(second.data(), bits.data() + i + 16, 64);
    LaneState lanes = crafted(first, second);
    std::uint32_t some[32];
    kernels(level).weights(lanes, 32, some);
    found.insert(found.end(), some, some + 32);
  }
  return found;
}

// 2^13 mantissas, spread evenly and around powers of two, with every exponent; the map is the same
// for all exponents but for the rounding of more than 24 bits. |W - exact| <= 1 is the cell; what
// is left is the polynomial (0.066), the rounding of its value (0.063) and of the 30 bits to a
// float (0.091).
TEST_P(Kernel, WeightsAreLogarithms) {
  std::vector<std::uint32_t> bits = {0, 1, 2, 3, 4, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (int exponent = 0; exponent < 31; ++exponent) {
    const std::uint64_t power = std::uint64_t{1} << exponent;
    for (std::uint64_t i = 0; i < 8192; ++i)
      bits.push_back(static_cast<std::uint32_t>((power + (power * i >> 13)) << 1));
    for (std::uint64_t i = 1; i <= std::min<std::uint64_t>(power, 20); ++i)
      bits.push_back(static_cast<std::uint32_t>((2 * power - i) << 1));
  }
  const std::vector<std::uint32_t> found = weights_of(GetParam(), bits);
  EXPECT_EQ(*std::max_element(found.begin(), found.end()), kMostWeight);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ASSERT_EQ(found[i] % 2, 1);
    if (GetParam() == execution::Level::portable && i % 7 == 0) {
      ASSERT_NEAR(found[i], exact_weight(bits[i]), kMostError) << bits[i];
    }
    const double near = -std::log2(static_cast<double>(bits[i] >> 1 | 1) * 0x1p-31) * 0x1p20;
    ASSERT_NEAR(found[i], near, kMostError) << bits[i];
  }
}

// P(W <= w) against 1 - 2^-((w + 1) 2^-20), from 2^20 evenly spread values of the 30 bits: the
// numbers of cells below differ by at most one, and the edge of a cell by 0.22 units.
TEST_P(Kernel, WeightsHaveTheExponentialLaw) {
  constexpr std::uint32_t kValues = 1U << 20;
  std::vector<std::uint32_t> bits;
  for (std::uint32_t i = 0; i < kValues; ++i) bits.push_back((i << 12) + (1U << 11));
  std::vector<std::uint32_t> found = weights_of(GetParam(), bits);
  std::sort(found.begin(), found.end());
  for (std::uint32_t i = 0; i < kValues; i += 61) {
    if (i + 1 < kValues && found[i + 1] == found[i]) continue;
    const double share = (i + 1.0) / kValues;
    const double edge = (found[i] + 1.0) * 0x1p-20;
    EXPECT_NEAR(share, 1 - std::exp2(-edge), 1.01 / kValues + 0.22 * 0x1p-20);
  }
}

TEST_P(Kernel, GivesTheKnownWeights) {
  for (const auto& vector : vectors("weight")) {
    std::vector<std::uint32_t> bits;
    std::istringstream text(vector.names.at("bits"));
    for (std::string number; std::getline(text, number, ',');)
      bits.push_back(static_cast<std::uint32_t>(std::stoul(number)));
    std::vector<std::uint64_t> found;
    for (const std::uint32_t weight : weights_of(GetParam(), bits)) found.push_back(weight);
    found.resize(bits.size());
    EXPECT_EQ(found, vector.numbers());
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
