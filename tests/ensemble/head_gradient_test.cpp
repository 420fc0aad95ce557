// Gradients of losses that are chosen target by target, against finite differences of a reference
// in double, in packs and alone.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/reference.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"

namespace bootfold::ensemble {
namespace head_gradient_test {

const std::vector<float> kQuantiles = {0.1F, 0.5F, 0.75F};

/// Targets and their losses.
using Losses = std::vector<Loss>;

std::vector<Losses> cases() {
  return {{Loss::huber},
          {Loss::pinball},
          {Loss::poisson},
          {Loss::binary},
          {Loss::binary, Loss::binary, Loss::binary},
          {Loss::huber, Loss::huber},
          {Loss::squared_error, Loss::binary, Loss::pinball, Loss::gaussian, Loss::poisson,
           Loss::huber}};
}

std::size_t outputs_of_loss(Loss loss) {
  return loss == Loss::gaussian ? 2 : loss == Loss::pinball ? kQuantiles.size() : 1;
}

std::vector<simd::HeadLoss> heads_of(const Losses& losses) {
  std::vector<simd::HeadLoss> heads;
  std::size_t output = 0;
  for (const Loss loss : losses) {
    heads.push_back({loss, output, loss == Loss::binary ? 3.5F : 0.7F, {}});
    if (loss == Loss::pinball) heads.back().quantiles = kQuantiles;
    output += outputs_of_loss(loss);
  }
  return heads;
}

/// A network for every lane, with rows of its own.
struct Networks {
  Networks(const Losses& losses, Activation activation, const std::vector<std::size_t>& hidden,
           execution::Level level, std::size_t batch_rows)
      : heads(heads_of(losses)),
        kernels(simd::kernels(level)),
        lanes(kernels.lanes),
        rows(batch_rows),
        shape(3, {.hidden = hidden, .activation = activation},
              heads.back().output + outputs_of_loss(losses.back())),
        parameters(shape.parameters * lanes),
        gradient(shape.parameters * lanes),
        scratch(simd::pack_scratch_size(shape) * lanes),
        inputs(rows * 3 * lanes),
        targets(rows * heads.size() * lanes),
        weights(rows * lanes) {
    random::Stream stream({.seed = 21});
    for (std::size_t i = 0; i < shape.parameters * lanes; ++i)
      parameters[i] = static_cast<float>(0.6 * random::normal(stream));
    for (std::size_t i = 0; i < rows * 3 * lanes; ++i)
      inputs[i] = static_cast<float>(random::normal(stream));
    for (std::size_t i = 0; i < rows * heads.size() * lanes; ++i) {
      const Loss loss = losses[i / lanes % heads.size()];
      const double value = random::normal(stream);
      targets[i] = static_cast<float>(loss == Loss::binary    ? (value > 0.3 ? 1 : 0)
                                      : loss == Loss::poisson ? std::floor(std::exp(value))
                                                              : 1.5 * value);
    }
    for (std::size_t i = 0; i < rows * lanes; ++i)
      weights[i] = static_cast<float>(random::uniform(stream) / static_cast<double>(rows));
  }

  [[nodiscard]] std::vector<float> losses() {
    simd::PackBatch batch;
    batch.rows = rows;
    batch.laned = inputs.data();
    batch.targets = targets.data();
    batch.weights = weights.data();
    std::vector<float> loss(lanes);
    kernels.gradient(
        {&shape, Loss::mixed, parameters.data(), gradient.data(), scratch.data(), heads}, batch,
        loss.data());
    return loss;
  }

  /// The loss of one lane by the reference, with one parameter moved.
  [[nodiscard]] double reference_loss(std::size_t lane, std::size_t moved, double by) const {
    reference::Network network{{3}, shape.activation, {}};
    for (const Layer& layer : shape.layers) network.sizes.push_back(layer.out);
    for (std::size_t i = 0; i < shape.parameters; ++i)
      network.parameters.push_back(parameters[i * lanes + lane] + (i == moved ? by : 0));
    double loss = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<double> x;
      for (std::size_t c = 0; c < 3; ++c) x.push_back(inputs[(row * 3 + c) * lanes + lane]);
      const std::vector<double> outputs = network(x);
      double own = 0;
      for (std::size_t t = 0; t < heads.size(); ++t) {
        const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(heads[t].output);
        const auto count = static_cast<std::ptrdiff_t>(outputs_of_loss(heads[t].loss));
        own += reference::head_cost(heads[t].loss, {first, first + count},
                                    targets[(row * heads.size() + t) * lanes + lane],
                                    heads[t].parameter, {kQuantiles.begin(), kQuantiles.end()});
      }
      loss += weights[row * lanes + lane] * own / static_cast<double>(heads.size());
    }
    return loss;
  }

