// Standardization of columns.
#pragma once

#include <functional>
#include <limits>
#include <span>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Means of columns, of which rows are added in order. NaN is left out. Columns are those of an
/// encoding, or plain numbers without one.
class Means {
 public:
  Means(std::size_t rows, std::size_t columns, const Encoding* encoding = nullptr);
  void add(const DataView& rows, const Execution& execution = {.threads = 1});
  /// The same for columns that are all numbers; `see` gets every tile of kTogether columns first,
  /// as for_each_tile_of() gives it (ranges.h).
  static constexpr std::size_t kTogether = 4;
  using See = std::function<void(std::size_t first, std::size_t last, const std::span<double>*)>;
  void add(const DataView& rows, const Execution& execution, const See& see);
  [[nodiscard]] std::vector<double> mean() const;

 private:
  double rows_;
  const Encoding* encoding_;
  std::vector<double> mean_;
  std::vector<std::size_t> missing_;
};

/// Standard deviations from these means, of the same rows once more.
class Deviations {
 public:
  Deviations(std::size_t rows, std::vector<double> mean, const Encoding* encoding = nullptr);
  void add(const DataView& rows, const Execution& execution = {.threads = 1});
  [[nodiscard]] Scaling scaling() const;

 private:
  double rows_;
  const Encoding* encoding_;
  std::vector<std::size_t> missing_;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

/// The standard deviation of a column, given its mean and variance; 1 if it is constant.
[[nodiscard]] double scale_of(double mean, double variance);

/// Means and standard deviations of the columns.
[[nodiscard]] Scaling scaling_of(const DataView& data);
/// Leaves columns unchanged: mean 0 and scale 1.
[[nodiscard]] Scaling no_scaling(std::size_t columns);

/// Reads and scales rows first .. first + rows - 1 to out[row][column]. Returns whether the size of
/// all scaled values is at most `limit`; that of NaN is not.
bool read_rows(const DataView& data, const Scaling& scaling, std::size_t first, std::size_t rows,
               float* out, float limit = std::numeric_limits<float>::infinity());

}  // namespace bootfold::ensemble
