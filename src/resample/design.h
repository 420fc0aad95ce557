// The resampling design of a scheme: everything that the engine asks about how rows are drawn.
//
// The public Scheme is a plain value (bootfold/scheme.h). design() turns it into one object behind
// this interface, and the rest of the engine looks at nothing else: no module but this one knows
// the names of the schemes. There is one class for each scheme in resample/schemes/, and a scheme
// of your own is one more class, passed as scheme::Custom.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/scheme.h"
#include "numeric/compensated.h"

namespace bootfold::resample {

class BlockLaw;     // resample/blocks.h
class Groups;       // resample/groups.h
class Sampling;     // resample/sampler.h
class Strata;       // resample/strata.h
class SmallStrata;  // resample/small_strata.h

/// Whether standard errors on every resample are known, which studentized intervals need.
enum class Studentized {
  no,
  by_formula,  ///< only of statistics that have a formula
  yes,         ///< by formula, or by a bootstrap of the resample
};

/// Facts about a design. The defaults are those of a design of which nothing is known but its
/// samplers.
struct Traits {
  /// Rows are drawn one by one with equal probability, so that counts are multinomial.
  bool iid = false;
  /// All rows have the same law, and as many are drawn as there are, at least on average.
  bool exchangeable = false;
  /// Every replicate draws the same number of rows.
  bool fixed_size = true;
  /// Replicates are numbered without end: a run can be split into ranges and extended.
  bool endless = true;
  /// All replicates of a run together draw every row equally often.
  bool balanced = false;
  /// Within each stratum as many rows are drawn as it has.
  bool within_strata = false;
  /// Any number of rows will do; otherwise at most kMostGatherRows.
  bool any_length = false;
  /// There are samplers, which list the rows of a replicate. Otherwise rows only get weights.
  bool lists_rows = true;
  /// Rows get exponential weights in place of counts (the Bayesian bootstrap).
  bool weighs = false;
  /// Nothing is random: replicate i leaves out unit i (the jackknife).
  bool deletes = false;
  /// Rows are drawn together with others, so that no row has a weight of its own: no ABC intervals.
  bool together = true;
  /// Formulas for standard errors, which assume rows drawn one by one, hold on resamples.
  bool formula = false;
  /// The statistics are evaluated at the weights, so only functions of sums are defined.
  bool sums_only = false;
  Studentized studentized = Studentized::no;
};

/// Second and third cumulant of n times the linear part of a replicate, sum c_i U_i.
struct Cumulants {
  numeric::Compensated second;
  numeric::Compensated third;

  void add(double value, double weight = 1) {
    second.add(weight * value * value);
    third.add(weight * value * value * value);
  }
};

/// What the rows of a scheme have, or some of them: one entry per row, or none.
struct OfRows {
  std::span<const std::uint32_t> labels = {};          ///< strata or clusters
  std::span<const double> weights = {};                ///< probabilities of rows
  std::span<const std::uint32_t> cluster_strata = {};  ///< strata, where there are clusters too
};

/// How rows are drawn, for data of a fixed number of rows. Immutable; refers to the labels and
/// weights of its scheme, which must outlive it.
class Design {
 public:
  virtual ~Design() = default;

  /// "iid", "stationary", ...
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// In words, for a person: "stationary, blocks of 17.3 rows on average".
  [[nodiscard]] virtual std::string describe(std::uint64_t rows) const;
  /// Throws InvalidArgument unless the design fits data of so many rows.
  virtual void check(std::uint64_t rows) const;
  /// Throws InvalidArgument unless the design can make these replicates.
  virtual void check_run(std::uint64_t rows, std::uint64_t first, std::uint64_t replicates) const;
  [[nodiscard]] virtual Traits traits(std::uint64_t rows) const = 0;

  /// What is drawn from: rows, whole clusters, or blocks at different places.
  [[nodiscard]] virtual std::uint64_t units(std::uint64_t rows) const { return rows; }
  /// The units that every replicate has exactly once, because there is no other to draw.
  [[nodiscard]] virtual std::uint64_t fixed_units(std::uint64_t rows) const {
    return units(rows) == 1 ? 1 : 0;
  }

  /// Rows that a replicate draws; where that varies, the usual number.
  [[nodiscard]] virtual std::uint64_t draws(std::uint64_t rows) const { return rows; }
  /// The number of replicates, where the design has a number of its own (the jackknife).
  [[nodiscard]] virtual std::optional<std::uint64_t> replicates(std::uint64_t rows) const;

