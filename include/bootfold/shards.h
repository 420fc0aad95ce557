// bootfold/shards.h: a bootstrap of rows that lie in several places.
//
//     auto a = shards::look(monday, statistics);                    // on one machine
//     auto b = shards::look(tuesday, statistics);                   // on another
//     shards::Plan plan(shards::join({a, b}), statistics, {.replicates = 10'000, .seed = 7});
//     auto sums = plan.part(monday, 0) + plan.part(tuesday, monday.rows());
//     Result result = plan.finish(sums);
//
// Looks, plans and parts are small values that become bytes and back, so any scheduler can carry
// them: files, MPI, Dask, Spark. A shard may begin and end at any row, may be empty, and need not
// know where it lies until the parts are made. The result has the bits of bootstrap() on all rows
// together. Functions of sums (mean, variance, correlation, regression, ...), quantiles of single
// columns, several of these in one call, and rows of few distinct values are served, under the
// schemes iid and poisson (quantiles: iid); functions of sums within strata and of whole clusters
// as well, with the labels of rows given to look() and part(); anything at all if there are no more
// than 4,096 rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/labels.h"
#include "bootfold/source.h"
#include "bootfold/statistic.h"

namespace bootfold::shards {

/// What is known before a look to keep these statistics from being added up shard by shard: the
/// statistics themselves, the scheme, or an option that needs all rows in one place. Empty if
/// nothing is.
[[nodiscard]] BOOTFOLD_API std::string obstacle(std::span<const Statistic> statistics,
                                                const Options& options);

/// Words of the caller's own, which travel with looks and plans. `|` keeps those of both looks, and
/// the meaning that the first gives to a word of both. Looks with strata or clusters merge only if
/// the word "labels", if there is one, has the same meaning in both.
using Words = std::map<std::string, std::string>;

/// Options of look().
struct LookOptions {
  std::uint64_t first = 0;  ///< the number of the first row, from 0; Look::shift() can tell later
  /// The stratum or the cluster of each row, for rows in memory. Names identify strata and clusters
  /// in all shards. A plan of such looks draws rows within strata, or whole clusters.
  const data::Labels* strata = nullptr;
  const data::Labels* clusters = nullptr;
  Words words = {};
  std::size_t memory = 0;  ///< limit of the working memory; 0: execution::default_memory()
  Execution execution = {};
};

/// What is known of some rows: ranges, samples, few distinct rows, where quantiles lie. Looks at
/// different rows merge by `|` in any order, and the look at any cut of the rows is that at the
/// whole, to the bit (with strata it also knows the cut: parts must begin where looks began). A
/// value: copies are independent.
class BOOTFOLD_API Look {
 public:
  struct Contents;  // internal

  explicit Look(Contents contents);
  Look(const Look& other);
  Look(Look&& other) noexcept;
  Look& operator=(Look other) noexcept;
  ~Look();

  /// Number of rows seen.
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] const Words& words() const;
  void set_words(Words words);
  [[nodiscard]] const std::vector<std::string>& columns() const;

  /// Tells where the rows lie: what was row i is row i + `rows`.
  void shift(std::uint64_t rows);

  /// Throws InvalidArgument if both saw some row (the message names the rows), or if they are not
  /// about the same columns and statistics.
  Look& operator|=(const Look& other);
  [[nodiscard]] friend Look operator|(Look a, const Look& b) { return a |= b; }
  [[nodiscard]] bool operator==(const Look& other) const;

  [[nodiscard]] std::string to_bytes() const;
  /// Throws DataError for bytes that to_bytes() of this version did not make.
  [[nodiscard]] static Look from_bytes(std::string_view bytes);

  [[nodiscard]] const Contents& contents() const noexcept { return *contents_; }

 private:
  std::unique_ptr<Contents> contents_;
};

/// Looks at some rows, which are read once.
[[nodiscard]] BOOTFOLD_API Look look(const DataView& rows, std::span<const Statistic> statistics,
                                     const LookOptions& options = {});
[[nodiscard]] BOOTFOLD_API Look look(const DataView& rows, const Statistic& statistic,
                                     const LookOptions& options = {});

