#include "ensemble/prediction/count_influence.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Members whose sums are made together. Part of the definition: it fixes the order of sums.
constexpr std::size_t kGrain = 256;

/// A limit at z lies near z + a z^2 standard errors, so at 95 % this moves one by a tenth.
constexpr double kMostError = 0.025;

struct Centre {
  double mean = 0;
  double variance = 0;
  double count = 0;
};

Centre centre_of(std::span<const double> replicates, std::size_t outputs, std::size_t output) {
  Centre centre;
  for (std::size_t i = output; i < replicates.size(); i += outputs)
    if (std::isfinite(replicates[i])) {
      centre.mean += replicates[i];
      centre.count += 1;
    }
  centre.mean /= centre.count;
  for (std::size_t i = output; i < replicates.size(); i += outputs)
    if (std::isfinite(replicates[i]))
      centre.variance += (replicates[i] - centre.mean) * (replicates[i] - centre.mean);
  centre.variance /= centre.count;
  return centre;
}

/// Sum over members of the count of each row times how far the replicate lies from the mean, for
/// outputs first .. first + centres.size() - 1: [row][output].
std::vector<double> products(const TrainingContext& context, std::span<const double> replicates,
                             std::size_t outputs, std::size_t first,
                             std::span<const Centre> centres) {
  using Sums = std::vector<double>;
  const Training& training = context.training;
  const std::size_t width = centres.size();
  Execution quiet = training.execution;
  quiet.progress = {};
  return map_reduce(
      {0, replicates.size() / outputs, kGrain}, Sums{},
      [&](Sums& sums, std::size_t member) {
        sums.resize(context.matrix.rows * width);
        Sums far(width);
        for (std::size_t o = 0; o < width; ++o) {
          const double value = replicates[member * outputs + first + o];
          far[o] = std::isfinite(value) ? value - centres[o].mean : 0;
        }
        const MemberRows rows({training.seed, training.first_member + member}, training.resampling,
                              context.matrix.rows, 1, false, context.level);
        const std::vector<float>& own = rows.weights();
        rows.for_each(0, rows.size(), [&](std::size_t, std::uint32_t row) {
          const double weight = own.empty() ? 1 : own[row];
          double* to = sums.data() + row * width;
          for (std::size_t o = 0; o < width; ++o) to[o] += weight * far[o];
        });
      },
      [](Sums& sums, Sums&& later) {
        if (sums.empty()) {
          sums = std::move(later);
          return;
        }
        for (std::size_t i = 0; i < later.size(); ++i) sums[i] += later[i];
      },
      quiet);
}

/// From the covariances of one output with the counts, every `step` from `covariances` on.
Influence influence_of(const TrainingContext& context, const Centre& centre, double estimate,
                       const double* covariances, std::size_t step) {
  const auto rows = static_cast<double>(context.matrix.rows);
  // Of a count; of n times a share of Dirichlet(1, ..., 1).
  const double count_variance = context.training.resampling == Resampling::bayesian
                                    ? (rows - 1) / (rows + 1)
                                    : (rows - 1) / rows;
  const double noise = centre.variance * count_variance / centre.count;
  double second = 0;
  double third = 0;
  double fourth = 0;
  for (std::size_t row = 0; row < context.matrix.rows; ++row) {
    const double c = covariances[row * step] / centre.count;
    second += c * c;
    third += c * c * c;
    fourth += c * c * c * c;
  }
  // E (c + e)^2 = c^2 + noise. The third power needs no such correction: the c add up to 0.
  second -= rows * noise;
  Influence found;
  found.method = "covariances with counts";
  found.rows = rows;
  found.deleted = false;
  found.estimate = estimate;
  found.mean = estimate;
  found.second = std::max(0.0, second) * rows * rows;
  found.third = third * rows * rows * rows;
  if (!(centre.variance > 0)) {
    found.problem = "all members predict the same value, so no row has an influence";
    return found;
  }
  if (!(second > 0)) {
    found.problem = text::concat("with ", centre.count,
                                 " members the influence of single rows is lost in Monte Carlo "
                                 "noise; use several times as many");
    return found;
  }
  // Variance of the sum of (c + e)^3 with e normal, over that of its divisor.
  const double error = std::sqrt(9 * fourth * noise + 36 * second * noise * noise +
                                 15 * rows * noise * noise * noise) /
                       (6 * second * std::sqrt(second));
  if (error > kMostError)
    found.problem = text::concat(
        "with ", centre.count, " members the acceleration is uncertain by ", error, "; about ",
        std::ceil(centre.count * error / kMostError), " would bring it below ", kMostError);
  return found;
}

}  // namespace

std::vector<Influence> count_influences(const TrainingContext& context,
                                        std::span<const double> estimates,
                                        std::span<const double> replicates) {
  const std::size_t outputs = estimates.size();
  const std::size_t states = 5 * execution::thread_count(context.training.execution) + 1;
  const std::size_t width = std::clamp<std::size_t>(
      context.training.memory / (states * context.matrix.rows * sizeof(double)), 1, outputs);
  std::vector<Influence> found;
  for (std::size_t first = 0; first < outputs; first += width) {
    std::vector<Centre> centres;
    for (std::size_t o = first; o < std::min(first + width, outputs); ++o)
      centres.push_back(centre_of(replicates, outputs, o));
    const std::vector<double> sums = products(context, replicates, outputs, first, centres);
    for (std::size_t o = 0; o < centres.size(); ++o)
      found.push_back(
          influence_of(context, centres[o], estimates[first + o], sums.data() + o, centres.size()));
  }
  return found;
}

}  // namespace bootfold::ensemble
