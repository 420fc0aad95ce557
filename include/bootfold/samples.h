// bootfold/samples.h: a function of several independent samples, which may differ in length.
//
//     std::vector<DataView> samples = {treatment, control};   // columns of 7 and of 9 rows
//     auto result = bootstrap_samples(samples, [](std::span<const statistic::Resample> drawn) {
//       return median(drawn[0].column(0)) / median(drawn[1].column(0));
//     }, {.replicates = 100'000, .influence = true});
//     interval::bca(result);
//
// Each sample is resampled on its own, with as many rows as it has and draws of its own. For one
// statistic of every group against a control compare() is faster; samples that are paired row by
// row are the columns of one DataView, and bootstrap() draws their rows together.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

/// The value on resamples of all samples, in their order; called from several threads at once.
using SamplesFunction = std::function<double(std::span<const statistic::Resample>)>;

/// Bootstraps a function of several independent samples, all with equally many columns.
///
/// The scheme is that of strata: sample j of several draws from the stream of stratum j, so the
/// bits are those of scheme::Stratified on the samples one below the other, for any number of
/// threads. Takes one copy of the samples. Options::influence deletes rows one by one from each
/// sample (from 10,000 rows of a sample on in groups), for BCa intervals. Throws InvalidArgument
/// for no samples, empty ones, different numbers of columns, a scheme other than iid, and
/// Options::standard_errors.
[[nodiscard]] BOOTFOLD_API Result bootstrap_samples(std::span<const DataView> samples,
                                                    const SamplesFunction& function,
                                                    const Options& options = {},
                                                    const std::string& name = "samples");
[[nodiscard]] inline Result bootstrap_samples(std::initializer_list<DataView> samples,
                                              const SamplesFunction& function,
                                              const Options& options = {},
                                              const std::string& name = "samples") {
  return bootstrap_samples(std::span<const DataView>(samples.begin(), samples.size()), function,
                           options, name);
}

}  // namespace bootfold
