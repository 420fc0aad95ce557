// The road from data to a result: look, plan, make, finish.
//
// Making a Road looks at the rows, checks everything and chooses a path; run() goes it. plan() and
// bootstrap() are both made of this, so they accept and refuse the same, in the same words.
#pragma once

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

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const resample::Design& design() const noexcept { return *design_; }
  /// As asked, with the memory limit and the number of replicates that are meant.
  [[nodiscard]] const Options& options() const noexcept { return options_; }

  /// Makes the replicates and all that was asked for beside them. Takes from Options::checkpoint
  /// what is there.
  [[nodiscard]] Result run() const;
  /// The same, as one of several runs that share a checkpoint: this one has a section.
  [[nodiscard]] Result run(ReplicateCheckpoint& checkpoint, const std::string& section) const;

 private:
  void look(std::span<const planning::PathEntry* const> entries);
  void describe();
  /// What identifies the run, in words, for its checkpoint.
  [[nodiscard]] std::vector<data::Fact> facts() const;
  /// Where the replicates are kept while they are made.
  struct Kept {
    ReplicateCheckpoint* checkpoint = nullptr;
    std::string section = {};
    bool others = false;  ///< other runs share the checkpoint
  };
  [[nodiscard]] Result make(const Kept& kept) const;
  [[nodiscard]] std::vector<double> make_values(const planning::Engine& engine, std::size_t outputs,
                                                const Execution& execution, const Kept& kept) const;
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

  DataView data_;
  Options options_;  // with replicates and memory as they are
  Rows rows_;
  std::shared_ptr<const resample::Design> design_;
  std::optional<WithStandardErrors> errors_;
  std::unique_ptr<study::Study> study_;  // of the data
  std::uint64_t data_fingerprint_ = 0;
  std::size_t asked_ = 0;  // outputs asked for: the first of the study's

  // Where whole clusters are drawn, functions of sums are those of the sums of clusters. If all
  // statistics are, paths are asked about nothing else.
  std::optional<planning::ClusterSums> cluster_sums_;
  std::unique_ptr<study::Study> sums_study_;
  std::shared_ptr<const resample::Design> sums_design_;

  planning::Choice choice_;
  Plan plan_;
};

}  // namespace bootfold
