#include "ensemble/fingerprint.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// That of ECMA-182, as in the xz format.
using Crc =
    boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uintmax_t{0}, ~std::uintmax_t{0}, true, true>;

}  // namespace

std::uint64_t fingerprint_of(const DataView& inputs) {
  constexpr std::size_t kTile = 1024;
  Crc crc;
  std::vector<double> column(kTile);
  std::vector<double> tile(kTile * inputs.columns());
  for (std::size_t first = 0; first < inputs.rows(); first += kTile) {
    const std::size_t rows = std::min(kTile, inputs.rows() - first);
    for (std::size_t c = 0; c < inputs.columns(); ++c) {
      inputs.column(c).read(first, {column.data(), rows});
      for (std::size_t row = 0; row < rows; ++row)
        tile[row * inputs.columns() + c] = column[row] + 0.0;  // -0 is 0
    }
    crc.process_bytes(tile.data(), rows * inputs.columns() * sizeof(double));
  }
  return crc.checksum();
}

void check_learned_from(const Ensemble::Frame& frame, const DataView& inputs) {
  if (inputs.rows() != frame.rows)
    throw InvalidArgument(text::concat("there are ", inputs.rows(),
                                       " rows but the ensemble was trained on ", frame.rows,
                                       "; give it the same rows in the same order"));
  check_columns(frame, inputs);
  if (fingerprint_of(inputs) != frame.fingerprint)
    throw InvalidArgument(
        "these are as many rows as the ensemble was trained on, but with other inputs or in "
        "another "
        "order; give it the same rows in the same order");
}

}  // namespace bootfold::ensemble
