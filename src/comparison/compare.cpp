// Group by group: bootstrap, subtract the control, keep a few numbers.
//
// Only the control's replicates live to the end; those of a group are turned into differences,
// summed up and dropped. So memory does not grow with the number of groups.
#include "bootfold/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "bootstrap/replicate_checkpoint.h"
#include "comparison/contrast.h"
#include "comparison/groups.h"
#include "comparison/max_t.h"
#include "execution/memory.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold {
namespace comparison {
namespace {

using interval::Method;
using text::grouped;

/// The most that a precision may take, as bootstrap_to_precision() has it.
constexpr std::uint64_t kMostReplicates = Precision{}.most;

void check(const DataView& values, const data::Labels& labels, const Options& options) {
  if (values.rows() != labels.rows())
    throw InvalidArgument(text::concat("there are ", grouped(labels.rows()), " labels for ",
                                       grouped(values.rows()), " rows; give each row one label"));
  if (labels.rows() == 0)
    throw InvalidArgument("the data have no rows; a comparison needs two groups of at least 2");
  for (const std::uint32_t code : labels.codes)
    if (code >= labels.size())
      throw InvalidArgument(text::concat("a label has code ", code, " but there are ",
                                         labels.size(), " names; codes count from 0"));
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(text::concat("confidence is ", options.confidence,
                                       " but must be above 0 and below 1; 0.95 is usual"));
  if (options.interval == Method::abc)
    throw InvalidArgument(
        "interval is abc, which is for one sample; use percentile, basic, normal, bca or "
        "studentized for differences");
  if (facts(options.scheme).deletes)
    throw InvalidArgument(
        text::concat("scheme is '", bootfold::name(options.scheme),
                     "', which draws no resamples to compare; omit the scheme, or jackknife each "
                     "group separately"));
  if (options.precision && !(*options.precision > 0 && *options.precision < 1))
    throw InvalidArgument(
        text::concat("precision is ", *options.precision,
                     " but must be above 0 and below 1: the Monte Carlo error of a "
                     "limit as a share of the standard error; 0.01 is usual"));
  if (options.test == Test::permutation) {
    const auto* iid = std::get_if<scheme::Iid>(&options.scheme);
    const auto* clusters = std::get_if<scheme::Cluster>(&options.scheme);
    if (!(iid != nullptr && iid->size == 0) && !(clusters != nullptr && !clusters->two_stage))
      throw InvalidArgument(
          text::concat("test is 'permutation' but the scheme is '", bootfold::name(options.scheme),
                       iid != nullptr        ? "' with a size"
                       : clusters != nullptr ? "' in two stages"
                                             : "'",
                       "; permutation tests relabel rows or clusters: omit the scheme, or give "
                       "clusters"));
    if (options.correction == Correction::simultaneous)
      throw InvalidArgument(
          "test is 'permutation' but the correction is 'simultaneous', which takes its p-values "
          "from the bootstrap; use holm or bonferroni");
  }
  if (options.replicates < 2)
    throw InvalidArgument(text::concat("replicates is ", options.replicates,
                                       " but must be at least 2; 10000 is a good start"));
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

Group describe(const std::string& name, const Result& result) {
  return {name,
          result.plan().rows,
          result.estimate(),
          result.standard_error(),
          result.standard_error_error(),
          result.undefined(),
          result.seed(),
          result.plan()};
}

/// Does the control take both signs, or 0, in its replicates?
bool near_zero(const Result& control) {
  const double side = control.estimate();
  const std::span<const double> values = control.replicates();
  return std::any_of(values.begin(), values.end(),
                     [side](double value) { return value * side <= 0; });
}

/// What a contrast tells before the others are known.
Contrast describe(const std::string& name, const Result& differences, const Options& options,
                  std::size_t contrasts) {
  const std::uint64_t defined = differences.replicates().size() - differences.undefined();
  if (defined < 2)
    throw InvalidArgument(text::concat(
        "the difference between group ", text::quoted(name), " and the control is undefined on ",
        grouped(differences.undefined()), " of ", grouped(options.replicates),
        " replicates; choose another statistic, or more replicates"));
  Contrast contrast;
  contrast.group = name;
  contrast.estimate = differences.estimate();
  contrast.standard_error = differences.standard_error();
  contrast.standard_error_error = differences.standard_error_error();
  contrast.bias = differences.bias();
  contrast.undefined = differences.undefined();
  interval::Options asked{.confidence = options.confidence, .alternative = options.alternative};
  contrast.interval = interval::make(options.interval, differences, asked);
  const bool served = contrast.interval.fallback.empty();
  const PValue p =
      p_value(differences, served ? options.interval : Method::percentile, options.alternative);
  contrast.p_value = p.value;
  contrast.p_value_error = p.error;
  double together = options.confidence;
  contrast.adjusted_interval = contrast.interval;
  if (options.correction == Correction::bonferroni || options.correction == Correction::holm) {
    together = 1 - (1 - options.confidence) / static_cast<double>(contrasts);
    asked.confidence = together;
    contrast.adjusted_interval = interval::make(options.interval, differences, asked);
  }
  if (options.keep_replicates)
    contrast.replicates.assign(differences.replicates().begin(), differences.replicates().end());

  if (contrast.undefined > 0)
    contrast.notes.push_back(
        {"undefined_replicates",
         text::concat("undefined on ", grouped(contrast.undefined), " of ",
                      grouped(options.replicates), " replicates, which are omitted")});
  if (contrast.standard_error == 0)
    contrast.notes.push_back(
        {"no_variation", "all replicates are equal, so they show no sampling variation"});
  const double tail =
      (1 - together) / (options.alternative == interval::Alternative::two_sided ? 2 : 1);
  const double beyond = tail * static_cast<double>(defined);
  // At a higher confidence a method may fail that served before.
  const Interval& farther = served ? contrast.adjusted_interval : contrast.interval;
  if (!farther.fallback.empty())
    contrast.notes.push_back({"fell_back", text::concat(farther.fallback, " instead of ",
                                                        farther.method, ": ", farther.reason)});
  if (options.interval != Method::normal && beyond < 1)
    contrast.notes.push_back(
        {"few_replicates", text::concat("the limits are the outermost replicates; at least ",
                                        grouped(static_cast<std::uint64_t>(std::ceil(1 / tail))),
                                        " would reach them")});
  return contrast;
}

/// A number with two digits.
double rounded(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

/// The smallest p-value that a permutation test of the two groups could give. Resamples of few rows
/// seem to know more than there is to know, so none below it is shown.
double least_p_value(const Groups& samples, std::size_t group, const Options& options) {
  if (options.test == Test::permutation) return 0;  // it has its own
  const double sides = options.alternative == interval::Alternative::two_sided ? 2 : 1;
  return std::min(1.0, sides / samples.relabelling(group).ways());
}

void note_few_rows(Contrast& contrast, double least) {
  if (contrast.interval.status == interval::Status::undefined)
    contrast.notes.push_back({"no_interval", contrast.interval.reason});
  if (!contrast.interval.note.empty())
    contrast.notes.push_back({"few_rows", contrast.interval.note});
  if (contrast.p_value >= least) return;
  contrast.notes.push_back(
      {"least_p_value",
       text::concat("no permutation of so few rows or clusters has a p-value below ",
                    rounded(least),
                    ", so it is not shown smaller, even where the interval excludes 0")});
  contrast.p_value = least;
  contrast.p_value_error = 0;
}

void set_adjusted(std::vector<Contrast>& contrasts, std::span<const PValue> values) {
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    contrasts[i].adjusted_p_value = values[i].value;
    contrasts[i].adjusted_p_value_error = values[i].error;
  }
}

/// The largest Monte Carlo error of the limits that are shown, as a share of the standard error.
double worst_error(const Contrast& contrast) {
  double worst = 0;
  if (!(contrast.standard_error > 0)) return worst;  // more replicates change nothing
  for (const double error :
       {contrast.adjusted_interval.low_error, contrast.adjusted_interval.high_error})
    if (std::isfinite(error)) worst = std::max(worst, error / contrast.standard_error);
  return worst;
}

double worst_error(const Comparison& found) {
  double worst = 0;
  for (const Contrast& contrast : found.contrasts) worst = std::max(worst, worst_error(contrast));
  return worst;
}

/// Whether the limits are known as well as was asked, or as they can be.
bool is_last_round(const Comparison& found, const Options& options) {
  return !options.precision || worst_error(found) <= *options.precision ||
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

/// p-values that allow for the number of contrasts.
void correct(std::vector<Contrast>& contrasts, const Options& options, MaxT& farthest) {
  std::vector<PValue> values;
  values.reserve(contrasts.size());
  for (const Contrast& contrast : contrasts)
    values.push_back({contrast.p_value, contrast.p_value_error});
  switch (options.correction) {
    case Correction::none:
      return set_adjusted(contrasts, values);
    case Correction::bonferroni:
      return set_adjusted(contrasts, bonferroni(values));
    case Correction::holm:
      return set_adjusted(contrasts, holm(values));
    case Correction::simultaneous:
      break;
  }
  farthest.finish();
  if (farthest.defined() < 2)
    throw InvalidArgument(
        "there is no replicate in which all differences are defined, but simultaneous intervals "
        "need such replicates; choose another correction or statistic");
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    Contrast& contrast = contrasts[i];
    const MaxT::Difference difference{contrast.estimate, contrast.standard_error,
                                      contrast.standard_error_error};
    if (contrast.interval.status != interval::Status::undefined)
      contrast.adjusted_interval = farthest.interval(difference, options.confidence);
    values[i] = farthest.p_value(difference);
    if ((1 - options.confidence) * static_cast<double>(farthest.defined()) < 1)
      contrast.notes.push_back(
          {"few_replicates",
           text::concat(
               "the simultaneous limits are the outermost replicates; at least ",
               grouped(static_cast<std::uint64_t>(std::ceil(1 / (1 - options.confidence)))),
               " would reach them")});
  }
  set_adjusted(contrasts, values);
}

}  // namespace

}  // namespace comparison

namespace comparison {
namespace {

Comparison compare_once(const DataView& values, const data::Labels& groups,
                        const Statistic& statistic, const Options& options,
                        ReplicateCheckpoint* checkpoint) {
  Groups samples(values, groups, statistic, options, checkpoint);
  check_memory(options, samples.size() - 1, samples.joint());
  if (checkpoint != nullptr)
    checkpoint->set_total(options.replicates * (samples.joint() ? 1 : samples.size()));
  const Result control = samples.run(0);
  Comparison found{control.plan().outputs[0],
                   samples.name(0),
                   options.difference,
                   options.interval,
                   options.correction,
                   options.confidence,
                   options.alternative,
                   options.replicates,
                   options.seed,
                   {describe(samples.name(0), control)},
                   {}};
  const bool relative = options.difference == Difference::relative;
  if (relative && control.estimate() == 0)
    throw InvalidArgument(text::concat("the ", found.statistic, " of the control, ",
                                       text::quoted(found.control),
                                       ", is 0, so relative differences are undefined; use "
                                       "difference=absolute"));
  const bool unsure = relative && near_zero(control);
  MaxT farthest(options.correction == Correction::simultaneous ? options.replicates : 0,
                options.alternative);
  std::vector<double> least;  // p-value of each contrast
  for (std::size_t group = 1; group < samples.size(); ++group) {
    const Result result = samples.run(group);
    found.groups.push_back(describe(samples.name(group), result));
    const Result differences = samples.difference(group, result, control);
    found.contrasts.push_back(
        describe(samples.name(group), differences, options, samples.size() - 1));
    least.push_back(least_p_value(samples, group, options));
    note_few_rows(found.contrasts.back(), least.back());
    if (samples.joint())
      found.contrasts.back().notes.push_back(
          {"joint_clusters",
           text::concat(grouped(samples.clusters().shared), " of ", grouped(samples.clusters().all),
                        " clusters are in several groups, so all are drawn once for all groups")});
    if (unsure)
      found.contrasts.back().notes.push_back(
          {"control_near_zero",
           "the control's replicates reach 0 or change sign, so the relative difference is not "
           "reliable; take difference=absolute"});
    if (options.correction == Correction::simultaneous) farthest.add(differences);
  }
  // Limits do not depend on the test, so it waits until they are known well enough.
  if (options.test == Test::permutation && is_last_round(found, options))
    test_by_permutation(found, samples);
  found.test = options.test;
  found.clusters = samples.clusters().all;
  found.shared_clusters = samples.clusters().shared;
  correct(found.contrasts, options, farthest);
  for (std::size_t i = 0; i < found.contrasts.size(); ++i) {
    Contrast& contrast = found.contrasts[i];
    if (contrast.adjusted_p_value >= least[i]) continue;
    contrast.adjusted_p_value = least[i];
    contrast.adjusted_p_value_error = 0;
  }
  found.precision = worst_error(found);
  return found;
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
  check(values, groups, options);
  if (options.checkpoint.empty())
    return compare_in_rounds(values, groups, statistic, options, nullptr);
  ReplicateCheckpoint checkpoint(options.checkpoint, "comparison", options.replicates,
                                 options.execution);
  try {
    return compare_in_rounds(values, groups, statistic, options, &checkpoint);
  } catch (const Cancelled&) {
    checkpoint.save();
    throw checkpoint.cancelled();
  }
}

}  // namespace bootfold
