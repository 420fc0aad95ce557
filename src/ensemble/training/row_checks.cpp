#include "ensemble/training/row_checks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/input_rows.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

namespace {

/// Squares of larger numbers, and sums of these, overflow.
constexpr double kMostSize = 1e150;

bool fits(const Scaling& scaling, std::size_t column) {
  return std::abs(scaling.mean[column]) <= kMostSize && scaling.scale[column] <= kMostSize;
}

/// The value of the largest size of a column.
struct Largest {
  double value = 0;
  std::size_t row = 0;

  void see(double other, std::size_t at) {
    if (std::abs(other) > std::abs(value)) *this = {other, at};
  }
};

[[noreturn]] void throw_too_large(const char* what, const std::string& name,
                                  const Largest& largest) {
  throw DataError(text::concat(what, " ", name, ", row ", largest.row + 1, ": ", largest.value,
                               " is too large, because the mean and the standard deviation of a "
                               "column must be 1e150 or less; divide the column by a power of 10, "
                               "or remove such rows"));
}

void check_input(const Examples& examples, const Encoding& encoding, std::size_t column) {
  Largest largest;
  for_each_chunk(examples, [&](std::size_t first, const DataView& rows) {
    check_inputs(encoding, rows, first, {.threads = 1});  // what is not finite is named as such
    for_each_tile(
        rows.column(column), 0, rows.rows(), [&](std::size_t row, std::span<const double> tile) {
          for (std::size_t i = 0; i < tile.size(); ++i) {
            const double value = number_of_input(encoding, column, tile[i]);
            largest.see(encoding.empty() ? value : limited(encoding.inputs[column], value),
                        first + row + i);
          }
        });
  });
  throw_too_large("column", examples.name(column), largest);
}

std::uint64_t mixed(std::uint64_t hash, float value) {
  hash ^= std::bit_cast<std::uint32_t>(value + 0.0F);  // -0 is 0
  hash *= 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

}  // namespace

void check_sizes(const Examples& examples, const Ensemble::Frame& frame) {
  for (std::size_t c = 0; c < examples.columns(); ++c)
    if (!fits(frame.input_scaling, c)) check_input(examples, frame.encoding, c);
  for (std::size_t t = 0; t < examples.targets.columns(); ++t) {
    if (fits(frame.target_scaling, t)) continue;
    check_inputs({}, examples.targets, 0, {.threads = 1});
    Largest largest;
    const ColumnView& column = examples.targets.column(t);
    for (std::size_t row = 0; row < column.rows(); ++row) largest.see(column[row], row);
    throw_too_large("target", examples.targets.name(t), largest);
  }
}

void check_target_reach(const Examples& examples, const Scaling& scaling) {
  for (std::size_t t = 0; t < examples.targets.columns(); ++t) {
    const ColumnView& column = examples.targets.column(t);
    for (std::size_t row = 0; row < column.rows(); ++row) {
      const double standardized = (column[row] - scaling.mean[t]) / scaling.scale[t];
      if (std::abs(standardized) > kMostStandardized)
        throw DataError(text::concat("target ", examples.targets.name(t), ", row ", row + 1, ": ",
                                     far_value_words({row, t, column[row], standardized})));
    }
  }
}

std::size_t count_copies(const TrainingMatrix& matrix) {
  if (matrix.rows > kMostComparedRows) return 0;
  std::vector<std::uint64_t> hashes(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t c = 0; c < matrix.columns; ++c)
      hash = mixed(hash, matrix.inputs[row * matrix.columns + c]);
    for (std::size_t t = 0; t < matrix.targets_each; ++t)
      hash = mixed(hash, matrix.targets[row * matrix.targets_each + t]);
    hashes[row] = hash;
  }
  std::ranges::sort(hashes);
  std::size_t copies = 0;
  for (std::size_t first = 0; first < hashes.size();) {
    std::size_t last = first + 1;
    while (last < hashes.size() && hashes[last] == hashes[first]) ++last;
    if (last - first > 1) copies += last - first;
    first = last;
  }
  return copies;
}

void note_copies(const TrainingMatrix& matrix, const Training& training,
                 const Ensemble::Frame& frame) {
  constexpr std::size_t kShare = 10;
  const bool told = training.execution.note && training.first_member == 0;
  const bool numbers = !has_classes(frame.loss) && frame.loss != Loss::multi_label;
  if (!told || !numbers || training.validation != nullptr || !leaves_rows_out(frame)) return;
  const std::size_t copies = count_copies(matrix);
  if (copies == 0 || kShare * copies < matrix.rows) return;
  training.execution.note(
      {.warning = true,
       .text = text::concat(
           text::grouped(copies), " of ", text::grouped(matrix.rows),
           " rows equal another row in all inputs and targets; where rows are copies, members "
           "learn from a copy of a row that they leave out, so out-of-bag scores are too good and "
           "intervals too narrow; give each row once with the number of its copies as weight, or "
           "give validation rows")});
}

}  // namespace bootfold::ensemble
