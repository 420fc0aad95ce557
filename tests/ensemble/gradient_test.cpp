// Gradients against finite differences of a reference in double, for every loss, activation and
// depth, each lane with a network and rows of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/reference.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"

namespace bootfold::ensemble {
namespace gradient_test {

struct Case {
  Loss loss;
  Activation activation;
  std::vector<std::size_t> hidden;
};

std::vector<Case> cases() {
  std::vector<Case> found;
  for (const Loss loss : {Loss::cross_entropy, Loss::squared_error, Loss::gaussian})
    for (const Activation activation : {Activation::relu, Activation::tanh, Activation::gelu})
      for (const std::vector<std::size_t>& hidden :
           {std::vector<std::size_t>{}, {1}, {7}, {5, 9}, {4, 3, 6}})
        found.push_back({loss, activation, hidden});
  return found;
}

/// Networks, rows and targets for every lane.
struct Fixture {
  Fixture(const Case& which, execution::Level level, std::size_t batch_rows)
      : how(which),
        kernels(simd::kernels(level)),
        lanes(kernels.lanes),
        rows(batch_rows),
        outputs(which.loss == Loss::cross_entropy   ? 3
                : which.loss == Loss::squared_error ? 2
                                                    : 4),
        targets_each(which.loss == Loss::cross_entropy ? 1 : 2),
        shape(3, {.hidden = which.hidden, .activation = which.activation}, outputs),
        parameters(shape.parameters * lanes),
        gradient(shape.parameters * lanes),
        scratch(simd::pack_scratch_size(shape) * lanes),
        inputs(rows * 3 * lanes),
        targets(rows * targets_each * lanes),
        weights(rows * lanes) {
    random::Stream stream({.seed = 12});
    const auto fill = [&](AlignedFloats& list, std::size_t size, double scale) {
      for (std::size_t i = 0; i < size; ++i)
        list[i] = static_cast<float>(scale * random::normal(stream));
    };
    fill(parameters, shape.parameters * lanes, 0.6);
    fill(inputs, rows * 3 * lanes, 1);
    fill(targets, rows * targets_each * lanes, 1);
    for (std::size_t i = 0; i < rows * lanes; ++i)
      weights[i] = static_cast<float>(random::uniform(stream) / static_cast<double>(rows));
    if (which.loss == Loss::cross_entropy)
      for (std::size_t i = 0; i < rows * lanes; ++i)
        targets[i] = static_cast<float>(random::uniform_index(stream, 3));
  }

  [[nodiscard]] std::vector<float> losses() {
    simd::PackBatch batch;
    batch.rows = rows;
    batch.laned = inputs.data();
    batch.targets = targets.data();
    batch.weights = weights.data();
    std::vector<float> loss(lanes);
    kernels.gradient({&shape, how.loss, parameters.data(), gradient.data(), scratch.data()}, batch,
                     loss.data());
    return loss;
  }

  /// The loss of one lane by the reference, with one parameter moved.
  [[nodiscard]] double reference_loss(std::size_t lane, std::size_t moved, double by) const {
    reference::Network network{{3}, how.activation, {}};
    for (const std::size_t units : how.hidden) network.sizes.push_back(units);
    network.sizes.push_back(outputs);
    for (std::size_t i = 0; i < shape.parameters; ++i)
      network.parameters.push_back(parameters[i * lanes + lane] + (i == moved ? by : 0));
    double loss = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<double> x;
      std::vector<double> y;
      for (std::size_t c = 0; c < 3; ++c) x.push_back(inputs[(row * 3 + c) * lanes + lane]);
      for (std::size_t t = 0; t < targets_each; ++t)
        y.push_back(targets[(row * targets_each + t) * lanes + lane]);
      loss += weights[row * lanes + lane] * reference::cost(how.loss, network(x), y);
    }
    return loss;
  }

  Case how;
  const simd::Kernels& kernels;
  std::size_t lanes;
  std::size_t rows;
  std::size_t outputs;
  std::size_t targets_each;
  Shape shape;
  AlignedFloats parameters;
  AlignedFloats gradient;
  AlignedFloats scratch;
  AlignedFloats inputs;
  AlignedFloats targets;
  AlignedFloats weights;
};

class Gradient : public testing::TestWithParam<execution::Level> {};

// Rows of 1, 8 and 13: one block, a whole one, one and a part of the next. Differences of doubles
// at 1e-6 are right to about 1e-9; what is left is rounding to 24 bits in sums of up to 13 rows.
TEST_P(Gradient, MatchesFiniteDifferences) {
  for (const Case& which : cases())
    for (const std::size_t rows : {1U, 8U, 13U}) {
      SCOPED_TRACE(testing::Message()
                   << name(which.loss) << ", " << name(which.activation) << ", "
                   << which.hidden.size() << " hidden layers, " << rows << " rows");
      Fixture fixture(which, GetParam(), rows);
      const std::vector<float> loss = fixture.losses();
      for (std::size_t lane = 0; lane < fixture.lanes; lane += 5) {
        EXPECT_NEAR(loss[lane], fixture.reference_loss(lane, 0, 0),
                    4e-6 * (1 + std::abs(loss[lane])));
        double largest = 0;
        for (std::size_t i = 0; i < fixture.shape.parameters; ++i)
          largest = std::max(
              largest, std::abs(static_cast<double>(fixture.gradient[i * fixture.lanes + lane])));
        for (std::size_t i = 0; i < fixture.shape.parameters; ++i) {
          constexpr double kStep = 1e-6;
          const double slope =
              (fixture.reference_loss(lane, i, kStep) - fixture.reference_loss(lane, i, -kStep)) /
              (2 * kStep);
          ASSERT_NEAR(fixture.gradient[i * fixture.lanes + lane], slope, 1e-5 * largest + 1e-8)
              << "parameter " << i;
        }
      }
    }
}

TEST_P(Gradient, SimdLevelsGiveTheSameBits) {
  for (const Case& which : cases()) {
    Fixture fixture(which, GetParam(), 13);
    Fixture portable(which, execution::Level::portable, 13);
    // The same network and rows in lane 0 of both.
    const auto copy = [&](AlignedFloats& to, const AlignedFloats& from, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        to[i * fixture.lanes + fixture.lanes - 1] = from[i * portable.lanes];
    };
    copy(fixture.parameters, portable.parameters, fixture.shape.parameters);
    copy(fixture.inputs, portable.inputs, 13 * 3);
    copy(fixture.targets, portable.targets, 13 * fixture.targets_each);
    copy(fixture.weights, portable.weights, 13);
    EXPECT_EQ(fixture.losses()[fixture.lanes - 1], portable.losses()[0]);
    for (std::size_t i = 0; i < fixture.shape.parameters; ++i)
      ASSERT_EQ(fixture.gradient[i * fixture.lanes + fixture.lanes - 1],
                portable.gradient[i * portable.lanes]);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Gradient, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace gradient_test
}  // namespace bootfold::ensemble
