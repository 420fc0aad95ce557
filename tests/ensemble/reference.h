// A network and its loss in plain double arithmetic, written without looking at the kernels.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "bootfold/ensemble/network.h"
#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble::reference {

struct Network {
  std::vector<std::size_t> sizes;  // inputs, hidden, ..., outputs
  Activation activation;
  std::vector<double> parameters;  // weights [out][in] and bias, layer by layer
  bool layer_norm = false;         // gains and offsets of a hidden layer follow its bias
  bool residual = false;
  /// The factor of a hidden unit under dropout, by row, layer and unit; empty: 1.
  std::function<double(std::size_t, std::size_t, std::size_t)> factor = {};

  [[nodiscard]] std::vector<double> operator()(std::vector<double> values,
                                               std::size_t row = 0) const {
    std::size_t next = 0;
    for (std::size_t layer = 1; layer < sizes.size(); ++layer) {
      std::vector<double> out(sizes[layer]);
      for (std::size_t j = 0; j < out.size(); ++j)
        for (std::size_t i = 0; i < values.size(); ++i)
          out[j] += parameters[next + j * values.size() + i] * values[i];
      next += values.size() * out.size();
      for (double& z : out) z += parameters[next++];
      if (layer + 1 < sizes.size()) {
        if (layer_norm) normalize(out, next);
        for (std::size_t j = 0; j < out.size(); ++j) {
          out[j] = activated(out[j]);
          if (factor) out[j] *= factor(row, layer - 1, j);
          if (residual && layer > 1 && out.size() == values.size()) out[j] += values[j];
        }
      }
      values = out;
    }
    return values;
  }

  void normalize(std::vector<double>& sums, std::size_t& next) const {
    const auto width = static_cast<double>(sums.size());
    double mean = 0;
    for (const double z : sums) mean += z / width;
    double variance = 0;
    for (const double z : sums) variance += (z - mean) * (z - mean) / width;
    for (double& z : sums) z = (z - mean) / std::sqrt(variance + 1e-5) * parameters[next++];
    for (double& z : sums) z += parameters[next++];
  }

  [[nodiscard]] double activated(double z) const {
    if (activation == Activation::relu) return std::max(z, 0.0);
    if (activation == Activation::tanh) return std::tanh(z);
    if (activation == Activation::silu) return z / (1 + std::exp(-z));
    return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * std::pow(z, 3))));
  }
};

/// The loss of the outputs of one row.
inline double cost(Loss loss, const std::vector<double>& outputs,
                   const std::vector<double>& targets) {
  if (loss == Loss::cross_entropy) {
    double sum = 0;
    for (const double z : outputs) sum += std::exp(z);
    return std::log(sum) - outputs[static_cast<std::size_t>(targets[0])];
  }
  double sum = 0;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double error = outputs[t] - targets[t];
    if (loss == Loss::squared_error) sum += error * error;
    if (loss == Loss::gaussian) {
      const double variance = std::exp(outputs[targets.size() + t]);
      sum += 0.5 * (std::log(variance) + error * error / variance);
    }
  }
  return sum / static_cast<double>(targets.size());
}

/// The loss of a target with a loss of its own. `outputs` are those of the target alone, and
/// `parameter` is delta (huber) or the factor of the loss of 1 (binary).
inline double head_cost(Loss loss, const std::vector<double>& outputs, double target,
                        double parameter, const std::vector<double>& quantiles) {
  if (loss == Loss::poisson) return std::exp(outputs[0]) - target * outputs[0];
  if (loss == Loss::binary) {
    const double probability = 1 / (1 + std::exp(-outputs[0]));
    return -(parameter * target * std::log(probability) + (1 - target) * std::log1p(-probability));
  }
  if (loss == Loss::huber) {
    const double size = std::abs(outputs[0] - target);
    return size <= parameter ? size * size / 2 : parameter * (size - parameter / 2);
  }
  if (loss == Loss::pinball) {
    double sum = 0;
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      const double above = target - outputs[i];
      sum += above > 0 ? quantiles[i] * above : (quantiles[i] - 1) * above;
    }
    return sum / static_cast<double>(quantiles.size());
  }
  return cost(loss, outputs, {target});
}

}  // namespace bootfold::ensemble::reference
