#include "ensemble/prediction/range.h"

#include <algorithm>
#include <limits>

#include "bootfold/ensemble/range.h"
#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/ranges.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

Range empty_range(std::size_t columns) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {std::vector<double>(columns, kInfinity), std::vector<double>(columns, -kInfinity)};
}

void widen(Range& range, std::size_t column, std::span<const double> values) {
  constexpr std::size_t kTogether = 4;  // each comparison waits for the one before
  double lows[kTogether];
  double highs[kTogether];
  std::fill_n(lows, kTogether, range.low[column]);
  std::fill_n(highs, kTogether, range.high[column]);
  const auto see = [&](double value, std::size_t k) {
    lows[k] = std::min(lows[k], value);  // NaN is left out
    highs[k] = std::max(highs[k], value);
  };
  std::size_t i = 0;
  for (; i + kTogether <= values.size(); i += kTogether)
    for (std::size_t k = 0; k < kTogether; ++k) see(values[i + k], k);
  for (; i < values.size(); ++i) see(values[i], 0);
  range.low[column] = *std::min_element(lows, lows + kTogether) + 0.0;  // -0 is 0
  range.high[column] = *std::max_element(highs, highs + kTogether) + 0.0;
}

void widen(Range& range, const Examples& examples, std::size_t first, const DataView& rows,
           const Execution& execution) {
  static const Encoding numbers;
  const Encoding& encoding = examples.encoding == nullptr ? numbers : *examples.encoding;
  const bool plain = !examples.weights && encoding.empty();
  for_each_column_tile(rows, execution,
                       [&](std::size_t c, std::size_t row, std::span<const double> tile) {
                         if (plain) return widen(range, c, tile);
                         double low = range.low[c];
                         double high = range.high[c];
                         for (std::size_t i = 0; i < tile.size(); ++i) {
                           if (examples.weights && (*examples.weights)[first + row + i] == 0)
                             continue;
                           const double value = number_of_input(encoding, c, tile[i]);
                           low = std::min(low, value);
                           high = std::max(high, value);
                         }
                         range.low[c] = low + 0.0;
                         range.high[c] = high + 0.0;
                       });
}

void close_empty(Range& range) {
  for (std::size_t c = 0; c < range.low.size(); ++c)
    if (range.low[c] > range.high[c]) range.low[c] = range.high[c] = 0;
}

void count_outside(const InputEncoder& encoder, const Range& range, const DataView& inputs,
                   std::size_t first, std::size_t rows, std::uint32_t* out) {
  std::fill_n(out, rows, 0U);
  const Encoding& encoding = encoder.encoding();
  for (std::size_t c = 0; c < inputs.columns(); ++c) {
    const bool numbers = encoding.empty() || (encoding.inputs[c].kind == InputKind::number &&
                                              !encoding.inputs[c].missing);
    for_each_tile(inputs.column(c), first, rows,
                  [&, low = range.low[c], high = range.high[c]](std::size_t row,
                                                                std::span<const double> tile) {
                    if (numbers) {
                      for (std::size_t i = 0; i < tile.size(); ++i)  // NaN is outside
                        out[row - first + i] += !(tile[i] >= low && tile[i] <= high);
                    } else {
                      for (std::size_t i = 0; i < tile.size(); ++i)
                        out[row - first + i] += encoder.is_outside(range, c, tile[i]) ? 1 : 0;
                    }
                  });
  }
}

std::vector<std::uint32_t> outside_range(const Ensemble::Frame& frame, const DataView& inputs) {
  check_columns(frame, inputs.columns());
  std::vector<std::uint32_t> outside(inputs.rows());
  count_outside(InputEncoder(frame), frame.input_range, inputs, 0, inputs.rows(), outside.data());
  return outside;
}

std::optional<FarValue> find_far_value(const Ensemble::Frame& frame, const DataView& inputs) {
  check_columns(frame, inputs.columns());
  return InputEncoder(frame).find_far(inputs, 0, inputs.rows());
}

std::vector<std::uint32_t> outside_range(const Range& range, const DataView& inputs) {
  if (inputs.columns() != range.low.size() || inputs.columns() != range.high.size())
    throw InvalidArgument(text::concat("the rows have ", inputs.columns(),
                                       " columns but the range has ", range.low.size(),
                                       "; give the same columns"));
  std::vector<std::uint32_t> outside(inputs.rows());
  const Encoding numbers;
  const Scaling scaling;
  const InputEncoder encoder(numbers, scaling, inputs.columns());
  count_outside(encoder, range, inputs, 0, inputs.rows(), outside.data());
  return outside;
}

}  // namespace bootfold::ensemble
