// How rows are drawn, from the words and arrays that a Python call gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/repeated.h"
#include "bootfold/scheme.h"
#include "columns.h"

namespace bootfold::python {

/// What was given; arrays are one entry for each row.
struct SchemeArguments {
  std::optional<std::string> name;
  std::optional<Codes> strata;
  std::optional<Codes> clusters;
  std::optional<Doubles> probabilities;
  std::optional<double> block_length;
  std::uint64_t size = 0;  ///< rows drawn; 0: as many as there are
  bool two_stage = false;
};

/// The scheme, as a view of the arrays. Throws InvalidArgument for arguments that do not go
/// together.
[[nodiscard]] Scheme make_scheme(const SchemeArguments& arguments);

/// Strata and clusters of rows that are written out.
struct WrittenCodes {
  std::vector<std::uint32_t> strata;
  std::vector<std::uint32_t> clusters;
};

/// The same for rows that are written out; `codes` gets their labels, and the scheme views these.
[[nodiscard]] Scheme make_scheme(const SchemeArguments& arguments, const data::Repeated& rows,
                                 WrittenCodes& codes);

}  // namespace bootfold::python
