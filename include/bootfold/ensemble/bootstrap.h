// bootfold/ensemble/bootstrap.h: the bootstrap of a network's predictions.
//
//     auto result = ensemble::bootstrap_predictions(examples, {.members = 2000}, points);
//     auto limits = interval::bca(result, {.output = 3});   // of the prediction at point 3
#pragma once

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Bootstraps the statistic "train a network on this resample, then predict these points". Member k
/// makes replicate k, and intervals come from the result as from any other.
///
/// A replicate has a value for each point and class or target, [point][output]; it is NaN if the
/// member diverged. Replicate k uses the rows that any other statistic is given in replicate k on
/// path gather. The estimates are means over 16 networks that are trained on all rows with the
/// initial weights of members 0 to 15, so that the initial weights of one network do not shift the
/// centre. For BCa, the influence of a row is estimated from the covariance of its count with the
/// replicates (docs/ensemble-intervals.md), so no further networks are trained. If there are too
/// few members for that, the influence reports it.
///
/// Without validation rows no network stops early, because those of the estimate are trained on all
/// rows: automatic patience is 0, and the automatic number of steps is that of Training.
///
/// Throws InvalidArgument unless resampling is bootstrap or bayesian and there is one settings.
[[nodiscard]] BOOTFOLD_API Result bootstrap_predictions(const Examples& examples,
                                                        const Training& training,
                                                        const DataView& points);

}  // namespace bootfold::ensemble
