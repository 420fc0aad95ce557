// Exponential, logarithm and activations: close to the library's, and the same bits at every level.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble::simd {
namespace kernel_functions_test {

using execution::Level;

/// Values of many magnitudes, both signs, and special values.
std::vector<float> arguments(double largest) {
  random::Stream stream({.seed = 4});
  std::vector<float> found = {0.0F, -0.0F, 0.625F, -0.625F, 1e-30F, -1e-30F};
  while (found.size() < 20'000)
    found.push_back(static_cast<float>((2 * random::uniform(stream) - 1) *
                                       std::pow(largest, 2 * random::uniform(stream) - 1)));
  found.resize(20'000 / 16 * 16);
  return found;
}

constexpr Activation kActivations[] = {Activation::relu, Activation::tanh, Activation::gelu,
                                       Activation::silu};

class KernelFunctions : public testing::TestWithParam<Level> {};

TEST_P(KernelFunctions, ExpIsAccurateToThreeUnitsInTheLastPlace) {
  const std::vector<float> x = arguments(80);
  std::vector<float> found(x.size());
  std::vector<float> expected(x.size());
  kernels(GetParam()).exp(x.data(), x.size(), found.data());
  kernels(Level::portable).exp(x.data(), x.size(), expected.data());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(found[i] / std::exp(static_cast<double>(x[i])), 1, 3 * 0x1p-23) << x[i];
}

TEST_P(KernelFunctions, LogIsAccurateToThreeUnitsInTheLastPlace) {
  std::vector<float> x = arguments(1e30);
  for (float& value : x) value = std::max(std::abs(value), 1e-37F);
  std::vector<float> found(x.size());
  std::vector<float> expected(x.size());
  kernels(GetParam()).log(x.data(), x.size(), found.data());
  kernels(Level::portable).log(x.data(), x.size(), expected.data());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = std::log(static_cast<double>(x[i]));
    ASSERT_NEAR(found[i], right, 3 * 0x1p-24 * std::max(0.35, std::abs(right))) << x[i];
  }
}

double value_of(Activation activation, double z) {
  switch (activation) {
    case Activation::relu:
      return z > 0 ? z : 0;
    case Activation::tanh:
      return std::tanh(z);
    case Activation::gelu:
      return z / 2 *
             (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (z + 0.044715 * z * z * z)));
    case Activation::silu:
      return z / (1 + std::exp(-z));
  }
  return 0;
}

TEST_P(KernelFunctions, ActivationsAndDerivativesAreAccurate) {
  const std::vector<float> z = arguments(30);
  for (const Activation activation : kActivations) {
    std::vector<float> found[2] = {z, z};
    std::vector<float> expected[2] = {z, z};
    kernels(GetParam()).activate(activation, z.data(), z.size(), found[0].data(), found[1].data());
    kernels(Level::portable)
        .activate(activation, z.data(), z.size(), expected[0].data(), expected[1].data());
    for (int k = 0; k < 2; ++k)
      EXPECT_EQ(std::memcmp(found[k].data(), expected[k].data(), z.size() * sizeof(float)), 0);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double x = z[i];
      ASSERT_NEAR(found[0][i], value_of(activation, x), 4e-7 * std::max(1.0, std::abs(x)))
          << name(activation) << " " << x;
      if (activation == Activation::relu && std::abs(x) < 1e-4) continue;
      const double slope = (value_of(activation, x + 1e-5) - value_of(activation, x - 1e-5)) / 2e-5;
      ASSERT_NEAR(found[1][i], slope, 2e-6) << name(activation) << " " << x;
    }
  }
}

// NaN must stay NaN: that is how divergence is detected.
TEST_P(KernelFunctions, PropagateNaN) {
  const std::vector<float> x(16, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> value(16);
  std::vector<float> slope(16);
  kernels(GetParam()).exp(x.data(), x.size(), value.data());
  for (const float y : value) EXPECT_TRUE(std::isnan(y));
  for (const Activation activation : kActivations) {
    kernels(GetParam()).activate(activation, x.data(), x.size(), value.data(), slope.data());
    for (const float y : value) EXPECT_TRUE(std::isnan(y)) << name(activation);
  }
}

// Blocks of 32 and tails, at the ends of the interval, and of sums that are infinite.
TEST_P(KernelFunctions, SumsNearAnIntervalAreThoseOfTheDefinition) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  random::Stream stream({.seed = 8});
  for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 100U, 1000U}) {
    std::vector<float> means(count);
    std::vector<double> added(count);
    for (std::size_t i = 0; i < count; ++i) {
      means[i] = static_cast<float>(random::normal(stream));
      added[i] = i % 10 == 9 ? kInfinity : random::normal(stream);
    }
    const double one = count > 0 ? added[count / 2] - static_cast<double>(means[count / 2]) : 0;
    for (const auto& [low, high] :
         {std::pair(-0.1, 0.1), std::pair(one, one), std::pair(-kInfinity, kInfinity),
          std::pair(1.0, kInfinity), std::pair(-kInfinity, -1.0), std::pair(9.0, 9.5)}) {
      std::vector<double> sums(count);
      std::vector<double> near(count + 1);
      const SumsNear found = kernels(GetParam())
                                 .sums_near(means.data(), added.data(), count, -1, low, high,
                                            sums.data(), near.data());
      std::vector<double> expected;
      std::size_t below = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double sum = added[i] - static_cast<double>(means[i]);
        ASSERT_EQ(sums[i], sum);
        below += sum < low ? 1U : 0U;
        if (low <= sum && sum <= high) expected.push_back(sum);
      }
      EXPECT_EQ(found.below, below);
      EXPECT_EQ(std::vector<double>(near.begin(),
                                    near.begin() + static_cast<std::ptrdiff_t>(found.within)),
                expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelFunctions, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace kernel_functions_test
}  // namespace bootfold::ensemble::simd
