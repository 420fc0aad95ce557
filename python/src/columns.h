// Arrays of Python as columns of the library, without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <vector>

#include "bootfold/chunked.h"
#include "bootfold/data.h"

namespace bootfold::python {

namespace nb = nanobind;

/// A column of any number type and stride.
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// Codes of strata or clusters, and weights, one for each row.
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Rows and columns of numbers, in any order.
using MatrixInput = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

/// The columns of a table where they lie. Throws InvalidArgument unless they are float32 or
/// float64.
[[nodiscard]] DataView view_of(const MatrixInput& table, const std::vector<std::string>& names);

/// The array where it lies. Throws InvalidArgument for types that the library does not know.
[[nodiscard]] ColumnView column(const Array& array);

/// Columns that keep their arrays alive. A column is one array, or several that follow each other.
class Columns {
 public:
  /// `names`: empty, or one for each column.
  Columns(std::vector<std::vector<Array>> columns, std::vector<std::string> names);

  [[nodiscard]] std::size_t size() const noexcept { return arrays_.size(); }
  /// Valid as long as this object exists, also after a move.
  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::vector<std::vector<Array>> arrays_;
  std::vector<std::unique_ptr<const data::Chunked>> chunked_;
  DataView view_;
};

}  // namespace bootfold::python
