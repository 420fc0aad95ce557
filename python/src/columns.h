// Arrays of Python as columns of the library, without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::python {

namespace nb = nanobind;

/// A column of any number type and stride.
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// Codes of strata or clusters, and weights, one for each row.
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The array where it lies. Throws InvalidArgument for types that the library does not know.
[[nodiscard]] ColumnView column(const Array& array);

/// Views of all; they are valid while the arrays live. `names`: empty, or one for each.
[[nodiscard]] DataView view(const std::vector<Array>& arrays, std::vector<std::string> names);

}  // namespace bootfold::python