  /// The samplers, which list the rows of a replicate. `replicates`: of the whole run; `level`: the
  /// instruction set, which changes no row.
  [[nodiscard]] virtual std::shared_ptr<const Sampling> sampling(std::uint64_t rows,
                                                                 std::uint64_t seed,
                                                                 std::uint64_t replicates,
                                                                 execution::Level level) const = 0;
  /// Memory that the samplers of all threads share.
  [[nodiscard]] virtual std::size_t sampling_bytes(std::uint64_t) const { return 0; }

  /// Whether counts can be streamed over the rows; then strata() has them.
  [[nodiscard]] virtual bool streams(std::uint64_t) const { return false; }
  [[nodiscard]] virtual std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                             std::uint64_t seed) const;
  /// Where samplers draw rows place by place, stratum by stratum: these places. Otherwise null.
  [[nodiscard]] virtual std::unique_ptr<const SmallStrata> small_strata(std::uint64_t seed) const;
  /// Places of these: as many as rows, unless rows have weights.
  [[nodiscard]] virtual std::uint64_t places(std::uint64_t rows) const { return rows; }
  /// The blocks of neighbouring rows that a replicate is made of, or null.
  [[nodiscard]] virtual std::unique_ptr<const BlockLaw> blocks(std::uint64_t rows,
                                                               execution::Level level) const;
  /// Mean length of those blocks; 0: there are none.
  [[nodiscard]] virtual double block_length() const { return 0; }

  /// The cluster of each row, where whole clusters are drawn or left out with all their rows.
  [[nodiscard]] virtual std::span<const std::uint32_t> clusters() const { return {}; }
  /// The stratum of each row, where rows are drawn within strata.
  [[nodiscard]] virtual std::span<const std::uint32_t> stratum_labels() const { return {}; }
  /// The stratum of each row, where whole clusters are drawn within strata.
  [[nodiscard]] virtual std::span<const std::uint32_t> cluster_strata() const { return {}; }
  /// The weight of each row, where rows are drawn in proportion to weights.
  [[nodiscard]] virtual std::span<const double> weights() const { return {}; }
  /// How often each row is drawn on average, up to a factor, where that differs between rows and
  /// the estimate takes all rows alike: replicates are centred at the statistic with these weights.
  /// Otherwise empty.
  [[nodiscard]] virtual std::vector<double> expected_counts(std::uint64_t) const { return {}; }

  /// The stratum or cluster of each row, where there are either: also where rows are drawn within
  /// clusters, for which clusters() is empty.
  [[nodiscard]] virtual std::span<const std::uint32_t> labels() const { return {}; }
  /// The rows of each label, or null if there are no labels. Sorted only once.
  [[nodiscard]] virtual std::shared_ptr<const Groups> groups() const;
  /// The scheme for some of the rows, which have these labels and weights. Only where there are
  /// labels() or weights(); without them a scheme is the same for any rows.
  [[nodiscard]] virtual Scheme subset(const OfRows& some) const;

  /// Cumulants of the linear part of a replicate: `changes` are U in the order of the rows, with
  /// mean 0 unless there are weights. Nothing: they are not known, and there is no BCa interval.
  [[nodiscard]] virtual std::optional<Cumulants> cumulants(std::span<const double> changes) const;
  /// "within strata", "in blocks": what cumulants() takes into account.
  [[nodiscard]] virtual std::string manner() const;

  /// The design with what its scheme left open, such as a length of blocks, chosen from the data;
  /// null if nothing is open.
  [[nodiscard]] virtual std::shared_ptr<const Design> fitted(const DataView& data) const;

  /// The scheme that draws clusters as rows: what is left of it once every cluster is one row.
  /// Only where clusters() is not empty.
  [[nodiscard]] virtual Scheme of_clusters() const;
  /// The scheme that draws at random what the jackknife leaves out. Only where it deletes.
  [[nodiscard]] virtual Scheme drawing_what_is_deleted() const;
};

/// The design of a scheme. Lengths of blocks that are left open are chosen from the data.
[[nodiscard]] std::shared_ptr<const Design> design(const Scheme& scheme, const DataView& data);

/// The same where no length is open, or none is needed.
[[nodiscard]] std::shared_ptr<const Design> design(const Scheme& scheme);

}  // namespace bootfold::resample
