// Input columns as inputs of networks: values are encoded, standardized and rounded to float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/range.h"

namespace bootfold::ensemble {

/// Codes of texts are not below it (encoding.cpp).
inline constexpr double kLeastText = 0x1p960;

/// The largest size of standardized numbers. Networks compute in 32 bits, which end at 3.4e38.
inline constexpr float kMostStandardized = 1e30F;

/// Encodes rows of some input columns. Prepared once; used by any number of threads.
class InputEncoder {
 public:
  /// The arguments must outlive the encoder. `inputs` is the number of input columns.
  InputEncoder(const Encoding& encoding, const Scaling& scaling, std::size_t inputs);
  explicit InputEncoder(const Ensemble::Frame& frame);

  [[nodiscard]] const Encoding& encoding() const noexcept { return encoding_; }
  /// The number of inputs of the networks.
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }

  /// Rows first .. first + rows - 1, to out[row][column].
  void encode(const DataView& data, std::size_t first, std::size_t rows, float* out) const;

  /// All of `data`, which are rows from row `first` on, on the threads of `execution`. Throws
  /// DataError as check_inputs() does.
  void check_and_encode(const DataView& data, std::size_t first, const Execution& execution,
                        float* out) const;

  /// Whether encoded values have a size above kMostStandardized; NaN has none.
  [[nodiscard]] static bool has_far(std::span<const float> encoded);
  /// The first of rows first .. first + rows - 1 with a number that is so far away.
  [[nodiscard]] std::optional<FarValue> find_far(const DataView& data, std::size_t first,
                                                 std::size_t rows) const;
  /// Throws DataError if there is one. `before`: rows before those of `data`.
  void check_reach(const DataView& data, std::size_t first, std::size_t rows,
                   std::size_t before) const;

  /// Whether the range does not contain a value of an input: a number below or above it, a level
  /// that the training rows do not have, or a missing value where they have none.
  [[nodiscard]] bool is_outside(const Range& range, std::size_t input, double value) const;

 private:
  [[nodiscard]] std::uint32_t slot(std::size_t input, double value, bool& known) const;
  void encode_numbers(const ColumnView& column, std::size_t input, std::size_t first,
                      std::size_t rows, float* out) const;
  void encode_levels(const ColumnView& column, std::size_t input, std::size_t first,
                     std::size_t rows, float* out) const;
  void encode_dates(const ColumnView& column, std::size_t input, std::size_t first,
                    std::size_t rows, float* out) const;

  const Encoding& encoding_;
  const Scaling& scaling_;
  std::size_t columns_;
  /// Of each category, its levels that are numbers, in ascending order, and their indices.
  std::vector<std::vector<std::pair<double, std::size_t>>> numbers_;
};

/// The number that a value of an input stands for, where that is standardized; NaN if it is
/// missing, and for levels of a category.
[[nodiscard]] double number_of_input(const Encoding& encoding, std::size_t input, double value);

/// A number within the limits of its input, if there are some; NaN stays.
[[nodiscard]] inline double limited(const InputEncoding& input, double value) {
  if (input.limits.empty()) return value;
  if (value < input.limits[0]) return input.limits[0];
  return value > input.limits[1] ? input.limits[1] : value;
}

/// Throws DataError if a value of the inputs cannot be encoded: infinite, text in a column of
/// numbers, or missing where that is not accepted. `data` are rows from row `first` on.
void check_inputs(const Encoding& encoding, const DataView& data, std::size_t first,
                  const Execution& execution);

}  // namespace bootfold::ensemble
