// bootfold/scheme.h: how a replicate draws its rows.
//
//     bootstrap(prices, statistic::mean(), {.scheme = scheme::Iid{.size = 1000}});
//     bootstrap(returns, statistic::sharpe_ratio(), {.scheme = scheme::StationaryBlocks{20}});
//     bootstrap(scores, statistic::mean(), {.scheme = scheme::Cluster{school.codes}});
//
// docs/resampling.md states the law of each. Labels and weights are views: they must outlive the
// call, as the data must.
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

/// Rows drawn independently, each with the same probability: counts are multinomial.
struct Iid {
  std::uint64_t size = 0;  ///< rows drawn ("m out of n"); 0: as many as there are
};

/// Every row's count is Poisson(1), independently: the number of rows drawn varies. What streams
/// of unknown length and rows spread over machines need.
struct Poisson {};

/// Rubin's Bayesian bootstrap: in place of counts, weights from a flat Dirichlet distribution.
struct Bayesian {};

/// Over all replicates of the run together every row is drawn equally often. So a replicate depends
/// on the number of replicates, and a run cannot be extended or split.
struct Balanced {};

/// Row i is drawn with probability weights[i] / sum of the weights.
struct Weighted {
  std::span<const double> weights;  ///< one for each row, not negative, not all 0
  std::uint64_t size = 0;           ///< rows drawn; 0: as many as there are
};

/// Within each stratum as many rows as it has, independently.
struct Stratified {
  std::span<const std::uint32_t> strata;  ///< the stratum of each row: 0, 1, ...
};

/// As many clusters as there are, independently, each with all its rows.
struct Cluster {
  std::span<const std::uint32_t> clusters;  ///< the cluster of each row: 0, 1, ...
  bool two_stage = false;  ///< within a drawn cluster as many rows are drawn as it has
};

// Time series: runs of neighbouring rows, so that what depends on its neighbours stays with them.
// The last block is cut so that as many rows are drawn as there are.

/// Blocks of `length` rows that lie within the data.
struct MovingBlocks {
  std::uint64_t length = 0;  ///< 0: chosen by block_lengths()
};

/// Blocks of `length` rows; behind the last row comes the first.
struct CircularBlocks {
  std::uint64_t length = 0;  ///< 0: chosen by block_lengths()
};

/// Blocks of geometrically distributed length (Politis and Romano); behind the last row comes the
/// first. Replicates are stationary series.
struct StationaryBlocks {
  double length = 0;  ///< mean length, at least 1; 0: chosen by block_lengths()
};

/// No draws at all: replicate i is the statistic without row i, or without cluster i. There are as
/// many replicates as rows (clusters), whatever Options::replicates says; standard error and bias
/// of the result are the jackknife's, without Monte Carlo error.
struct Jackknife {
  std::span<const std::uint32_t> clusters = {};  ///< the cluster of each row; empty: row by row
};

/// A scheme of your own: a class derived from resample::Design. That is an interface of the engine
/// (src/resample/design.h), not of the library: it may change with every version.
struct Custom {
  std::shared_ptr<const resample::Design> design;
};

}  // namespace scheme

using Scheme =
    std::variant<scheme::Iid, scheme::Poisson, scheme::Bayesian, scheme::Balanced, scheme::Weighted,
                 scheme::Stratified, scheme::Cluster, scheme::MovingBlocks, scheme::CircularBlocks,
                 scheme::StationaryBlocks, scheme::Jackknife, scheme::Custom>;

/// "iid", "stationary", ...: the words of the command line and of messages.
[[nodiscard]] BOOTFOLD_API std::string name(const Scheme& scheme);

namespace scheme {

/// The names of all schemes that make_scheme() knows.
[[nodiscard]] BOOTFOLD_API std::vector<std::string_view> names();

/// A scheme as a person describes it: by name, or by what it needs. What is left out is not given;
/// labels and weights that are given may still be empty, to check a description before any data
/// are read.
///
///     Scheme scheme = make_scheme({.clusters = school.codes, .two_stage = true});
struct Spec {
  /// One of names(). Left out: "stratified", "cluster", "weighted" or "stationary" where strata,
  /// clusters, weights or a block length are given, and otherwise "iid".
  std::optional<std::string> name = {};
  std::optional<std::span<const std::uint32_t>> strata = {};
  std::optional<std::span<const std::uint32_t>> clusters = {};
  std::optional<std::span<const double>> weights = {};
  std::optional<double> block_length = {};  ///< at least 1; whole for moving and circular blocks
  bool auto_block_length = false;           ///< block_length is given as "chosen from the data"
  std::uint64_t size = 0;                   ///< rows that a replicate draws; 0: not given
  bool two_stage = false;
};

/// Facts about a scheme that decide what can be asked of it.
struct Facts {
  bool deletes = false;      ///< replicates leave rows out and draw none: the jackknife
  bool together = false;     ///< rows are drawn together with others: there are no ABC intervals
  bool formula = false;      ///< formulas for standard errors hold on resamples
  bool studentized = false;  ///< studentized intervals exist, at least if there is a formula
};

}  // namespace scheme

/// The scheme that a description means. Throws InvalidArgument for a name that does not exist, and
/// for options that are missing or do not belong to the scheme. `option` turns the name of a member
/// of Spec ("block_length") into what messages call it; left out: the name itself.
[[nodiscard]] BOOTFOLD_API Scheme make_scheme(
    const scheme::Spec& spec, const std::function<std::string(std::string_view key)>& option = {});

/// Facts do not depend on labels and weights, which may still be empty.
[[nodiscard]] BOOTFOLD_API scheme::Facts facts(const Scheme& scheme);

/// Lengths of blocks that estimate the variance of a mean best.
struct BlockLengths {
  double stationary;  ///< mean length of stationary blocks
  double fixed;       ///< length of moving and circular blocks
};

/// The rule of Politis and White (2004), corrected by Patton, Politis and White (2009). Between 1
/// and min(3 sqrt(n), n / 3).
///
///     double length = block_lengths(returns).stationary;
[[nodiscard]] BOOTFOLD_API BlockLengths block_lengths(const ColumnView& series);

}  // namespace bootfold
