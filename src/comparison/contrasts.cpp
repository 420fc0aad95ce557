// Group by group: subtract the control, keep a few numbers.
//
// Only the control's replicates live to the end; those of a group are turned into differences,
// summed up and dropped. So memory does not grow with the number of groups.
#include "bootfold/contrasts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "comparison/contrast.h"
#include "comparison/max_t.h"
#include "comparison/options_check.h"
#include "comparison/permutation.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::comparison {
namespace {

using interval::Method;
using text::grouped;

/// The interval of a group for itself. Not every method is available for groups drawn jointly.
Interval interval_of(const Result& result, const Options& options) {
  const std::vector<Method> there = interval::available(result);
  const bool served = std::find(there.begin(), there.end(), options.interval) != there.end();
  return interval::make(served ? options.interval : Method::percentile, result,
                        {.confidence = options.confidence});
}

Group describe(const std::string& name, const Result& result, const Options& options) {
  return {name,
          result.plan().rows,
          result.estimate(),
          result.standard_error(),
          result.standard_error_error(),
          result.undefined(),
          result.seed(),
          result.plan(),
          interval_of(result, options)};
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
double least_p_value(double relabellings, const Options& options) {
  if (options.test == Test::permutation) return 0;  // it has its own
  const double sides = options.alternative == interval::Alternative::two_sided ? 2 : 1;
  return std::min(1.0, sides / relabellings);
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

/// The sample, which has the replicates that are compared, and whose estimate is a number.
const Sample& checked(const Sample& sample, const Options& options) {
  const Result& result = sample.result;
  if (result.count() != options.replicates)
    throw InvalidArgument(text::concat("group ", text::quoted(sample.name), " has ",
                                       grouped(result.count()), " replicates but ",
                                       grouped(options.replicates), " are compared"));
  if (result.outputs() != 1)
    throw InvalidArgument(text::concat("group ", text::quoted(sample.name), " has ",
                                       result.outputs(),
                                       " values in each replicate but a comparison needs one"));
  if (!std::isfinite(result.estimate()))
    throw InvalidArgument(
        text::concat("the ", result.plan().outputs[0], " of group ", text::quoted(sample.name),
                     " is undefined on its ", grouped(result.plan().rows),
                     " rows; choose the other groups with groups=NAME, or another statistic"));
  return sample;
}

/// Units that a permutation test would relabel.
std::uint64_t units(const Result& result, std::uint64_t clusters) {
  return clusters > 0 ? clusters : result.plan().rows;
}

}  // namespace

struct Contrasts::State {
  State(Sample first, std::size_t count, const Options& given)
      : control(std::move(first)),
        groups(count),
        options(given),
        unsure(given.difference == Difference::relative && near_zero(control.result)),
        farthest(given.correction == Correction::simultaneous ? given.replicates : 0,
                 given.alternative) {
    found.statistic = control.result.plan().outputs[0];
    found.control = control.name;
    found.difference = options.difference;
    found.method = options.interval;
    found.correction = options.correction;
    found.confidence = options.confidence;
    found.alternative = options.alternative;
    found.replicates = options.replicates;
    found.seed = options.seed;
    found.groups = {describe(control.name, control.result, options)};
    found.test = options.test;
    found.clusters = control.clusters;
    if (options.difference == Difference::relative && control.result.estimate() == 0)
      throw InvalidArgument(text::concat("the ", found.statistic, " of the control, ",
                                         text::quoted(found.control),
                                         ", is 0, so relative differences are undefined; use "
                                         "difference=absolute"));
  }

  void add(const Sample& group, const Result& differences, double relabellings,
           const Joint* joint) {
    found.groups.push_back(describe(group.name, group.result, options));
    Contrast contrast = describe(group.name, differences, options, groups);
    least.push_back(least_p_value(relabellings, options));
    note_few_rows(contrast, least.back());
    if (joint != nullptr)
      contrast.notes.push_back(
          {"joint_clusters",
           text::concat(grouped(joint->shared), " of ", grouped(joint->clusters),
                        " clusters are in several groups, so all are drawn once for all groups")});
    if (unsure)
      contrast.notes.push_back(
          {"control_near_zero",
           "the control's replicates reach 0 or change sign, so the relative difference is not "
           "reliable; take difference=absolute"});
    found.contrasts.push_back(std::move(contrast));
    if (options.correction == Correction::simultaneous) farthest.add(differences);
  }

  Sample control;
  std::size_t groups;
  const Options& options;
  bool unsure;  // whether relative differences are reliable
  MaxT farthest;
  std::vector<double> least;  // p-value of each contrast
  Comparison found;
};

Contrasts::Contrasts(Sample control, std::size_t groups, const Options& options) {
  check(options);
  (void)checked(control, options);
  state_ = std::make_unique<State>(std::move(control), groups, options);
}
Contrasts::Contrasts(Contrasts&& other) noexcept = default;
Contrasts& Contrasts::operator=(Contrasts&& other) noexcept = default;
Contrasts::~Contrasts() = default;

const Result& Contrasts::control() const { return state_->control.result; }

void Contrasts::add(const Sample& group) {
  const Sample& control = state_->control;
  const Result differences =
      subtract(checked(group, state_->options).result, control.result, state_->options.difference);
  const double ways =
      relabellings(units(group.result, group.clusters), units(control.result, control.clusters));
  state_->add(group, differences, ways, nullptr);
  state_->found.clusters += group.clusters;
}

void Contrasts::add(const Sample& group, const Joint& joint) {
  state_->add(checked(group, state_->options), joint.differences, joint.relabellings, &joint);
  state_->found.clusters = joint.clusters;
  state_->found.shared_clusters = joint.shared;
}

Comparison Contrasts::finish(const std::function<void(Comparison&)>& test) {
  Comparison& found = state_->found;
  if (found.contrasts.size() != state_->groups)
    throw InvalidArgument(text::concat("there are replicates of ", found.contrasts.size(),
                                       " groups beside the control but ", state_->groups,
                                       " are compared; add all groups"));
  found.precision = worst_error(found);
  if (test) test(found);
  correct(found.contrasts, state_->options, state_->farthest);
  for (std::size_t i = 0; i < found.contrasts.size(); ++i) {
    Contrast& contrast = found.contrasts[i];
    if (contrast.adjusted_p_value >= state_->least[i]) continue;
    contrast.adjusted_p_value = state_->least[i];
    contrast.adjusted_p_value_error = 0;
  }
  found.precision = worst_error(found);
  return std::move(found);
}

}  // namespace bootfold::comparison
