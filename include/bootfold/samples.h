// bootfold/samples.h: bootstrap of a function of several independent samples.
//
//     std::vector<DataView> samples = {treatment, control};   // columns of 7 and of 9 rows
//     auto result = bootstrap_samples(samples, [](std::span<const statistic::Resample> drawn) {
//       return median(drawn[0].column(0)) / median(drawn[1].column(0));
//     }, {.replicates = 100'000, .influence = true});
//     interval::bca(result);
//
// The samples may differ in length. Each is resampled independently, with as many draws as it has
// rows. To compare one statistic of several groups with a control, compare() is faster. Samples
// that are paired row by row are columns of one DataView: bootstrap() draws their rows together.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

/// Computes the value from one resample of each sample, in the order of the samples. Called from
/// several threads at once.
using SamplesFunction = std::function<double(std::span<const statistic::Resample>)>;

/// Bootstraps a function of several independent samples, all with the same number of columns.
///
/// Sample j uses the random stream of stratum j, so replicates have the same bits as those of
/// scheme::Stratified on the concatenated samples, for any number of threads. Takes one copy of the
/// samples. For BCa intervals, Options::influence deletes single rows from each sample, or groups
/// of rows from samples of more than 10,000 rows. Throws InvalidArgument for no samples, empty
/// samples, different numbers of columns, a scheme other than iid, and Options::standard_errors.
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
