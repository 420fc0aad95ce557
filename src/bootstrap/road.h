// The road from data to a result: look, plan, make, finish.
//
// Making a Road looks at the rows, checks everything and chooses a path; run() goes it. plan() and
// bootstrap() are both made of this, so they accept and refuse the same, in the same words.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootstrap/replicate_checkpoint.h"
#include "bootstrap/standard_errors.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "planning/cluster_sums.h"
#include "resample/design.h"
#include "study/absent_rows.h"
#include "study/formulas.h"
#include "study/study.h"

namespace bootfold {

/// What is asked of the rows.
enum class Rows {
  known,   ///< finite numbers, which are looked at
  opaque,  ///< anything: only the statistics, all functions of the resample, have to know
};

class Road {
 public:
  /// Throws InvalidArgument, DataError, Cancelled. Refers to the data and to labels and weights of
  /// the scheme. `table`: the paths to choose from.
  Road(const DataView& data, std::span<const Statistic> statistics, const Options& options,
       Rows rows = Rows::known, std::span<const planning::PathEntry> table = paths::table());

  /// A road from a look at rows that are elsewhere. Throws InvalidArgument, with the reason, unless
  /// replicates can be added up from pieces of rows.
  Road(std::shared_ptr<const study::AbsentRows> rows, study::ColumnsLook look,
       std::span<const Statistic> statistics, const Options& options);

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const resample::Design& design() const noexcept { return *design_; }
  /// As asked, with the memory limit and the number of replicates that are meant.
  [[nodiscard]] const Options& options() const noexcept { return options_; }

  /// Makes the replicates and all that was asked for beside them. Takes from Options::checkpoint
  /// what is there.
  [[nodiscard]] Result run() const;
  /// The same, as one of several runs that share a checkpoint: this one has a section.
  [[nodiscard]] Result run(ReplicateCheckpoint& checkpoint, const std::string& section) const;

  /// Makes the replicates first, first + 1, ... of the run into `values`, and tells what is made.
  using Make =
      std::function<void(std::uint64_t first, std::span<double> values, const planning::Made&)>;
  /// The values of all replicates, made by a function in place of the path. Takes from
  /// Options::checkpoint what is there. `identity`: of the function, for the checkpoint.
  [[nodiscard]] std::vector<double> values_by(const Make& make, const std::string& identity) const;

  /// What adds up pieces of rows, of a road from a look. `room`: bytes that it may use.
  [[nodiscard]] std::unique_ptr<planning::PartEngine> part_engine(std::size_t room) const;
  /// Sums of no row yet, of the replicates first .. first + replicates - 1.
  [[nodiscard]] planning::PartialSums empty_part(const planning::PartEngine& engine,
                                                 std::uint64_t first,
                                                 std::uint64_t replicates) const;
  /// Adds rows first, first + 1, ... of the data to a part. Throws InvalidArgument if the part has
  /// some of them, and Cancelled.
  void add(const planning::PartEngine& engine, const DataView& piece, std::uint64_t first,
           planning::PartialSums& part, const Execution& execution) const;
  /// What add() does before the engine adds the rows: notes which they are, for estimates and
  /// checks.
  void see(const DataView& piece, std::uint64_t first, planning::PartialSums& part,
           const Execution& execution) const;
  /// The result, from a part that has all rows and all replicates. Where these are made only now,
  /// takes from Options::checkpoint what is there.
  [[nodiscard]] Result finish(const planning::PartEngine& engine,
                              const planning::PartialSums& part) const;

  /// Makes the hash of the labels of rows that are elsewhere part of the plan's fingerprint.
  void add_labels_to_fingerprint(std::uint64_t labels) noexcept {
    plan_.fingerprint = (plan_.fingerprint ^ labels) * 0x9E3779B97F4A7C15U;
  }

  /// Tells the plan how often all rows are read and what that takes.
  void set_reads(std::uint64_t reads, std::size_t working_bytes) {
    plan_.reads = reads;
    plan_.working_bytes = working_bytes;
  }

