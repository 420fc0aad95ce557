// Kernels that predict many points: every sum runs over its terms in order, at every level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
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

/// The outputs of a network, sum by sum. Those of two classes are 0 and their difference.
std::vector<float> outputs_at(const Kernels& kernels, const Shape& shape, Loss loss,
                              std::vector<float> parameters, const std::vector<float>& points) {
  Layer last = shape.layers.back();
  if (has_contrast(shape, loss)) {
    std::vector<float> contrast;
    for (std::size_t i = 0; i < last.in; ++i)
      contrast.push_back(parameters[last.weights + last.in + i] - parameters[last.weights + i]);
    contrast.push_back(parameters[last.bias + 1] - parameters[last.bias]);
    std::copy(contrast.begin(), contrast.end(), &parameters[last.weights]);
    last.bias = last.weights + last.in;
    last.out = 1;
  }
  std::vector<float> values = points;
  for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
    values = layer_at(shape.layers[l], parameters, values);
    std::vector<float> slopes(values.size());
    kernels.activate(shape.activation, values.data(), values.size(), values.data(), slopes.data());
  }
  values = layer_at(last, parameters, values);
  values.insert(values.begin(), shape.outputs() * kPoints - values.size(), 0.0F);
  return values;
}

TEST_P(Points, PredictionsAddTheirTermsInOrder) {
  const Kernels& k = kernels(GetParam());
  for (const Loss loss : {Loss::squared_error, Loss::cross_entropy})
    for (const Activation activation :
         {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
      for (const std::size_t inputs : {1U, 2U, 3U, 131U})
        for (const std::vector<std::size_t>& hidden :
             {std::vector<std::size_t>{}, {1}, {33}, {7, 20}, {300}})
          for (const std::size_t outputs : {1U, 2U, 3U, 10U}) {
            const Shape shape(inputs, {.hidden = hidden, .activation = activation}, outputs);
            const std::vector<float> parameters = normals(shape.parameters, 2);
            const std::vector<float> points = normals(inputs * kPoints, 3);
            const std::vector<float> expected = outputs_at(k, shape, loss, parameters, points);
            std::vector<float> found(outputs * kPoints);
            std::vector<float> scratch(points_scratch_size(shape));
            k.predict_points(shape, loss, parameters.data(), points.data(), scratch.data(),
                             found.data());
            ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
                << inputs << " inputs, " << outputs << " outputs, " << name(activation);
          }
}

/// log(1 + x) for x in [0, 1] as the kernels make it.
float log_one_plus(float x) {
  constexpr float kCoefficients[] = {0.00523268525F, -0.0295051988F, 0.0782258809F,
                                     -0.136632398F,  0.191060036F,   -0.24842982F,
                                     0.333190978F,   -0.499994934F,  0.99999994F};
  float sum = kCoefficients[0];
  for (std::size_t i = 1; i < std::size(kCoefficients); ++i)
    sum = std::fma(sum, x, kCoefficients[i]);
  return x * sum;
}

TEST(LogOnePlus, IsRightToTwoAndAHalfUnitsInTheLastPlace) {
  for (std::uint32_t i = 1; i <= 1U << 20; ++i) {
    const float x = static_cast<float>(i) * 0x1p-20F;
    const double exact = std::log1p(static_cast<double>(x));
    const float nearest = static_cast<float>(exact);
    const double unit = std::nextafter(nearest, 2.0F) - nearest;
    ASSERT_LT(std::abs(log_one_plus(x) - exact), 2.5 * unit) << x;
  }
  EXPECT_EQ(log_one_plus(0), 0);
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
    // What each level must give: one exponential and one logarithm at a time. That of two classes
    // is log(1 + x) of the lower one, which is made in another way.
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
      const float lower = *std::min_element(grown.begin(), grown.end());
      const float logarithm = classes == 2 ? log_one_plus(lower) : of_one(k.log, total);
      last[classes * kPoints + p] = std::fma(-weighted, share, weights[p] * logarithm);
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
