// bootfold/ensemble/network.h: the architecture of a small network.
//
//     Architecture wide{.hidden = {512, 512}, .activation = Activation::gelu};
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

/// Activation function of the hidden units. gelu is the usual approximation by tanh; silu is
/// x / (1 + e^-x), also known as swish.
enum class Activation { relu, tanh, gelu, silu };

/// Distribution of the initial weights; biases start at 0.
enum class Initializer {
  lecun,   ///< normal with variance 1 / inputs, truncated at two standard deviations
  glorot,  ///< uniform with variance 2 / (inputs + outputs)
  he,      ///< normal with variance 2 / inputs
};

/// A multi-layer perceptron: dense layers, with an activation after each hidden layer.
///
///     Architecture deep{.hidden = {64, 64, 64}, .layer_norm = true, .residual = true};
struct Architecture {
  std::vector<std::size_t> hidden = {32};  ///< units of each hidden layer; empty: a linear model
  Activation activation = Activation::relu;
  Initializer initializer = Initializer::lecun;
  /// Layer normalization before the activation of each hidden layer: the values of its units are
  /// scaled to mean 0 and variance 1, with 1e-5 added to the variance, then multiplied by a learned
  /// gain and moved by a learned offset for each unit, which start at 1 and 0. Weight decay does
  /// not apply to gains and offsets.
  bool layer_norm = false;
  /// Residual connections: a hidden layer with as many units as the hidden layer before it adds its
  /// input to its output. The first hidden layer never does.
  bool residual = false;

  bool operator==(const Architecture&) const = default;
};

/// The name as users write it: "relu", "lecun", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Activation activation) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Initializer initializer) noexcept;

/// The value of a name. Throws InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API Activation parse_activation(std::string_view name);
[[nodiscard]] BOOTFOLD_API Initializer parse_initializer(std::string_view name);

}  // namespace bootfold::ensemble
