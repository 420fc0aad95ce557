// bootfold/scheme.h: resampling schemes.
//
//     bootstrap(prices, statistic::mean(), {.scheme = scheme::Iid{.size = 1000}});
//     bootstrap(returns, statistic::sharpe_ratio(), {.scheme = scheme::StationaryBlocks{20}});
//     bootstrap(scores, statistic::mean(), {.scheme = scheme::Cluster{school.codes}});
//
// docs/resampling.md states the law of each scheme. Labels and probabilities are views: like the
// data, they must outlive the call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold {

namespace resample {
class Design;
}

namespace scheme {

/// Rows are drawn independently with equal probabilities: counts are multinomial.
struct Iid {
  std::uint64_t size = 0;  ///< rows drawn ("m out of n"); 0: the number of rows of the data
};

/// Counts of rows are independent Poisson(1) variables, so the number of rows drawn is random. For
/// streams of unknown length and rows that are distributed over machines.
struct Poisson {};

/// Rubin's Bayesian bootstrap: rows have weights from a flat Dirichlet distribution instead of
/// counts. For functions of sums, quantiles (the usual weighted median; docs/resampling.md) and
/// trimmed means.
struct Bayesian {};

/// Every row is drawn equally often over all replicates of the run. A replicate therefore depends
/// on the number of replicates, and a run cannot be extended or split.
struct Balanced {};

/// Rows are drawn with unequal probabilities: row i with probabilities[i] / sum of all. This
/// changes how often a row is drawn, and with it the estimate, which is that of data in which row i
/// has this share. For weights of the statistic (survey weights, volumes, exposures), with which
/// rows are drawn alike, see statistic::weighted(); for a table in which a row stands for several
/// equal rows, data::Repeated. docs/resampling.md has the three side by side.
struct Unequal {
  std::span<const double> probabilities;  ///< one per row, at least 0, not all 0; any sum
  std::uint64_t size = 0;                 ///< rows drawn; 0: the number of rows of the data
};

/// Within each stratum, as many rows are drawn independently as the stratum has.
struct Stratified {
  std::span<const std::uint32_t> strata;  ///< the stratum of each row: 0, 1, ...
};

/// As many clusters are drawn independently as the data have, each with all its rows.
///
/// The means of clusters already vary by the rows within them, so drawing whole clusters has all of
/// the variance. `two_stage` draws the rows of each drawn cluster as well, which adds the variance
/// within clusters a second time: standard errors are too large, by up to the factor sqrt(2) if
/// clusters differ no more than their rows explain, and hardly if they differ much or have many
/// rows. Use it if the rows of a cluster are a small sample of it and too wide is better than too
/// narrow, as with few clusters; otherwise leave it off.
struct Cluster {
  std::span<const std::uint32_t> clusters;  ///< the cluster of each row: 0, 1, ...
  bool two_stage = false;                   ///< also draw the rows within each drawn cluster
  /// The stratum of each row; empty: none. Within each stratum as many clusters are drawn as it
  /// has. All rows of a cluster must lie in one stratum.
  std::span<const std::uint32_t> strata = {};
};

// Schemes for time series draw blocks of consecutive rows, which preserves the dependence within a
// block. The last block is truncated so that a replicate has as many rows as the data.

/// Blocks of `length` rows that lie within the data. Rows near the ends are in fewer blocks, so the
/// replicates are centred at the statistic with the expected counts of rows as weights, not at the
/// estimate; biases and intervals take that into account (Result::centre()).
struct MovingBlocks {
  std::uint64_t length = 0;  ///< 0: chosen by block_lengths()
};

/// Blocks of `length` rows that wrap around from the last row to the first.
struct CircularBlocks {
  std::uint64_t length = 0;  ///< 0: chosen by block_lengths()
};

/// Blocks of geometrically distributed length (Politis and Romano) that wrap around from the last
/// row to the first. Replicates are stationary series.
struct StationaryBlocks {
  double length = 0;  ///< mean length, at least 1; 0: chosen by block_lengths()
};

/// The jackknife: replicate i is the statistic without row i, or without cluster i. There are as
/// many replicates as rows (clusters); Options::replicates is ignored. Standard error and bias of
/// the result are the jackknife estimates, without Monte Carlo error.
struct Jackknife {
  std::span<const std::uint32_t> clusters = {};  ///< the cluster of each row; empty: delete rows
};

/// A user-defined scheme: a class derived from resample::Design. That class is internal to the
/// engine (src/resample/design.h) and may change with every version.
struct Custom {
  std::shared_ptr<const resample::Design> design;
};

}  // namespace scheme

