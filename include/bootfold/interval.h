// bootfold/interval.h: confidence intervals from replicates.
//
//     auto result = bootstrap(prices, statistic::mean(), {.seed = 7, .influence = true});
//     auto interval = interval::bca(result, {.confidence = 0.95});
//     auto [low, high] = interval.limits();
//
// docs/intervals.md has the formulas, the Monte Carlo errors, and what happens where a method
// cannot serve: a status, a fall-back that is named, or an error, never a silent NaN.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

namespace interval {

enum class Method {
  normal,       ///< estimate - bias, and normal quantiles times the standard error to both sides
  basic,        ///< quantiles of the replicates mirrored at the estimate
  percentile,   ///< quantiles of the replicates
  bca,          ///< quantiles corrected for bias and skewness (needs Options::influence)
  studentized,  ///< quantiles of (replicate - estimate) / its standard error (standard_errors)
  abc,          ///< what BCa converges to, from derivatives, without replicates (influence)
};

enum class Alternative {
  two_sided,
  less,     ///< the limit below is -infinity: values above `high` are refuted
  greater,  ///< the limit above is infinity: values below `low` are refuted
};

/// Where packages differ in the last digits.
enum class Convention {
  numpy,  ///< ties count half in BCa's z0, quantiles are of type 7: SciPy
  r,      ///< ties do not count, order statistic (R + 1) p between neighbours on the normal scale
};

/// Whether the limits are what was asked for.
enum class Status {
  good,
  extreme,    ///< a limit lies among the outermost replicates: more replicates are needed
  partial,    ///< the statistic is undefined on some replicates, which are left out
  fell_back,  ///< the method cannot serve here; Interval::fallback was taken
  undefined,  ///< there are no limits: both are NaN
};

// Names as the command line spells them: "bca", "two-sided", "numpy", "fell back".
[[nodiscard]] BOOTFOLD_API std::string_view name(Method method) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Alternative alternative) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Convention convention) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Status status) noexcept;
// And back; throws InvalidArgument that lists them.
[[nodiscard]] BOOTFOLD_API Method parse_method(std::string_view text);
[[nodiscard]] BOOTFOLD_API Alternative parse_alternative(std::string_view text);
[[nodiscard]] BOOTFOLD_API Convention parse_convention(std::string_view text);

}  // namespace interval

/// Two limits, and what another seed would change in each.
struct Interval {
  std::string method;  ///< asked for
  double confidence = 0;
  double low = 0;
  double high = 0;
  double low_error = 0;   ///< Monte Carlo standard error of low
  double high_error = 0;  ///< Monte Carlo standard error of high
  interval::Alternative alternative = interval::Alternative::two_sided;
  interval::Status status = interval::Status::good;
  std::string fallback = {};  ///< the method taken in its place, if one was
  std::string reason = {};    ///< why the status is not good

  [[nodiscard]] std::pair<double, double> limits() const { return {low, high}; }
};

namespace interval {

struct Options {
  double confidence = 0.95;  ///< inside (0, 1)
  std::size_t output = 0;    ///< which of the result's values
  Alternative alternative = Alternative::two_sided;
  Convention convention = Convention::numpy;
  bool strict = false;  ///< throw where the status would not be good
};

/// An interval by any method. Takes about 1 MiB of memory, however many replicates there are.
/// Throws InvalidArgument for a confidence outside (0, 1), an output that is not there, a result
/// without what the method needs, and, if strict, for every status but good.
[[nodiscard]] BOOTFOLD_API Interval make(Method method, const Result& result,
                                         const Options& options = {});

/// By every method that the result has what it needs for.
[[nodiscard]] BOOTFOLD_API std::vector<Interval> all(const Result& result,
                                                     const Options& options = {});
[[nodiscard]] BOOTFOLD_API std::vector<Method> available(const Result& result);

[[nodiscard]] inline Interval normal(const Result& result, const Options& options = {}) {
  return make(Method::normal, result, options);
}
[[nodiscard]] inline Interval basic(const Result& result, const Options& options = {}) {
  return make(Method::basic, result, options);
}
[[nodiscard]] inline Interval percentile(const Result& result, const Options& options = {}) {
  return make(Method::percentile, result, options);
}
[[nodiscard]] inline Interval bca(const Result& result, const Options& options = {}) {
  return make(Method::bca, result, options);
}
[[nodiscard]] inline Interval studentized(const Result& result, const Options& options = {}) {
  return make(Method::studentized, result, options);
}
[[nodiscard]] inline Interval abc(const Result& result, const Options& options = {}) {
  return make(Method::abc, result, options);
}

}  // namespace interval
}  // namespace bootfold
