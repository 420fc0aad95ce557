// A fingerprint of training rows, to check that rows are those that an ensemble was trained on.
#pragma once

#include <cstdint>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// A 64-bit checksum of values, row by row. Other values, or another order of rows or columns,
/// change it; how the rows are cut into parts does not.
class Fingerprint {
 public:
  void add(const DataView& rows, const Execution& execution = {.threads = 1});
  [[nodiscard]] std::uint64_t value() const noexcept { return ~checksum_; }

 private:
  std::uint64_t checksum_ = ~std::uint64_t{0};
};

/// The fingerprint of rows in memory, and that of the inputs of examples.
[[nodiscard]] std::uint64_t fingerprint_of(const DataView& rows);
[[nodiscard]] std::uint64_t fingerprint_of(const Examples& examples);

/// Throws InvalidArgument unless the inputs are those of the training rows, in the same order.
void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const Examples& examples);
void check_training_rows(const Ensemble& ensemble, const Examples& examples);

}  // namespace bootfold::ensemble
