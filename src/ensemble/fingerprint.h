// A fingerprint of training rows, to check that rows are those that an ensemble was trained on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// The checksum of rows, of which columns are added in any order and by any threads.
class RowChecksum {
 public:
  static constexpr std::size_t kTogether = 4;  ///< columns of a tile

  explicit RowChecksum(std::size_t columns);

  [[nodiscard]] std::size_t columns() const noexcept { return sums_.size(); }
  /// The next values of columns first .. last - 1, as for_each_tile_of() gives them (ranges.h).
  void add(std::size_t first, std::size_t last, const std::span<double>* tile);
  [[nodiscard]] std::uint64_t value() const;

 private:
  std::array<std::array<std::uint64_t, 256>, 8> tables_ =
      {};  // [byte of a sum]: times x^(64 columns)
  std::vector<std::uint64_t> sums_;
};

/// A 64-bit checksum of values, row by row. Other values, or another order of rows or columns,
/// change it; how the rows are cut into parts does not.
class Fingerprint {
 public:
  void add(const DataView& rows, const Execution& execution = {.threads = 1});
  /// Rows whose checksum is known.
  void add(const RowChecksum& sum, std::size_t rows);
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
