// bootfold/ensemble/network.h: what a small network looks like.
//
//     Architecture wide{.hidden = {512, 512}, .activation = Activation::gelu};
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

/// What a hidden unit makes of its sum. gelu is the usual approximation by tanh.
enum class Activation { relu, tanh, gelu };

/// The law of the first weights; biases start at 0.
enum class Initializer {
  lecun,   ///< normal, cut at two standard deviations, of variance 1 / inputs
  glorot,  ///< uniform, of variance 2 / (inputs + outputs)
  he,      ///< normal, of variance 2 / inputs
};

/// A multi-layer perceptron: dense layers, of which the hidden ones have an activation.
struct Architecture {
  std::vector<std::size_t> hidden = {32};  ///< units of each hidden layer; empty: a linear model
  Activation activation = Activation::relu;
  Initializer initializer = Initializer::lecun;

  bool operator==(const Architecture&) const = default;
};

/// "relu", "tanh", "gelu"; "lecun", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Activation activation) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Initializer initializer) noexcept;

/// The other way; throws InvalidArgument that lists the names.
[[nodiscard]] BOOTFOLD_API Activation parse_activation(std::string_view name);
[[nodiscard]] BOOTFOLD_API Initializer parse_initializer(std::string_view name);

}  // namespace bootfold::ensemble
