// Kernels that predict many points: every sum runs over its terms in order, at every level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble::simd {
namespace points_test {

using execution::Level;

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  random::Stream stream({.seed = seed});
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random::normal(stream));
  return values;
}

class Points : public testing::TestWithParam<Level> {};

TEST_P(Points, GatheredRowsAreTransposed) {
  for (const std::size_t columns : {1U, 2U, 3U, 4U, 5U, 8U, 17U, 64U}) {
    const std::vector<float> data = normals(100 * columns, 1);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t p = 0; p < kPoints; ++p) rows.push_back((p * 37) % 100);
    std::vector<float> found(columns * kPoints);
    kernels(GetParam()).gather_points(data.data(), columns, rows.data(), found.data());
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t p = 0; p < kPoints; ++p)
        ASSERT_EQ(found[c * kPoints + p], data[rows[p] * columns + c]) << columns << " columns";
  }
}

/// A layer, sum by sum.
std::vector<float> layer_at(const Layer& layer, const std::vector<float>& parameters,
                            const std::vector<float>& in) {
  std::vector<float> out(layer.out * kPoints);
  for (std::size_t j = 0; j < layer.out; ++j)
    for (std::size_t p = 0; p < kPoints; ++p) {
      float sum = parameters[layer.bias + j];
      for (std::size_t i = 0; i < layer.in; ++i)
        sum = std::fma(parameters[layer.weights + j * layer.in + i], in[i * kPoints + p], sum);
      out[j * kPoints + p] = sum;
    }
  return out;
}

TEST_P(Points, PredictionsAddTheirTermsInOrder) {
  const Kernels& k = kernels(GetParam());
  for (const Activation activation :
       {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
    for (const std::size_t inputs : {1U, 2U, 3U, 131U})
      for (const std::vector<std::size_t>& hidden :
           {std::vector<std::size_t>{}, {1}, {33}, {7, 20}, {300}})
        for (const std::size_t outputs : {1U, 2U, 3U, 10U}) {
          const Shape shape(inputs, {.hidden = hidden, .activation = activation}, outputs);
          const std::vector<float> parameters = normals(shape.parameters, 2);
          const std::vector<float> points = normals(inputs * kPoints, 3);
          std::vector<float> expected = points;
          for (std::size_t l = 0; l < shape.layers.size(); ++l) {
            expected = layer_at(shape.layers[l], parameters, expected);
            std::vector<float> slopes(expected.size());
            if (l + 1 < shape.layers.size())
              k.activate(activation, expected.data(), expected.size(), expected.data(),
                         slopes.data());
          }
          std::vector<float> found(outputs * kPoints);
          std::vector<float> scratch(points_scratch_size(shape));
          k.predict_points(shape, parameters.data(), points.data(), scratch.data(), found.data());
          ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
              << inputs << " inputs, " << outputs << " outputs, " << name(activation);
        }
}

TEST_P(Points, ClassSharesAreThoseOfASoftmax) {
  const Kernels& k = kernels(GetParam());
  for (const std::size_t classes : {2U, 3U, 10U, 65U}) {
    std::vector<float> outputs = normals(classes * kPoints, 4);
    for (std::size_t c = 0; c < classes; ++c) {
      outputs[c * kPoints] = 1;                       // all equal
      outputs[c * kPoints + 1] = c == 0 ? 100 : -50;  // one certain
    }
    std::vector<float> weights(kPoints, 1.0F);
    weights[5] = 0;
    // What each level must give: one exponential and one logarithm at a time.
    std::vector<float> last((classes + 1) * kPoints);
    for (std::size_t p = 0; p < kPoints; ++p) {
      float highest = outputs[p];
      for (std::size_t c = 1; c < classes; ++c)
        highest = std::max(highest, outputs[c * kPoints + p]);
      float total = 0;
      float weighted = 0;
      std::vector<float> grown(classes);
      const auto of_one = [](auto function, float x) {
        std::vector<float> in(16, x);
        std::vector<float> out(16);
        function(in.data(), in.size(), out.data());
        return out[0];
      };
      for (std::size_t c = 0; c < classes; ++c) {
        const float z = outputs[c * kPoints + p] - highest;
        grown[c] = of_one(k.exp, z);
        total += grown[c];
        weighted = std::fma(grown[c], z, weighted);
      }
      const float share = weights[p] / total;
      for (std::size_t c = 0; c < classes; ++c) last[c * kPoints + p] = grown[c] * share;
      last[classes * kPoints + p] = std::fma(-weighted, share, weights[p] * of_one(k.log, total));
    }
    std::vector<float> found(last.size());
    std::vector<double> sums(last.size(), 0.25);
    std::vector<double> counts(kPoints, 3);
    k.sum_classes(outputs.data(), classes, weights.data(),
                  {found.data(), sums.data(), counts.data()});
    for (std::size_t i = 0; i < last.size(); ++i) {
      ASSERT_EQ(found[i], last[i]) << classes << " classes, " << i;
      ASSERT_EQ(sums[i], 0.25 + last[i]);
    }
    for (std::size_t p = 0; p < kPoints; ++p) ASSERT_EQ(counts[p], p == 5 ? 3 : 4);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += found[c * kPoints + 9];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Points, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace points_test
}  // namespace bootfold::ensemble::simd
