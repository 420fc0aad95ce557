// The encoding of inputs in the file of an ensemble (docs/ensembles.md).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "bootfold/ensemble/encoding.h"

namespace bootfold::ensemble {

[[nodiscard]] nlohmann::ordered_json json_of(const Encoding& encoding);

/// Throws InvalidArgument and nlohmann's exceptions for what json_of() cannot have written, for so
/// many input columns. Memory stays below a small multiple of the size of the text.
[[nodiscard]] Encoding encoding_from(const nlohmann::ordered_json& json, std::size_t inputs);

}  // namespace bootfold::ensemble
