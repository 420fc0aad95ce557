// Replicates that are made, in a file, so that a run can go on after it was interrupted.
//
// A checkpoint has a section for each run that is part of the work: one for a bootstrap, one for
// every group of a comparison. A section holds the values of consecutive replicates. Runs are made
// one after the other; each takes from its section what is there, and writes the file from time to
// time with all sections.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/plan.h"
#include "data/checkpoint_file.h"
#include "data/checkpoint_writes.h"

namespace bootfold {

class ReplicateCheckpoint {
 public:
  /// Reads what there is. `total`: replicates of all runs together, for messages; 0: of the run
  /// that is made.
  /// Throws DataError if the file can be neither read nor written.
  ReplicateCheckpoint(const std::string& path, const std::string& kind, std::uint64_t total,
                      const Execution& execution);

  /// Replicates first .. first + count - 1, each of `outputs` values, that are to be made.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::size_t outputs = 0;
  };

  /// Begins a run: copies the replicates that are stored to the front of `values`, which must live
  /// until end(), and returns how many. Throws InvalidArgument if the section is of another run.
  std::uint64_t begin(const std::string& section, std::vector<data::Fact> facts, const Range& range,
                      std::span<double> values);
  /// The first `count` replicates of the run are made. Writes the file if it is time to.
  void made(std::uint64_t count);
  /// All are made. Writes the file if the last time is long ago. `keep`: for later writes, because
  /// other runs follow.
  void end(bool keep);
  /// The run ends before all are made: writes the file.
  void stop();
  /// Writes what is not in the file yet.
  void save();
  /// What to throw if the caller has cancelled: it tells what is kept.
  [[nodiscard]] Cancelled cancelled() const;

  /// A new number for messages.
  void set_total(std::uint64_t total) noexcept { total_ = total; }

 private:
  struct Section {
    std::vector<data::Fact> facts;
    std::uint64_t first = 0;
    std::size_t outputs = 0;
    std::vector<double> values;  // of the replicates that are not in the values of the run

    [[nodiscard]] std::uint64_t count() const { return values.size() / outputs; }
  };

  void load();
  void write();
  void try_to_write();
  [[nodiscard]] bool has_news() const;
  [[nodiscard]] std::uint64_t stored() const;
  /// "12,345 of 100,000 replicates": what is in the file.
  [[nodiscard]] std::string amount() const;

  data::CheckpointFile file_;
  std::uint64_t total_;
  std::uint64_t goal_ = 0;  // replicates of the section when the run is complete
  data::CheckpointWrites writes_;
  std::map<std::string, Section> sections_;
  std::string current_;  // section of the run
  std::span<const double> values_ = {};
  Range range_ = {};
  std::uint64_t made_ = 0;
  std::uint64_t restored_ = 0;  // of the run
  std::uint64_t in_file_ = 0;   // replicates in the file
  bool running_ = false;
  bool told_ = true;        // that the run goes on from the file
  bool rest_kept_ = false;  // the section has more than the run asks for, or lies elsewhere
};

}  // namespace bootfold