/// The same of a source, which is read once.
[[nodiscard]] BOOTFOLD_API Look look(const data::Source& rows,
                                     std::span<const Statistic> statistics,
                                     const LookOptions& options = {});

/// Merges looks at shards that follow each other in this order and were all made from row 0 on.
[[nodiscard]] BOOTFOLD_API Look join(std::span<const Look> looks);
[[nodiscard]] inline Look join(std::initializer_list<Look> looks) {
  return join(std::span<const Look>(looks.begin(), looks.size()));
}

/// The sums of some rows in some replicates. Parts of one plan merge by `+` in any order and any
/// grouping. A value: copies are independent.
class BOOTFOLD_API Part {
 public:
  struct Contents;  // internal

  Part(const Part& other);
  Part(Part&& other) noexcept;
  Part& operator=(Part other) noexcept;
  ~Part();

  /// Throws InvalidArgument if the parts belong to different plans, or if both have some rows in
  /// the same replicates; the message names the ranges.
  Part& operator+=(const Part& other);
  [[nodiscard]] friend Part operator+(Part a, const Part& b) { return a += b; }

  /// "rows 1 to 1,000, replicates 1 to 200".
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] std::string to_bytes() const;
  /// Throws DataError for bytes that to_bytes() of this version did not make.
  [[nodiscard]] static Part from_bytes(std::string_view bytes);

 private:
  friend class Plan;
  explicit Part(Contents contents);
  std::unique_ptr<Contents> contents_;
};

/// Options of Plan::part().
struct PartOptions {
  /// Replicates first .. last - 1 of the sequence; default: all of the plan.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> replicates = std::nullopt;
  /// The stratum or the cluster of each row, where the looks had them.
  const data::Labels* labels = nullptr;
  Execution execution = {};
};

/// How shards are added up. Made from the look at all rows; the same everywhere.
class BOOTFOLD_API Plan {
 public:
  /// Throws InvalidArgument if rows are missing in the look, if its statistics are others, or if
  /// the statistics need all rows in one place.
  Plan(Look look, std::span<const Statistic> statistics, const Options& options = {});
  Plan(Look look, const Statistic& statistic, const Options& options = {});
  Plan(Plan&& other) noexcept;
  Plan& operator=(Plan&& other) noexcept;
  ~Plan();

  /// Path, cost and fingerprint.
  [[nodiscard]] const bootfold::Plan& plan() const;
  [[nodiscard]] const Words& words() const;
  /// The look at all rows, from which it was made.
  [[nodiscard]] const Look& look() const;
  /// The columns that a shard must have, in this order.
  [[nodiscard]] const std::vector<std::string>& columns() const;
  /// Whether parts are needed. Otherwise the look has all that finish() needs.
  [[nodiscard]] bool needs_parts() const;

  /// No rows yet: what parts are added to.
  [[nodiscard]] Part empty() const;

  /// The sums of rows first, first + 1, ... of the data. Memory: 16 bytes for each replicate and
  /// sum, and what Options::memory allows.
  [[nodiscard]] Part part(const DataView& rows, std::uint64_t first,
                          const PartOptions& options = {}) const;
  /// The same of a source, which is read once.
  [[nodiscard]] Part part(const data::Source& rows, std::uint64_t first,
                          const PartOptions& options = {}) const;

  /// The result of all rows and all replicates. Throws InvalidArgument, which names the ranges, if
  /// some are missing.
  [[nodiscard]] Result finish(const Part& part, const Execution& execution = {}) const;
  [[nodiscard]] Result finish() const { return finish(empty()); }

  [[nodiscard]] std::string to_bytes() const;
  /// A plan from its bytes and the statistics that it was made for, with the execution and memory
  /// limit of this machine. Throws DataError and InvalidArgument.
  [[nodiscard]] static Plan from_bytes(std::string_view bytes,
                                       std::span<const Statistic> statistics,
                                       std::size_t memory = 0, const Execution& execution = {});
  /// The words of a plan in bytes, for example to find out the statistics.
  [[nodiscard]] static Words words_of(std::string_view bytes);

 private:
  struct State;
  struct Adding;
  std::unique_ptr<State> state_;
};

}  // namespace bootfold::shards
