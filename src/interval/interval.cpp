#include "bootfold/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "interval/limits.h"
#include "text/choice.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::interval {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kMethods = {Method::normal, Method::basic,       Method::percentile,
                                 Method::bca,    Method::studentized, Method::abc};
constexpr std::array kAlternatives = {Alternative::two_sided, Alternative::less,
                                      Alternative::greater};
constexpr std::array kConventions = {Convention::numpy, Convention::r};

/// What a result lacks for a method; empty: nothing.
std::string lacking(Method method, const Result& result) {
  if (result.companions().jackknife && method != Method::normal && method != Method::abc)
    return "resamples, and a jackknife draws none; use the normal interval, or bootstrap with "
           "another scheme";
  if (method == Method::abc && result.companions().abc_curves.empty() &&
      !result.companions().influences.empty())
    return "derivatives with respect to the weight of each row, which do not exist where rows are "
           "drawn together (blocks, two stages) or samples are compared; take bca";
  if ((method == Method::bca && result.companions().influences.empty()) ||
      (method == Method::abc && result.companions().abc_curves.empty()))
    return "the influence of each row, which this result does not contain; bootstrap again with "
           "interval=bca";
  if (method == Method::studentized && result.companions().replicate_errors.empty())
    return "a standard error on every resample, which this result does not contain; bootstrap "
           "again with interval=studentized";
  return "";
}

void check(Method method, const Result& result, const Options& options) {
  check_confidence(options.confidence);
  if (options.output >= result.outputs())
    throw InvalidArgument(text::concat("output is ", options.output, " but the result has ",
                                       result.outputs(), ", numbered from 0"));
  const std::string lack = lacking(method, result);
  if (!lack.empty())
    throw InvalidArgument(text::concat("a ", name(method), " interval needs ", lack));
}

Found limits(Method method, const Context& context) {
  switch (method) {
    case Method::normal:
      return normal_limits(context);
    case Method::basic:
      return basic_limits(context);
    case Method::percentile:
      return percentile_limits(context);
    case Method::bca:
      return bca_limits(context);
    case Method::studentized:
      return studentized_limits(context);
    case Method::abc:
      break;
  }
  return abc_limits(context);
}

/// Raises the status and adds a reason.
void note(Interval& interval, Status status, const std::string& reason) {
  interval.status = std::max(interval.status, status);
  interval.reason += (interval.reason.empty() ? "" : "; ") + reason;
}

/// "row", "block" or "cluster".
std::string unit_of(const Plan& plan, std::uint64_t count) {
  const bool rows = plan.units == plan.rows;
  const auto drawn = [&](const char* what) {
    return !rows && plan.scheme.find(what) != std::string::npos;
  };
  return text::concat(drawn(", blocks of") ? "block"
                      : drawn("cluster")   ? "cluster"
                                           : "row",
                      count == 1 ? "" : "s");
}

/// Why no interval says anything; empty if one may.
std::string nothing_varies(const Plan& plan) {
  if (plan.units == 0 || plan.fixed_units < plan.units) return "";
  if (plan.units == 1)
    return text::concat("there is only one ", unit_of(plan, 1),
                        " to draw from, which shows nothing of how the statistic varies");
  return text::concat("each of the ", text::grouped(plan.units),
                      " strata has one row, which shows nothing of how the statistic varies");
}

/// What a reader of the interval should know beside its status.
std::string remark(const Plan& plan) {
  constexpr std::uint64_t kFew = 10;
  if (plan.units == 0) return "";
  const std::uint64_t varying = plan.units - plan.fixed_units;
  if (varying < kFew)
    return text::concat("there are only ", varying, " ", unit_of(plan, varying),
                        varying <= 2 ? " to draw from: the interval means little"
                                     : " to draw from: so few make intervals that are too narrow");
  if (plan.fixed_units > 0)
    return text::concat(text::grouped(plan.fixed_units),
                        " strata have one row each, so that the variation within them is unknown "
                        "and taken as 0");
  return "";
}

}  // namespace

std::string_view name(Method method) noexcept {
  constexpr std::array<std::string_view, 6> kNames = {"normal", "basic",       "percentile",
                                                      "bca",    "studentized", "abc"};
  return kNames[static_cast<std::size_t>(method)];
}

