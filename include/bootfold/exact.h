// bootfold/exact.h: the bootstrap distribution itself, without Monte Carlo.
//
// A bootstrap estimates the law of a statistic over resamples by drawing some. For many statistics
// that law can be computed: quantiles have a law over the data's order statistics, shares are
// binomial, means have a characteristic function. What is left is no Monte Carlo error but a bound
// on the error of the computed distribution function, which is derived (docs/exact.md) and told.
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

/// How a law is found.
enum class Method {
  constant,        ///< every resample gives the same value
  binomial,        ///< mean, sum or share of data with two distinct values
  order,           ///< one quantile: incomplete beta functions over the order statistics
  lattice,         ///< mean or sum of multiples of a common step: characteristic function, no limit
  characteristic,  ///< mean or sum of any data: characteristic function up to a frequency
  enumeration,     ///< anything: every distinct resample with its multinomial probability
};

/// "constant", "binomial", "order", "lattice", "characteristic" or "enumeration".
[[nodiscard]] BOOTFOLD_API std::string_view name(Method method) noexcept;

struct Options {
  /// Force one; an error if it cannot serve.
  std::optional<Method> method = std::nullopt;
  /// Largest error bound that is accepted; beyond it distribution() throws. About 1e-9 is aimed at
  /// in any case.
  double tolerance = 1e-6;
  /// Most distinct resamples that are enumerated; each takes 16 bytes.
  std::uint64_t resamples = 6'000'000;
  Execution execution = {};
};

/// A value the statistic takes, and how probable it is.
struct Atom {
  double value = 0;
  double probability = 0;
};

/// Which limits an interval has: both, only an upper one (less) or only a lower one (greater).
using interval::Alternative;

/// How resamples that give the estimate itself count in z0: half (SciPy) or not at all (R, arch).
enum class Ties { half, strict };

struct IntervalOptions {
  double confidence = 0.95;  ///< inside (0, 1)
  Alternative alternative = Alternative::two_sided;
};

class Law;  // private

/// The law of one statistic over all resamples. A plain value; cheap to copy. Where the statistic
/// is undefined (NaN) on some resamples, all is meant given that it is defined.
class BOOTFOLD_API Distribution {
 public:
  /// What is known of a law beside the law.
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

  /// The statistic on the data as they are.
  [[nodiscard]] double estimate() const noexcept { return about_.estimate; }
  /// Mean over all resamples; bias is mean - estimate.
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] double bias() const noexcept;
  /// Standard deviation over all resamples.
  [[nodiscard]] double standard_error() const noexcept;

  /// P(T <= x), P(T < x) and P(T = x), for T the statistic on a resample. Values that differ by
  /// rounding only are one value.
  [[nodiscard]] double cdf(double x) const;
  [[nodiscard]] double below(double x) const;
  [[nodiscard]] double probability(double x) const;

  /// The smallest x with cdf(x) >= p, up to error_bound() in p. Throws InvalidArgument unless
  /// 0 < p < 1.
  [[nodiscard]] double quantile(double p) const;
  /// Surely holds the quantile of the true law: the quantiles error_bound() below and above p.
  [[nodiscard]] std::pair<double, double> quantile_range(double p) const;

  /// Every value with its probability, rising; empty where they are too many to list.
  [[nodiscard]] std::span<const Atom> atoms() const noexcept;

  /// The computed cdf and below differ from the true ones by no more, probability by twice that.
  [[nodiscard]] double error_bound() const noexcept { return about_.error_bound; }
  /// Share of the resamples on which the statistic is undefined.
  [[nodiscard]] double undefined() const noexcept { return about_.undefined; }
  [[nodiscard]] Method method() const noexcept { return about_.method; }
  [[nodiscard]] const std::string& reason() const noexcept { return about_.reason; }
  [[nodiscard]] const std::string& output() const noexcept { return about_.output; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return about_.rows; }

  // Intervals; their Monte Carlo errors are 0. One-sided ones are infinite on the other side.
  // Throw InvalidArgument for a confidence outside (0, 1).
  /// Quantiles of the law.
  [[nodiscard]] Interval percentile(const IntervalOptions& options = {}) const;
  /// 2 estimate - the percentile limits, mirrored.
  [[nodiscard]] Interval basic(const IntervalOptions& options = {}) const;
  /// estimate - bias -+ normal quantile x standard error.
  [[nodiscard]] Interval normal(const IntervalOptions& options = {}) const;
  /// Bias-corrected and accelerated, given the acceleration (a jackknife gives one). Throws
  /// InvalidArgument where z0 is infinite: all resamples lie on one side of the estimate.
  [[nodiscard]] Interval bca(double acceleration, const IntervalOptions& options = {},
                             Ties ties = Ties::half) const;
  /// Normal quantile of the share of resamples below the estimate; may be infinite.
  [[nodiscard]] double z0(Ties ties = Ties::half) const;

 private:
  About about_;
  std::shared_ptr<const Law> law_;
};

/// The law of `statistic`, which must have one output on these data, under the iid bootstrap.
///
/// Means and sums, shares, and single quantiles at any size; any statistic, also a user's own,
/// where the distinct resamples are few enough to enumerate: all of n <= 13 rows, or few distinct
/// rows. Such a statistic must not depend on the order of the rows. Same bits for every number of
/// threads. Throws InvalidArgument, with what to do instead, where there is no law to be had.
[[nodiscard]] BOOTFOLD_API Distribution distribution(const DataView& data,
                                                     const Statistic& statistic,
                                                     const Options& options = {});

/// What distribution() would do, after a look at the data: which method and why.
struct Outline {
  std::string output;
  Method method = Method::constant;
  std::string reason;
};
[[nodiscard]] BOOTFOLD_API Outline outline(const DataView& data, const Statistic& statistic,
                                           const Options& options = {});

}  // namespace bootfold::exact
