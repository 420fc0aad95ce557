// A fingerprint of training rows, to check that rows are those that an ensemble was trained on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// The checksum of rows, of which columns are added in any order and by any threads.
class RowChecksum {
 public:
  static constexpr std::size_t kTogether = 4;  ///< columns of a tile

  /// With the instructions of a level; all give the same checksum.
  explicit RowChecksum(std::size_t columns, execution::Level level = execution::default_level());

  [[nodiscard]] std::size_t columns() const noexcept { return sums_.size(); }
  /// The next values of columns first .. last - 1, as for_each_tile_of() gives them (ranges.h).
  void add(std::size_t first, std::size_t last, const std::span<double>* tile);
  /// The next values of one column.
  void add(std::size_t column, std::span<const double> values);
  [[nodiscard]] std::uint64_t value() const;

 private:
  /// The product of `sum` and the power of x that the tables are of.
  [[nodiscard]] std::uint64_t shifted(std::uint64_t sum) const;

  static constexpr std::size_t kFactors = 257;
  void (*products_)(const double* values, std::size_t count, const std::uint64_t* factors,
                    std::uint64_t before, std::uint64_t sum[2]) noexcept;  // null: by tables
  /// [byte of a sum]: times x^(64 columns), or times x^64 if there are products.
  std::array<std::array<std::uint64_t, 256>, 8> tables_ = {};
  /// x^(64 columns (kFactors - 1 - i) - 1): of the value with so many behind it.
  std::array<std::uint64_t, kFactors> factors_ = {};
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

/// The fingerprint of inputs and of targets or classes, and of weights if they count.
[[nodiscard]] std::uint64_t fingerprint_of_answers(const Examples& examples, bool weights);

/// Throws InvalidArgument unless the inputs are those of the training rows, in the same order.
void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const Examples& examples);
void check_training_rows(const Ensemble& ensemble, const Examples& examples);

}  // namespace bootfold::ensemble