using Scheme =
    std::variant<scheme::Iid, scheme::Poisson, scheme::Bayesian, scheme::Balanced, scheme::Unequal,
                 scheme::Stratified, scheme::Cluster, scheme::MovingBlocks, scheme::CircularBlocks,
                 scheme::StationaryBlocks, scheme::Jackknife, scheme::Custom>;

/// The name of a scheme on the command line and in messages: "iid", "stationary", ...
[[nodiscard]] BOOTFOLD_API std::string name(const Scheme& scheme);

namespace scheme {

/// The names of all schemes that make_scheme() knows.
[[nodiscard]] BOOTFOLD_API std::vector<std::string_view> names();

/// Description of a scheme by its name, or by the options that imply it. Members without a value
/// are not given. Labels and probabilities that are given may be empty, so that a description can
/// be checked before data are read.
///
///     Scheme scheme = make_scheme({.clusters = school.codes, .two_stage = true});
struct Spec {
  /// One of names(). Default: "cluster", "stratified", "unequal" or "stationary" if clusters (with
  /// or without strata), strata, probabilities or a block length are given, otherwise "iid".
  std::optional<std::string> name = {};
  std::optional<std::span<const std::uint32_t>> strata = {};
  std::optional<std::span<const std::uint32_t>> clusters = {};
  std::optional<std::span<const double>> probabilities = {};
  std::optional<double> block_length = {};  ///< at least 1; an integer for moving and circular
  bool auto_block_length = false;           ///< whether the block length is chosen from the data
  std::uint64_t size = 0;                   ///< rows drawn per replicate; 0: not given
  bool two_stage = false;
};

/// Properties of a scheme, which determine the available interval methods.
struct Facts {
  bool deletes = false;      ///< replicates delete rows and draw none: the jackknife
  bool together = false;     ///< rows are drawn in groups, so ABC intervals are not available
  bool formula = false;      ///< formulas for standard errors are valid on resamples
  bool studentized = false;  ///< studentized intervals are available, at least with a formula
};

}  // namespace scheme

/// Makes the scheme that `spec` describes. Throws InvalidArgument for an unknown name, and for
/// options that are missing or do not belong to the scheme. `option` maps the name of a member of
/// Spec ("block_length") to the name in messages; default: the same name.
[[nodiscard]] BOOTFOLD_API Scheme make_scheme(
    const scheme::Spec& spec, const std::function<std::string(std::string_view key)>& option = {});

/// The properties of a scheme. They do not depend on labels and probabilities, which may be empty.
[[nodiscard]] BOOTFOLD_API scheme::Facts facts(const Scheme& scheme);

/// Optimal block lengths for estimating the variance of a mean.
struct BlockLengths {
  double stationary;  ///< mean length of stationary blocks
  double fixed;       ///< length of moving and circular blocks
};

/// Chooses block lengths by the rule of Politis and White (2004), corrected by Patton, Politis and
/// White (2009). With autocovariances R(k), the lengths are (c G^2 / g^2 n)^(1/3) with c = 1 for
/// stationary and 3/2 for fixed blocks, g the sum of w(k / M) R(k) and G that of w(k / M) |k| R(k)
/// over |k| <= M, w(x) = min(1, 2 (1 - |x|)). M is twice the first lag of the first
/// max(5, log10(n)) autocorrelations in a row with |R(k)| < 2 sqrt(log10(n) / n) R(0), and at most
/// ceil(sqrt(n)) + max(5, log10(n)). The lengths are between 1 and ceil(min(3 sqrt(n), n / 3)).
///
/// "The first lag of the run" is what the authors' program, R's np::b.star and arch compute. The
/// text of the paper has the lag before it. If only the first autocorrelation stands out, M is then
/// 2 and g = R(0) + 2 R(1), which is near 0 for an autocorrelation of -0.5: lengths come out far
/// too long (docs/resampling.md).
///
///     double length = block_lengths(returns).stationary;
[[nodiscard]] BOOTFOLD_API BlockLengths block_lengths(const ColumnView& series);

}  // namespace bootfold
