// bootfold/ensemble/range.h: rows outside the range of the training rows.
//
//     auto prediction = model.predict(new_rows);
//     prediction.outside[3];   // input columns in which row 3 is outside; 0: inside the range
//
// A prediction outside the range is an extrapolation. Far from the training rows ReLU networks are
// linear, and the members of an ensemble can agree there, so a small spread is no certainty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Counts for each row the columns whose value is below the minimum or above the maximum of the
/// training rows; NaN counts as outside. The cost is two comparisons per value.
///
///     auto outside = ensemble::outside_range(model.frame().input_range, new_rows);
///     outside[3];   // 2: row 3 is outside in two columns
///
/// A row with 0 can still be far from all training rows, because columns are compared one by one.
/// Throws InvalidArgument if the number of columns is not that of the range.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> outside_range(const Range& range,
                                                                    const DataView& inputs);
/// The same for rows that an ensemble can predict, with the levels and missing values that the
/// training rows do not have: Prediction::outside without a prediction.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> outside_range(const Ensemble::Frame& frame,
                                                                    const DataView& inputs);

/// A number so far from the training rows that networks, which compute in 32 bits, cannot take it:
/// its standardized size is above 1e30. Ensemble::predict() throws DataError for it.
struct FarValue {
  std::size_t row = 0;
  std::size_t column = 0;
  double value = 0;
  double standardized = 0;
};

/// The first of these rows that has one, or std::nullopt; and what is wrong with it, in words.
[[nodiscard]] BOOTFOLD_API std::optional<FarValue> find_far_value(const Ensemble::Frame& frame,
                                                                  const DataView& inputs);
[[nodiscard]] BOOTFOLD_API std::string far_value_words(const FarValue& far);

}  // namespace bootfold::ensemble
