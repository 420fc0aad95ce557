#include "ensemble/fingerprint.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// CRC-64 of ECMA-182, as in the xz format.
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

void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const DataView& inputs) {
  if (inputs.rows() != frame.rows)
    throw InvalidArgument(text::concat("there are ", inputs.rows(),
                                       " rows but the ensemble was trained on ", frame.rows,
                                       "; give the same rows in the same order"));
  check_columns(frame, inputs);
  if (fingerprint_of(inputs) != fingerprint)
    throw InvalidArgument(
        "the number of rows is that of the training, but the inputs or their order differ; give "
        "the same rows in the same order");
}

void check_training_rows(const Ensemble& ensemble, const DataView& inputs) {
  check_training_rows(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), inputs);
}

}  // namespace bootfold::ensemble
