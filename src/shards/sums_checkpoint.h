// The sums of a run over a source, in a file, so that the run can go on after it was interrupted.
//
// Such a run makes some replicates in one pass over all rows, then the next ones in another pass.
// Its state is the sums of the replicates that are complete, and those of the pass at work with the
// rows that are in them: all rows before some row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/plan.h"
#include "data/checkpoint_file.h"
#include "data/checkpoint_writes.h"
#include "planning/partial_sums.h"

namespace bootfold::shards {

class SumsCheckpoint {
 public:
  /// The sums of a run.
  struct State {
    planning::PartialSums complete;  ///< of replicates that have all rows
    planning::PartialSums current;   ///< of the pass at work; without replicates between passes
  };

  /// `facts` identify the data and the options. Touches no file.
  SumsCheckpoint(const std::string& path, std::vector<data::Fact> facts, const bootfold::Plan& plan,
                 const Execution& execution);

  /// Takes over what the file holds, if there is one. `state`: the beginning of the run, with the
  /// kinds of sums it has. Throws InvalidArgument if the file is of another run, and DataError if
  /// it can be neither read nor written.
  void restore(State& state);
  /// A moment from which the run can go on: copies the sums of the pass at work, and writes the
  /// file if it is time to. `state.complete` must not change before the next call.
  void reached(const State& state);
  /// Writes the last moment that was reached, if it is not in the file yet.
  void save();
  /// What to throw if the caller has cancelled: it tells what is kept.
  [[nodiscard]] Cancelled cancelled() const;

 private:
  [[nodiscard]] planning::PartialSums read(data::SafetensorsFile& file, const std::string& name,
                                           std::size_t limbs) const;
  void check(data::SafetensorsFile& file, const State& found, const State& kind) const;
  void write();
  /// "1,048,576 of 2,200,000 rows of replicates 1 to 30".
  [[nodiscard]] std::string amount(const planning::PartialSums& complete,
                                   const planning::PartialSums& current) const;

  data::CheckpointFile file_;
  std::vector<data::Fact> facts_;
  std::uint64_t rows_;
  std::uint64_t first_;
  std::uint64_t replicates_;
  data::CheckpointWrites writes_;
  const planning::PartialSums* complete_ = nullptr;
  planning::PartialSums current_;
  bool news_ = false;
  std::string in_file_;  // what is stored, in words
};

}  // namespace bootfold::shards
