// bootfold/interval.h: confidence intervals from replicates.
//
//     auto result = bootstrap(prices, statistic::mean(), {.seed = 7, .influence = true});
//     auto interval = interval::bca(result, {.confidence = 0.95});
//     auto [low, high] = interval.limits();
//
// docs/intervals.md gives the formulas and the Monte Carlo errors. If a method is not available,
// the interval has a status and names the method that was used instead, or an error is thrown;
// there is never a silent NaN.
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

/// Interval methods.
enum class Method {
  normal,       ///< estimate - bias +- normal quantile x standard error
  basic,        ///< quantiles of the replicates reflected about the estimate
  percentile,   ///< quantiles of the replicates
  bca,          ///< quantiles corrected for bias and skewness; needs Options::influence
  studentized,  ///< bootstrap-t; needs Options::standard_errors
  abc,          ///< analytic approximation of BCa, without replicates; needs Options::influence
};

/// Alternative hypothesis that corresponds to the interval.
enum class Alternative {
  two_sided,
  less,     ///< upper limit only; `low` is -infinity
  greater,  ///< lower limit only; `high` is infinity
};

/// Conventions for ties and quantiles, in which packages differ in the last digits.
enum class Convention {
  numpy,  ///< as SciPy: ties count one half in z0 of BCa, quantiles of type 7
  r,      ///< as R boot: ties do not count in z0, order statistic (R + 1) p on the normal scale,
          ///< resamples whose standard error is 0 are left out of studentized intervals
};

/// Whether the limits are those of the requested method.
enum class Status {
  good,
  extreme,    ///< a limit lies among the outermost replicates: more replicates are needed
  partial,    ///< replicates on which the statistic is undefined were omitted
  fell_back,  ///< the method is not available here; Interval::fallback was used instead
  undefined,  ///< there are no limits: both are NaN
};

// Names as on the command line: "bca", "two-sided", "numpy", "fell back".
[[nodiscard]] BOOTFOLD_API std::string_view name(Method method) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Alternative alternative) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Convention convention) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Status status) noexcept;
// The value with that name. Throws InvalidArgument, which lists the names, if there is none.
[[nodiscard]] BOOTFOLD_API Method parse_method(std::string_view text);
[[nodiscard]] BOOTFOLD_API Alternative parse_alternative(std::string_view text);
[[nodiscard]] BOOTFOLD_API Convention parse_convention(std::string_view text);

}  // namespace interval

/// A confidence interval, with the Monte Carlo error of each limit.
struct Interval {
  std::string method;  ///< the requested method
  double confidence = 0;
  double low = 0;
  double high = 0;
  double low_error = 0;   ///< Monte Carlo standard error of low
  double high_error = 0;  ///< Monte Carlo standard error of high
  interval::Alternative alternative = interval::Alternative::two_sided;
  interval::Status status = interval::Status::good;
  std::string fallback = {};  ///< the method that was used instead, if any
  std::string reason = {};    ///< why the status is not good
  std::string note = {};      ///< what else to know, such as that there are few rows

  [[nodiscard]] std::pair<double, double> limits() const { return {low, high}; }
};

namespace interval {

/// Options of all interval functions.
struct Options {
  double confidence = 0.95;  ///< inside (0, 1)
  std::size_t output = 0;    ///< index of the output of the result
  Alternative alternative = Alternative::two_sided;
  Convention convention = Convention::numpy;
  bool strict = false;  ///< throw InvalidArgument if the status is not good
};

/// Throws InvalidArgument if runs of the scheme never have what the method needs: resamples, which
/// a jackknife does not draw, or rows that are drawn one by one, for abc.
BOOTFOLD_API void check_method(Method method, const Scheme& scheme);

/// Throws InvalidArgument for a confidence outside (0, 1).
BOOTFOLD_API void check_confidence(double confidence);

/// Computes an interval by the given method. Takes about 1 MiB of memory for any number of
/// replicates. Throws InvalidArgument for a confidence outside (0, 1), an output that does not
/// exist, a result without the companions that the method needs, and, if strict, for every status
/// other than good.
[[nodiscard]] BOOTFOLD_API Interval make(Method method, const Result& result,
                                         const Options& options = {});

/// Intervals by all methods that are available for this result, and the list of these methods.
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
