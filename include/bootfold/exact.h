// bootfold/exact.h: exact bootstrap distributions, without Monte Carlo simulation.
//
// A bootstrap estimates the distribution (law) of a statistic over resamples from a random sample
// of them. For many statistics this law can be computed: quantiles follow a law over the order
// statistics of the data, proportions are binomial, and means have a characteristic function. There
// is no Monte Carlo error. error_bound() bounds the error of the computed distribution function;
// docs/exact.md derives the bound.
//
//     auto law = exact::distribution(prices, statistic::mean());
//     law.standard_error(); law.cdf(12.5); law.quantile(0.975); law.error_bound();
//     auto [low, high] = law.percentile({.confidence = 0.99}).limits();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/interval.h"
#include "bootfold/statistic.h"

namespace bootfold::exact {

/// How the law is computed.
enum class Method {
  constant,        ///< every resample gives the same value
  binomial,        ///< mean, sum or proportion of data with two distinct values
  order,           ///< one quantile: incomplete beta functions over the order statistics
  lattice,         ///< mean or sum of multiples of a common step: inversion over a full period
  characteristic,  ///< mean or sum of any data: inversion up to a cut-off frequency
  enumeration,     ///< any statistic: all distinct resamples and their multinomial probabilities
};

/// "constant", "binomial", "order", "lattice", "characteristic" or "enumeration".
[[nodiscard]] BOOTFOLD_API std::string_view name(Method method) noexcept;

/// Options of distribution() and outline().
struct Options {
  /// Method to use; default: chosen from the data and the statistic. Throws InvalidArgument if the
  /// method does not apply.
  std::optional<Method> method = std::nullopt;
  /// Largest acceptable error bound; distribution() throws InvalidArgument if it is exceeded, and
  /// outline() if a forecast exceeds it. The computation aims at about 1e-9 in any case.
  double tolerance = 1e-6;
  /// Largest number of distinct resamples to enumerate; each takes 16 bytes.
  std::uint64_t resamples = 6'000'000;
  Execution execution = {};
};

/// A value of the statistic and its probability.
struct Atom {
  double value = 0;
  double probability = 0;
};

/// Limits of an interval: both, only an upper limit (less) or only a lower limit (greater).
using interval::Alternative;

/// Weight in z0 of resamples whose value equals the estimate: one half (SciPy) or 0 (R, arch).
enum class Ties { half, strict };

/// Options of the interval methods of Distribution.
struct IntervalOptions {
  double confidence = 0.95;  ///< inside (0, 1)
  Alternative alternative = Alternative::two_sided;
};

class Law;  // private

/// The law of one statistic over all resamples. A plain value; cheap to copy. If the statistic is
/// undefined (NaN) on some resamples, every quantity is conditional on the statistic being defined.
class BOOTFOLD_API Distribution {
 public:
  /// Description of a law.
  struct About {
    std::string output;  ///< "median"
    Method method = Method::constant;
    std::string reason;
    std::uint64_t rows = 0;
    double estimate = 0;
    double error_bound = 0;
    double undefined = 0;
  };
  Distribution(About about, std::shared_ptr<const Law> law);

  /// The statistic on the original data.
  [[nodiscard]] double estimate() const noexcept { return about_.estimate; }
  /// Mean over all resamples. The bias is mean() - estimate().
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] double bias() const noexcept;
  /// Standard deviation over all resamples.
  [[nodiscard]] double standard_error() const noexcept;

  /// P(T <= x), P(T < x) and P(T = x), where T is the statistic on a resample. Values that differ
  /// only by rounding are treated as equal.
  [[nodiscard]] double cdf(double x) const;
  [[nodiscard]] double below(double x) const;
  [[nodiscard]] double probability(double x) const;

  /// The smallest x with cdf(x) >= p; p is exact up to error_bound(). Throws InvalidArgument unless
  /// 0 < p < 1.
  [[nodiscard]] double quantile(double p) const;
  /// An interval that contains the quantile of the true law: the quantiles at p - error_bound() and
  /// p + error_bound().
  [[nodiscard]] std::pair<double, double> quantile_range(double p) const;

  /// All values with their probabilities, in increasing order; empty if there are too many to list.
  [[nodiscard]] std::span<const Atom> atoms() const noexcept;

  /// Bound on the absolute error of cdf() and below(). The error of probability() is at most twice
  /// this bound.
  [[nodiscard]] double error_bound() const noexcept { return about_.error_bound; }
  /// Probability that the statistic is undefined on a resample.
  [[nodiscard]] double undefined() const noexcept { return about_.undefined; }
  [[nodiscard]] Method method() const noexcept { return about_.method; }
  [[nodiscard]] const std::string& reason() const noexcept { return about_.reason; }
  [[nodiscard]] const std::string& output() const noexcept { return about_.output; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return about_.rows; }

  // Intervals. Their Monte Carlo errors are 0. The other limit of a one-sided interval is infinite.
  // These functions throw InvalidArgument for a confidence outside (0, 1).
  /// Quantiles of the law.
  [[nodiscard]] Interval percentile(const IntervalOptions& options = {}) const;
  /// The percentile limits reflected about the estimate: 2 estimate - limit.
  [[nodiscard]] Interval basic(const IntervalOptions& options = {}) const;
  /// estimate - bias -+ normal quantile x standard error.
  [[nodiscard]] Interval normal(const IntervalOptions& options = {}) const;
  /// Bias-corrected and accelerated, for a given acceleration (Influence::acceleration()). Throws
  /// InvalidArgument if z0 is infinite, which means that all resamples lie on one side of the
  /// estimate.
  [[nodiscard]] Interval bca(double acceleration, const IntervalOptions& options = {},
                             Ties ties = Ties::half) const;
  /// Normal quantile of the probability that a resample lies below the estimate; may be infinite.
  [[nodiscard]] double z0(Ties ties = Ties::half) const;

 private:
  About about_;
  std::shared_ptr<const Law> law_;
};

/// Computes the law of `statistic` under the iid bootstrap. The statistic must have one output on
/// these data.
///
/// Means, sums, proportions and single quantiles are available at any size. Any other statistic,
/// including user-defined ones, is available if the distinct resamples can be enumerated, that is
/// for up to 13 rows or for few distinct rows; it must not depend on the order of the rows. The
/// result has the same bits for every number of threads. Throws InvalidArgument, with an
/// alternative, if the law is not available.
[[nodiscard]] BOOTFOLD_API Distribution distribution(const DataView& data,
                                                     const Statistic& statistic,
                                                     const Options& options = {});

/// The method that distribution() would use, and the reason.
struct Outline {
  std::string output;
  Method method = Method::constant;
  std::string reason;
};
/// Chooses the method as distribution() does, without computing the law.
[[nodiscard]] BOOTFOLD_API Outline outline(const DataView& data, const Statistic& statistic,
                                           const Options& options = {});

}  // namespace bootfold::exact
