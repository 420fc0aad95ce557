// Gradients against finite differences of a reference in double, for every loss, activation and
// depth, with and without layer normalization, residual connections and dropout, each lane with a
// network and rows of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/dropout.h"
#include "ensemble/reference.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"

namespace bootfold::ensemble {
namespace gradient_test {

struct Case {
  Loss loss;
  Activation activation;
  std::vector<std::size_t> hidden;
  bool layer_norm = false;
  bool residual = false;
  bool dropout = false;
  std::size_t classes = 3;
  std::size_t inputs = 3;
};

std::vector<Case> cases() {
  std::vector<Case> found;
  for (const Loss loss : {Loss::cross_entropy, Loss::squared_error, Loss::gaussian})
    for (const Activation activation :
         {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
      for (const std::vector<std::size_t>& hidden :
           {std::vector<std::size_t>{}, {1}, {7}, {5, 9}, {4, 3, 6}})
        found.push_back({loss, activation, hidden});
  // Two classes, whose outputs are seen as one, and few inputs, which have kernels of their own.
  for (const Activation activation :
       {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
    for (const std::size_t inputs : {1U, 2U, 3U})
      for (const std::vector<std::size_t>& hidden :
           {std::vector<std::size_t>{}, {1}, {7}, {5, 9}, {4, 3, 6}})
        found.push_back({Loss::cross_entropy, activation, hidden, false, false, false, 2, inputs});
  return found;
}

/// All combinations of what extends hidden layers; networks of 17 units have more than one group of
/// parts in their sums over units.
std::vector<Case> extended_cases() {
  std::vector<Case> found;
  for (const Loss loss : {Loss::cross_entropy, Loss::squared_error, Loss::gaussian})
    for (const Activation activation :
         {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
      for (unsigned which = 1; which < 8; ++which)
        for (const std::vector<std::size_t>& hidden :
             {std::vector<std::size_t>{7}, {6, 6, 5, 5}, {17, 17}})
          for (const std::size_t classes : {2U, 3U})
            if (classes == 3 || loss == Loss::cross_entropy)
              found.push_back({loss, activation, hidden, (which & 1) != 0, (which & 2) != 0,
                               (which & 4) != 0, classes});
  return found;
}

std::string in_words(const Case& which) {
  std::string words = std::string(name(which.loss)) + ", " + std::string(name(which.activation));
  for (const std::size_t units : which.hidden) words += " " + std::to_string(units);
  if (which.layer_norm) words += ", layer norm";
  if (which.residual) words += ", residual";
  if (which.dropout) words += ", dropout";
  return words + ", " + std::to_string(which.classes) + " classes, " +
         std::to_string(which.inputs) + " inputs";
}

/// Networks, rows and targets for every lane.
struct Fixture {
  Fixture(const Case& which, execution::Level level, std::size_t batch_rows)
      : how(which),
        kernels(simd::kernels(level)),
        lanes(kernels.lanes),
        rows(batch_rows),
        outputs(which.loss == Loss::cross_entropy   ? which.classes
                : which.loss == Loss::squared_error ? 2
                                                    : 4),
        targets_each(which.loss == Loss::cross_entropy ? 1 : 2),
        shape(which.inputs,
              {.hidden = which.hidden,
               .activation = which.activation,
               .layer_norm = which.layer_norm,
               .residual = which.residual},
              outputs),
        parameters(shape.parameters * lanes),
        gradient(shape.parameters * lanes),
        scratch(simd::pack_scratch_size(shape) * lanes),
        inputs(rows * which.inputs * lanes),
        targets(rows * targets_each * lanes),
        weights(rows * lanes),
        drop_scale(lanes) {
    random::Stream stream({.seed = 12});
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double rate = 0.1 + 0.05 * static_cast<double>(lane);
      const DropoutKey key = dropout_key({5, lane}, 9);
      drop_add.push_back(key.add);
      drop_mix.push_back(key.mix);
      drop_threshold.push_back(dropout_threshold(rate));
      drop_scale[lane] = dropout_scale(rate);
    }
    const auto fill = [&](AlignedFloats& list, std::size_t size, double scale) {
      for (std::size_t i = 0; i < size; ++i)
        list[i] = static_cast<float>(scale * random::normal(stream));
    };
    fill(parameters, shape.parameters * lanes, 0.6);
    fill(inputs, rows * which.inputs * lanes, 1);
    fill(targets, rows * targets_each * lanes, 1);
    for (std::size_t i = 0; i < rows * lanes; ++i)
      weights[i] = static_cast<float>(random::uniform(stream) / static_cast<double>(rows));
    if (which.loss == Loss::cross_entropy)
      for (std::size_t i = 0; i < rows * lanes; ++i)
        targets[i] = static_cast<float>(random::uniform_index(stream, which.classes));
  }

  [[nodiscard]] std::vector<float> losses() {
    simd::PackBatch batch;
    batch.rows = rows;
    batch.laned = inputs.data();
    batch.targets = targets.data();
    batch.weights = weights.data();
    std::vector<float> loss(lanes);
    const simd::Dropout dropout{drop_add.data(), drop_mix.data(), drop_threshold.data(),
                                drop_scale.data()};
    kernels.gradient({&shape,
                      how.loss,
                      parameters.data(),
                      gradient.data(),
                      scratch.data(),
                      {},
                      how.dropout ? &dropout : nullptr},
                     batch, loss.data());
    return loss;
  }

  /// The factor of a unit under dropout, from the definition in ensemble/dropout.h.
  [[nodiscard]] double factor(std::size_t lane, std::size_t row, std::size_t layer,
                              std::size_t unit) const {
    std::size_t pairs = 0;
    std::size_t first = 0;
    for (std::size_t l = 0; l < how.hidden.size(); ++l) {
      if (l == layer) first = pairs;
      pairs += (how.hidden[l] + 1) / 2;
    }
    std::uint32_t word = 0;
    dropout_word(static_cast<std::uint32_t>(row * pairs + first + unit / 2), drop_add[lane],
                 drop_mix[lane], word);
    const std::uint32_t half = unit % 2 == 0 ? word % 65'536 : word / 65'536;
    return half < drop_threshold[lane] ? 0 : 65'536.0 / (65'536.0 - drop_threshold[lane]);
  }

  /// The loss of one lane by the reference, with one parameter moved.
  [[nodiscard]] double reference_loss(std::size_t lane, std::size_t moved, double by) const {
    reference::Network network{{how.inputs}, how.activation, {}, how.layer_norm, how.residual};
    if (how.dropout)
      network.factor = [&](std::size_t row, std::size_t layer, std::size_t unit) {
        return factor(lane, row, layer, unit);
      };
    for (const std::size_t units : how.hidden) network.sizes.push_back(units);
    network.sizes.push_back(outputs);
    for (std::size_t i = 0; i < shape.parameters; ++i)
      network.parameters.push_back(parameters[i * lanes + lane] + (i == moved ? by : 0));
    double loss = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<double> x;
      std::vector<double> y;
      for (std::size_t c = 0; c < how.inputs; ++c)
        x.push_back(inputs[(row * how.inputs + c) * lanes + lane]);
      for (std::size_t t = 0; t < targets_each; ++t)
        y.push_back(targets[(row * targets_each + t) * lanes + lane]);
      loss += weights[row * lanes + lane] * reference::cost(how.loss, network(x, row), y);
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
  std::vector<std::uint32_t> drop_add;
  std::vector<std::uint32_t> drop_mix;
  std::vector<std::uint32_t> drop_threshold;
  AlignedFloats drop_scale;
};

void expect_gradient(Fixture& fixture, std::size_t lane, double tolerance) {
  const std::vector<float> loss = fixture.losses();
  EXPECT_NEAR(loss[lane], fixture.reference_loss(lane, 0, 0), 4e-6 * (1 + std::abs(loss[lane])));
  double largest = 0;
  for (std::size_t i = 0; i < fixture.shape.parameters; ++i)
    largest = std::max(largest,
                       std::abs(static_cast<double>(fixture.gradient[i * fixture.lanes + lane])));
  for (std::size_t i = 0; i < fixture.shape.parameters; ++i) {
    constexpr double kStep = 1e-6;
    const double slope =
        (fixture.reference_loss(lane, i, kStep) - fixture.reference_loss(lane, i, -kStep)) /
        (2 * kStep);
    ASSERT_NEAR(fixture.gradient[i * fixture.lanes + lane], slope, tolerance * largest + 1e-8)
        << "parameter " << i;
  }
}

class Gradient : public testing::TestWithParam<execution::Level> {};

// Rows of 1, 8, 11 and 13: a part of a block, a whole one, one and less or more than half of the
// next. Differences of doubles
// at 1e-6 are right to about 1e-9; what is left is rounding to 24 bits in sums of up to 13 rows.
TEST_P(Gradient, MatchesFiniteDifferences) {
  for (const Case& which : cases())
    for (const std::size_t rows : {1U, 8U, 11U, 13U}) {
      SCOPED_TRACE(testing::Message() << in_words(which) << ", " << rows << " rows");
      Fixture fixture(which, GetParam(), rows);
      for (std::size_t lane = 0; lane < fixture.lanes; lane += 5)
        expect_gradient(fixture, lane, 1e-5);
    }
}

TEST_P(Gradient, OfExtendedLayersMatchesFiniteDifferences) {
  for (const Case& which : extended_cases()) {
    SCOPED_TRACE(in_words(which));
    Fixture fixture(which, GetParam(), 11);
    expect_gradient(fixture, fixture.lanes - 1, 1e-5);
  }
}

TEST_P(Gradient, SimdLevelsGiveTheSameBits) {
  std::vector<Case> all = cases();
  for (const Case& which : extended_cases()) all.push_back(which);
  for (const Case& which : all) {
    SCOPED_TRACE(in_words(which));
    Fixture fixture(which, GetParam(), 13);
    Fixture portable(which, execution::Level::portable, 13);
    // The same network and rows in lane 0 of both.
    const auto copy = [&](AlignedFloats& to, const AlignedFloats& from, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        to[i * fixture.lanes + fixture.lanes - 1] = from[i * portable.lanes];
    };
    copy(fixture.parameters, portable.parameters, fixture.shape.parameters);
    copy(fixture.inputs, portable.inputs, 13 * which.inputs);
    copy(fixture.targets, portable.targets, 13 * fixture.targets_each);
    copy(fixture.weights, portable.weights, 13);
    fixture.drop_add.back() = portable.drop_add[0];
    fixture.drop_mix.back() = portable.drop_mix[0];
    fixture.drop_threshold.back() = portable.drop_threshold[0];
    fixture.drop_scale[fixture.lanes - 1] = portable.drop_scale[0];
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
