#include "ensemble/fingerprint.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/input_rows.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// CRC-64 of ECMA-182, as in the xz format.
using Crc =
    boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uintmax_t{0}, ~std::uintmax_t{0}, true, true>;

}  // namespace

struct Fingerprint::State {
  Crc crc;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {}
Fingerprint::~Fingerprint() = default;

void Fingerprint::add(const DataView& inputs) {
  constexpr std::size_t kTile = 1024;
  std::vector<double> column(kTile);
  std::vector<double> tile(kTile * inputs.columns());
  for (std::size_t first = 0; first < inputs.rows(); first += kTile) {
    const std::size_t rows = std::min(kTile, inputs.rows() - first);
    for (std::size_t c = 0; c < inputs.columns(); ++c) {
      inputs.column(c).read(first, {column.data(), rows});
      for (std::size_t row = 0; row < rows; ++row)
        tile[row * inputs.columns() + c] = column[row] + 0.0;  // -0 is 0
    }
    state_->crc.process_bytes(tile.data(), rows * inputs.columns() * sizeof(double));
  }
}

std::uint64_t Fingerprint::value() const { return state_->crc.checksum(); }

std::uint64_t fingerprint_of(const DataView& rows) {
  Fingerprint fingerprint;
  fingerprint.add(rows);
  return fingerprint.value();
}

std::uint64_t fingerprint_of(const Examples& examples) {
  Fingerprint fingerprint;
  for_each_chunk(examples, [&](std::size_t, const DataView& rows) { fingerprint.add(rows); });
  return fingerprint.value();
}

void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const Examples& examples) {
  if (examples.rows() != frame.rows)
    throw InvalidArgument(text::concat("there are ", examples.rows(),
                                       " rows but the ensemble was trained on ", frame.rows,
                                       "; give the same rows in the same order"));
  check_columns(frame, examples.columns());
  if (fingerprint_of(examples) != fingerprint)
    throw InvalidArgument(
        "the number of rows is that of the training, but the inputs or their order differ; give "
        "the same rows in the same order");
}

void check_training_rows(const Ensemble& ensemble, const Examples& examples) {
  check_training_rows(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), examples);
}

}  // namespace bootfold::ensemble
