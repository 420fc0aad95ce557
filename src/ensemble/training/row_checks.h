// Checks of training rows that need their scaling.
#pragma once

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/training/training_matrix.h"

namespace bootfold::ensemble {

/// Throws DataError, with the largest value, if the mean or the standard deviation of a column
/// overflows 64 bits or is close to that.
void check_sizes(const Examples& examples, const Ensemble::Frame& frame);

/// Throws DataError if a standardized target is beyond what networks learn in 32 bits.
void check_target_reach(const Examples& examples, const Scaling& scaling);

/// The number of rows that equal another row in all inputs and targets, by a hash of each; 0 of
/// more than kMostComparedRows rows. Takes 8 bytes a row.
inline constexpr std::size_t kMostComparedRows = 10'000'000;
[[nodiscard]] std::size_t count_copies(const TrainingMatrix& matrix);

/// Tells Execution::note of a regression with out-of-bag scores if a tenth of its rows are copies.
void note_copies(const TrainingMatrix& matrix, const Training& training,
                 const Ensemble::Frame& frame);

}  // namespace bootfold::ensemble