std::string_view name(Alternative alternative) noexcept {
  constexpr std::array<std::string_view, 3> kNames = {"two-sided", "less", "greater"};
  return kNames[static_cast<std::size_t>(alternative)];
}

std::string_view name(Convention convention) noexcept {
  return convention == Convention::r ? "r" : "numpy";
}

std::string_view name(Status status) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"good", "extreme", "partial", "fell back",
                                                      "undefined"};
  return kNames[static_cast<std::size_t>(status)];
}

Method parse_method(std::string_view text) { return text::choose("interval", text, kMethods); }

Alternative parse_alternative(std::string_view text) {
  return text::choose("alternative", text, kAlternatives);
}

Convention parse_convention(std::string_view text) {
  return text::choose("convention", text, kConventions);
}

void check_method(Method method, const Scheme& scheme) {
  const scheme::Facts known = facts(scheme);
  if (known.deletes && method != Method::normal && method != Method::abc)
    throw InvalidArgument(text::concat("interval is '", name(method),
                                       "' but a jackknife draws no resamples, which it needs; use "
                                       "normal or abc, or another scheme, such as iid"));
  if (known.together && method == Method::abc)
    throw InvalidArgument(
        text::concat("interval is 'abc', which shifts weight between rows, but scheme '",
                     bootfold::name(scheme), "' draws rows together; use bca"));
}

void check_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument(text::concat("confidence is ", confidence,
                                       " but must be above 0 and below 1; 0.95 is usual"));
}

Interval make(Method method, const Result& result, const Options& options) {
  check(method, result, options);
  const Context context(result, options);
  Interval interval{std::string(name(method)), options.confidence};
  interval.alternative = options.alternative;
  interval.note = remark(result.plan());
  Found found;
  const std::string constant = nothing_varies(result.plan());
  if (!constant.empty()) {
    found.low = found.high = {kNaN, kNaN, false};
    interval.note.clear();
    note(interval, Status::undefined, constant);
  } else if (context.defined == 0) {
    found.low = found.high = {kNaN, kNaN, false};
    note(interval, Status::undefined, "the statistic is undefined on every replicate");
  } else {
    found = limits(method, context);
    if (!found.note.empty()) note(interval, Status::partial, found.note);
    const bool lost = !found.trouble.empty() && result.companions().jackknife;
    if (lost) {
      found.low = found.high = {kNaN, kNaN, false};  // there is nothing to fall back on
      note(interval, Status::undefined, found.trouble);
    } else if (!found.trouble.empty()) {
      interval.fallback = name(Method::percentile);
      note(interval, Status::fell_back, found.trouble);
      found = percentile_limits(context);
    }
    const std::uint64_t undefined = result.undefined(options.output);
    if (undefined > 0 && !result.companions().jackknife)
      note(interval, Status::partial,
           text::concat("the statistic is undefined on ", text::grouped(undefined), " of ",
                        text::grouped(undefined + context.defined),
                        " replicates, which are left out"));
    if (!lost && ((context.low && !std::isfinite(found.low.value)) ||
                  (context.high && !std::isfinite(found.high.value)))) {
      found.low = found.high = {kNaN, kNaN, false};
      interval.fallback.clear();
      note(interval, Status::undefined, "the statistic is infinite on too many replicates");
    }
    if (found.low.extreme || found.high.extreme)
      note(interval, Status::extreme,
           text::concat("a limit lies among the outermost of ", text::grouped(context.defined),
                        " replicates; more are needed"));
  }
  interval.low = found.low.value;
  interval.low_error = found.low.error;
  interval.high = found.high.value;
  interval.high_error = found.high.error;
  if (options.strict && interval.status != Status::good)
    throw InvalidArgument(text::concat(
        "strict: the ", interval.method, " interval of ",
        result.plan().outputs.size() > options.output ? result.plan().outputs[options.output]
                                                      : text::concat("output ", options.output),
        " is ", interval.fallback.empty() ? std::string(name(interval.status)) : "not available",
        ": ", interval.reason));
  return interval;
}

std::vector<Method> available(const Result& result) {
  std::vector<Method> methods;
  for (const Method method : kMethods)
    if (lacking(method, result).empty()) methods.push_back(method);
  return methods;
}

std::vector<Interval> all(const Result& result, const Options& options) {
  std::vector<Interval> found;
  for (const Method method : available(result)) found.push_back(make(method, result, options));
  return found;
}

}  // namespace bootfold::interval