  std::vector<simd::HeadLoss> heads;
  const simd::Kernels& kernels;
  std::size_t lanes;
  std::size_t rows;
  Shape shape;
  AlignedFloats parameters;
  AlignedFloats gradient;
  AlignedFloats scratch;
  AlignedFloats inputs;
  AlignedFloats targets;
  AlignedFloats weights;
};

class HeadGradient : public testing::TestWithParam<execution::Level> {};

// As for the other losses, with tolerances for rounding to 24 bits.
TEST_P(HeadGradient, MatchesFiniteDifferences) {
  for (const Losses& losses : cases())
    for (const Activation activation : {Activation::tanh, Activation::gelu})
      for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {7}, {5, 9}})
        for (const std::size_t rows : {1U, 8U, 13U}) {
          SCOPED_TRACE(testing::Message()
                       << losses.size() << " targets, the first " << name(losses[0]) << ", "
                       << name(activation) << ", " << hidden.size() << " hidden layers, " << rows
                       << " rows");
          Networks networks(losses, activation, hidden, GetParam(), rows);
          const std::vector<float> loss = networks.losses();
          for (std::size_t lane = 0; lane < networks.lanes; lane += 5) {
            EXPECT_NEAR(loss[lane], networks.reference_loss(lane, 0, 0),
                        4e-6 * (1 + std::abs(loss[lane])));
            double largest = 0;
            for (std::size_t i = 0; i < networks.shape.parameters; ++i)
              largest = std::max(
                  largest,
                  std::abs(static_cast<double>(networks.gradient[i * networks.lanes + lane])));
            for (std::size_t i = 0; i < networks.shape.parameters; ++i) {
              constexpr double kStep = 1e-6;
              const double slope = (networks.reference_loss(lane, i, kStep) -
                                    networks.reference_loss(lane, i, -kStep)) /
                                   (2 * kStep);
              ASSERT_NEAR(networks.gradient[i * networks.lanes + lane], slope,
                          1e-5 * largest + 1e-8)
                  << "parameter " << i;
            }
          }
        }
}

TEST_P(HeadGradient, SimdLevelsGiveTheSameBits) {
  for (const Losses& losses : cases()) {
    Networks networks(losses, Activation::gelu, {5, 9}, GetParam(), 13);
    Networks portable(losses, Activation::gelu, {5, 9}, execution::Level::portable, 13);
    const auto copy = [&](AlignedFloats& to, const AlignedFloats& from, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        to[i * networks.lanes + networks.lanes - 1] = from[i * portable.lanes];
    };
    copy(networks.parameters, portable.parameters, networks.shape.parameters);
    copy(networks.inputs, portable.inputs, 13 * 3);
    copy(networks.targets, portable.targets, 13 * losses.size());
    copy(networks.weights, portable.weights, 13);
    EXPECT_EQ(networks.losses()[networks.lanes - 1], portable.losses()[0]);
    for (std::size_t i = 0; i < networks.shape.parameters; ++i)
      ASSERT_EQ(networks.gradient[i * networks.lanes + networks.lanes - 1],
                portable.gradient[i * portable.lanes]);
  }
}

// Targets alone have the bits that they have through the kernels of their own.
TEST_P(HeadGradient, SquaredErrorEqualsItsOwnKernels) {
  Networks networks({Loss::squared_error, Loss::squared_error}, Activation::tanh, {7}, GetParam(),
                    13);
  const std::vector<float> loss = networks.losses();
  const std::vector<float> gradient(&networks.gradient[0],
                                    &networks.gradient[0] + networks.shape.parameters);
  simd::PackBatch batch;
  batch.rows = 13;
  batch.laned = networks.inputs.data();
  batch.targets = networks.targets.data();
  batch.weights = networks.weights.data();
  std::vector<float> own(networks.lanes);
  networks.kernels.gradient({&networks.shape, Loss::squared_error, networks.parameters.data(),
                             networks.gradient.data(), networks.scratch.data()},
                            batch, own.data());
  EXPECT_EQ(loss, own);
  for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_EQ(gradient[i], networks.gradient[i]);
}

// The loss of a positive row times 3 is that of three such rows.
TEST_P(HeadGradient, PositiveWeightEqualsRepeatedRows) {
  Networks weighted({Loss::binary}, Activation::tanh, {6}, GetParam(), 4);
  weighted.heads[0].parameter = 3;
  Networks repeated({Loss::binary}, Activation::tanh, {6}, GetParam(), 8);
  repeated.heads[0].parameter = 1;
  const std::size_t lanes = weighted.lanes;
  const float classes[4] = {1, 0, 1, 0};
  const std::size_t source[8] = {0, 0, 0, 1, 2, 2, 2, 3};
  for (std::size_t i = 0; i < weighted.shape.parameters * lanes; ++i)
    repeated.parameters[i] = weighted.parameters[i];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t row = 0; row < 4; ++row) {
      weighted.targets[row * lanes + lane] = classes[row];
      weighted.weights[row * lanes + lane] = 0.125F;
    }
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t c = 0; c < 3; ++c)
        repeated.inputs[(row * 3 + c) * lanes + lane] =
            weighted.inputs[(source[row] * 3 + c) * lanes + lane];
      repeated.targets[row * lanes + lane] = classes[source[row]];
      repeated.weights[row * lanes + lane] = 0.125F;
    }
  }
  const std::vector<float> one = weighted.losses();
  const std::vector<float> other = repeated.losses();
  for (std::size_t lane = 0; lane < lanes; ++lane) EXPECT_NEAR(one[lane], other[lane], 1e-6);
  for (std::size_t i = 0; i < weighted.shape.parameters * lanes; ++i)
    ASSERT_NEAR(weighted.gradient[i], repeated.gradient[i], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Levels, HeadGradient, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace head_gradient_test
}  // namespace bootfold::ensemble
