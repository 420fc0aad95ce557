// Group by group: bootstrap the rows; Contrasts does the rest.
#include "bootfold/compare.h"

#include <algorithm>
#include <utility>

#include "bootfold/contrasts.h"
#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "bootstrap/replicate_checkpoint.h"
#include "comparison/groups.h"
#include "comparison/options_check.h"
#include "comparison/rows.h"
#include "execution/memory.h"
#include "study/problem.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {
namespace comparison {
namespace {

using interval::Method;
using text::grouped;

/// The most that a precision may take, as bootstrap_to_precision() has it.
constexpr std::uint64_t kMostReplicates = Precision{}.most;

void check(const DataView& values, const data::Labels& labels) {
  check_labels(labels, values.rows());
  if (labels.rows() == 0)
    throw InvalidArgument("the data have no rows; a comparison needs two groups of at least 2");
}

void check_memory(const Options& options, std::size_t contrasts, bool joint) {
  const double lists = (options.interval == Method::studentized ? 7 : 4) +
                       (options.correction == Correction::simultaneous ? 1 : 0) +
                       (joint ? static_cast<double>(2 * contrasts + 1) : 0) +
                       (options.checkpoint.empty() ? 0 : static_cast<double>(contrasts + 1)) +
                       (options.keep_replicates ? static_cast<double>(contrasts) : 0);
  const double wanted = 8 * lists * static_cast<double>(options.replicates);
  const auto there = static_cast<double>(execution::allowed_memory());
  if (wanted > there)
    throw InvalidArgument(text::concat(
        "replicates is ", grouped(options.replicates), " but ", grouped(options.replicates),
        " replicates of ", contrasts + 1, " groups would take ", text::bytes(wanted),
        " and this process may use ", text::bytes(there), "; ask for fewer",
        options.keep_replicates ? ", or do not keep them" : ""));
}

/// Whether the limits are known as well as was asked, or as they can be.
bool is_last_round(const Comparison& found, const Options& options) {
  return !options.precision || found.precision <= *options.precision ||
         options.replicates == kMostReplicates;
}

/// p-values by relabelling, in place of those of the intervals.
void test_by_permutation(Comparison& found, Groups& samples) {
  for (std::size_t i = 0; i < found.contrasts.size(); ++i) {
    Contrast& contrast = found.contrasts[i];
    const PermutationResult tested =
        samples.permute(i + 1, found.groups[i + 1].estimate - found.groups[0].estimate);
    contrast.p_value = tested.p.value;
    contrast.p_value_error = tested.p.error;
    contrast.permutations = tested.permutations;
    contrast.all_permutations = tested.exact;
  }
}

Comparison compare_once(const DataView& values, const data::Labels& groups,
                        const Statistic& statistic, const Options& options,
                        ReplicateCheckpoint* checkpoint) {
  Groups samples(values, groups, statistic, options, checkpoint);
  check_memory(options, samples.size() - 1, samples.joint());
  if (checkpoint != nullptr)
    checkpoint->set_total(options.replicates * (samples.joint() ? 1 : samples.size()));
  Contrasts contrasts(samples.run(0), samples.size() - 1, options);
  for (std::size_t group = 1; group < samples.size(); ++group) {
    const Sample sample = samples.run(group);
    if (samples.joint())
      contrasts.add(sample, samples.joined(group, sample.result, contrasts.control()));
    else
      contrasts.add(sample);
  }
  // Limits do not depend on the test, so it waits until they are known well enough.
  return contrasts.finish([&](Comparison& found) {
    if (!study::Problem(values, {&statistic, 1}).parts[0].has_own_name())
      for (std::size_t c = 0; c < values.columns() - (statistic.weighted() ? 1 : 0); ++c)
        found.columns.push_back(values.name(c));
    if (options.test == Test::permutation && is_last_round(found, options))
      test_by_permutation(found, samples);
  });
}

Comparison compare_in_rounds(const DataView& values, const data::Labels& groups,
                             const Statistic& statistic, const Options& options,
                             ReplicateCheckpoint* checkpoint) {
  if (!options.precision) return compare_once(values, groups, statistic, options, checkpoint);
  comparison::Options tried = options;
  tried.replicates =
      first_replicates(*options.precision, options.interval,
                       {.confidence = options.confidence, .alternative = options.alternative});
  std::vector<std::uint64_t> rounds;
  for (;;) {
    tried.replicates = std::min(tried.replicates, kMostReplicates);
    rounds.push_back(tried.replicates);
    Comparison found = compare_once(values, groups, statistic, tried, checkpoint);
    const double ratio = found.precision / *options.precision;
    if (is_last_round(found, tried)) {
      found.rounds = std::move(rounds);
      return found;
    }
    // The error falls with the square root; it is itself uncertain, so aim a little lower.
    tried.replicates = static_cast<std::uint64_t>(
        std::min(static_cast<double>(kMostReplicates),
                 static_cast<double>(tried.replicates) * 1.05 * ratio * ratio + 1));
  }
}

}  // namespace
}  // namespace comparison

Comparison compare(const DataView& values, const data::Labels& groups, const Statistic& statistic,
                   const comparison::Options& options) {
  using namespace comparison;  // NOLINT(google-build-using-namespace): its own words
  check(values, groups);
  check(options);
  const DataView own = named_columns(values, statistic);
  if (options.checkpoint.empty())
    return compare_in_rounds(own, groups, statistic, options, nullptr);
  ReplicateCheckpoint checkpoint(options.checkpoint, "comparison", options.replicates,
                                 options.execution);
  try {
    return compare_in_rounds(own, groups, statistic, options, &checkpoint);
  } catch (const Cancelled&) {
    checkpoint.save();
    throw checkpoint.cancelled();
  }
}

}  // namespace bootfold