  /// What identifies the run, in words, for its checkpoint.
  [[nodiscard]] std::vector<data::Fact> facts() const;

  [[nodiscard]] const study::Study& study() const noexcept { return *study_; }
  /// How many replicates a thread handles at a time, and what they take beside their sums.
  [[nodiscard]] const planning::Choice& choice() const noexcept { return choice_; }

 private:
  Road(const DataView& data, std::shared_ptr<const study::AbsentRows> absent,
       std::optional<study::ColumnsLook> look, std::span<const Statistic> statistics,
       const Options& options, Rows rows, std::span<const planning::PathEntry> table);

  void look(std::span<const planning::PathEntry* const> entries,
            std::optional<study::ColumnsLook> given);
  void set_drawing(study::Study& study, const Execution& execution) const;
  void describe();
  /// Where the replicates are kept while they are made.
  struct Kept {
    ReplicateCheckpoint* checkpoint = nullptr;
    std::string section = {};
    bool others = false;        ///< other runs share the checkpoint
    std::string identity = {};  ///< of a function that makes the values
  };
  [[nodiscard]] Result make(const Kept& kept) const;
  /// What run(checkpoint) returns, with that of Options::checkpoint or null.
  template <class Run>
  [[nodiscard]] auto with_checkpoint(const Run& run) const {
    if (options_.checkpoint.empty()) return run(nullptr);
    ReplicateCheckpoint checkpoint(options_.checkpoint, "bootstrap", 0, options_.execution);
    try {
      return run(&checkpoint);
    } catch (const Cancelled&) {
      throw checkpoint.cancelled();
    }
  }
  /// The values of all replicates: those that are stored, and those that `make` makes.
  [[nodiscard]] std::vector<double> make_values(std::size_t outputs, const Make& make,
                                                const Kept& kept) const;
  /// What the paths are asked: about the sums of clusters, if these are drawn, else about the data.
  [[nodiscard]] planning::Question question() const;
  [[nodiscard]] planning::Question question(const study::Study& study,
                                            const resample::Design& design) const;
  [[nodiscard]] bool only_cluster_sums() const {
    return cluster_sums_ && study_->problem().all<statistic::Sums>();
  }
  [[nodiscard]] bool deletes() const { return design_->traits(data_.rows()).deletes; }
  /// Influences and ABC curves of a result, if they were asked for, and the linear parts of its
  /// replicates, if the run is balanced.
  void add_influences(Result& result, const Execution& execution) const;
  /// Whether linear parts are found: the run is balanced, and the rows are numbers.
  [[nodiscard]] bool finds_linear_parts() const;
  /// Rows that are visited after the replicates are made: to evaluate statistics without a row, and
  /// to find linear parts.
  [[nodiscard]] double evaluated_rows() const;
  [[nodiscard]] double linear_rows() const;
  [[nodiscard]] Companions jackknife(const planning::Engine& engine,
                                     std::span<const double> estimates,
                                     std::span<const double> values) const;

  std::shared_ptr<const study::AbsentRows> absent_;  // what data_ is then a view of
  DataView data_;
  Options options_;  // with replicates and memory as they are
  Rows rows_;
  std::shared_ptr<const resample::Design> design_;
  std::optional<WithStandardErrors> errors_;
  std::optional<study::Formulas> formulas_;  // from the values of study_ to those asked for
  std::unique_ptr<study::Study> study_;      // of the data
  std::uint64_t data_fingerprint_ = 0;
  std::size_t asked_ = 0;  // outputs asked for; standard errors come behind them

  // Where whole clusters are drawn, functions of sums are those of the sums of clusters. If all
  // statistics are, paths are asked about nothing else.
  std::optional<planning::ClusterSums> cluster_sums_;
  std::unique_ptr<study::Study> sums_study_;
  std::shared_ptr<const resample::Design> sums_design_;

  planning::Choice choice_;
  Plan plan_;
};

}  // namespace bootfold
