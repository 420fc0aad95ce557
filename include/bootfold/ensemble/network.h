// bootfold/ensemble/network.h: the architecture of a small network.
//
//     Architecture wide{.hidden = {512, 512}, .activation = Activation::gelu};
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

/// Activation function of the hidden units. gelu is the usual approximation by tanh.
enum class Activation { relu, tanh, gelu };

/// Distribution of the initial weights; biases start at 0.
enum class Initializer {
  lecun,   ///< normal with variance 1 / inputs, truncated at two standard deviations
  glorot,  ///< uniform with variance 2 / (inputs + outputs)
  he,      ///< normal with variance 2 / inputs
};

/// A multi-layer perceptron: dense layers, with an activation after each hidden layer.
struct Architecture {
  std::vector<std::size_t> hidden = {32};  ///< units of each hidden layer; empty: a linear model
  Activation activation = Activation::relu;
  Initializer initializer = Initializer::lecun;

  bool operator==(const Architecture&) const = default;
};

/// The name as users write it: "relu", "lecun", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Activation activation) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Initializer initializer) noexcept;

/// The value of a name. Throws InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API Activation parse_activation(std::string_view name);
[[nodiscard]] BOOTFOLD_API Initializer parse_initializer(std::string_view name);

}  // namespace bootfold::ensemble
