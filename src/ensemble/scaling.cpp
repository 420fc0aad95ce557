#include "ensemble/scaling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ensemble/encoding/input_encoder.h"
#include "ensemble/ranges.h"

namespace bootfold::ensemble {

Scaling no_scaling(std::size_t columns) {
  return {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
}

namespace {

/// Calls see(value) for the values of a tile that are standardized. Returns how many are missing:
/// NaN is left out.
template <class See>
std::size_t for_each_number(const Encoding& encoding, std::size_t column,
                            std::span<const double> tile, See see) {
  std::size_t missing = 0;
  const InputEncoding& input = encoding.inputs[column];
  const bool numbers = input.kind == InputKind::number && input.limits.empty();
  for (const double given : tile) {
    const double value = numbers ? given : limited(input, number_of_input(encoding, column, given));
    if (std::isnan(value))
      ++missing;
    else
      see(value);
  }
  return missing;
}

/// Adds term(column, value) of all rows to the sum of each column. Columns go side by side, because
/// each addition waits for the one before.
template <class Term>
void add_terms(const DataView& rows, const Execution& execution, std::vector<double>& sums,
               Term term, const Means::See& see = {}) {
  constexpr std::size_t kTogether = Means::kTogether;
  for_each_tile_of<kTogether>(
      rows, execution,
      [&](std::size_t first, std::size_t last, std::size_t, const std::span<double>* tile) {
        if (see) see(first, last, tile);
        double own[kTogether] = {};
        for (std::size_t c = first; c < last; ++c) {
          own[c - first] = sums[c];
          for (double& value : tile[c - first]) value = term(c, value);
        }
        const std::size_t some = tile[0].size();
        const double* const terms[kTogether] = {tile[0].data(), tile[1].data(), tile[2].data(),
                                                tile[3].data()};
        for (std::size_t i = 0; i < some; ++i)
          for (std::size_t k = 0; k < kTogether; ++k) own[k] += terms[k][i];
        for (std::size_t c = first; c < last; ++c) sums[c] = own[c - first];
      });
}

}  // namespace

Means::Means(std::size_t rows, std::size_t columns, const Encoding* encoding)
    : rows_(static_cast<double>(rows)), encoding_(encoding), mean_(columns), missing_(columns) {}

void Means::add(const DataView& rows, const Execution& execution) {
  if (encoding_ == nullptr || encoding_->empty())
    return add_terms(rows, execution, mean_,
                     [&](std::size_t, double value) { return value / rows_; });
  for_each_column_tile(
      rows, execution, [&](std::size_t c, std::size_t, std::span<const double> tile) {
        double sum = mean_[c];
        missing_[c] +=
            for_each_number(*encoding_, c, tile, [&](double value) { sum += value / rows_; });
        mean_[c] = sum;
      });
}

void Means::add(const DataView& rows, const Execution& execution, const See& see) {
  add_terms(
      rows, execution, mean_, [&](std::size_t, double value) { return value / rows_; }, see);
}

std::vector<double> Means::mean() const {
  std::vector<double> mean = mean_;
  for (std::size_t c = 0; c < mean.size(); ++c)
    if (const double present = rows_ - static_cast<double>(missing_[c]); missing_[c] > 0)
      mean[c] = present > 0 ? mean[c] * (rows_ / present) : 0.0;
  return mean;
}

Deviations::Deviations(std::size_t rows, std::vector<double> mean, const Encoding* encoding)
    : rows_(static_cast<double>(rows)),
      encoding_(encoding),
      missing_(mean.size()),
      mean_(std::move(mean)),
      squares_(mean_.size()) {}

void Deviations::add(const DataView& rows, const Execution& execution) {
  if (encoding_ == nullptr || encoding_->empty())
    return add_terms(rows, execution, squares_, [&](std::size_t c, double value) {
      return (value - mean_[c]) * (value - mean_[c]) / rows_;
    });
  for_each_column_tile(rows, execution,
                       [&](std::size_t c, std::size_t, std::span<const double> tile) {
                         const double mean = mean_[c];
                         double squares = squares_[c];
                         missing_[c] += for_each_number(*encoding_, c, tile, [&](double value) {
                           squares += (value - mean) * (value - mean) / rows_;
                         });
                         squares_[c] = squares;
                       });
}

double scale_of(double mean, double variance) {
  // The rounding errors of a constant column are not variation.
  const double deviation = std::sqrt(variance);
  return deviation > 1e-12 * std::abs(mean) ? deviation : 1.0;
}

Scaling Deviations::scaling() const {
  Scaling scaling = no_scaling(mean_.size());
  scaling.mean = mean_;
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    double squares = squares_[c];
    if (const double present = rows_ - static_cast<double>(missing_[c]); missing_[c] > 0)
      squares = present > 0 ? squares * (rows_ / present) : 0.0;
    scaling.scale[c] = scale_of(mean_[c], squares);
  }
  return scaling;
}

Scaling scaling_of(const DataView& data) {
  Means means(data.rows(), data.columns());
  means.add(data);
  Deviations deviations(data.rows(), means.mean());
  deviations.add(data);
  return deviations.scaling();
}

bool read_rows(const DataView& data, const Scaling& scaling, std::size_t first, std::size_t rows,
               float* out, float limit) {
  bool within = true;
  // Few rows at a time, because each of them is a line of the cache.
  constexpr std::size_t kTogether = 128;
  const std::size_t columns = data.columns();
  double values[kTogether];
  float scaled[kTogether];
  for (std::size_t row = 0; row < rows; row += kTogether) {
    const std::size_t some = std::min(kTogether, rows - row);
    for (std::size_t c = 0; c < columns; ++c) {
      data.column(c).read(first + row, {values, some});
      const double mean = scaling.mean[c];
      const double scale = scaling.scale[c];
      for (std::size_t i = 0; i < some; ++i)
        scaled[i] = static_cast<float>((values[i] - mean) / scale);
      for (std::size_t i = 0; i < some; ++i) within &= std::abs(scaled[i]) <= limit;
      float* to = out + row * columns + c;
      for (std::size_t i = 0; i < some; ++i, to += columns) *to = scaled[i];
    }
  }
  return within;
}

}  // namespace bootfold::ensemble
