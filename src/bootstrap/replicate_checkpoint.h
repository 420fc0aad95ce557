// Replicates that are made, in a file, so that a run can go on after it was interrupted.
//
// A checkpoint has a section for each run that is part of the work: one for a bootstrap, one for
// every group of a comparison. A section holds the values of consecutive replicates. Runs are made
// one after the other; each takes from its section what is there, and writes the file from time to
// time with all sections. Once there are more than a few megabytes, only what is new is written, to
// the tail of the checkpoint.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/plan.h"
#include "data/checkpoint_file.h"
#include "data/checkpoint_tail.h"
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
  /// The run ends before all are made: writes what half a second allows.
  void stop();
  /// Writes what is not in the file yet, for half a second at most.
  void save();
  /// What to throw if the caller has cancelled: it tells what is kept.
  [[nodiscard]] Cancelled cancelled() const;

  /// A new number for messages.
  void set_total(std::uint64_t total) noexcept { total_ = total; }
  /// How many kinds of statistics have the replicates in turn, for messages.
  void set_runs(std::uint64_t runs) noexcept { runs_ = runs; }

 private:
  struct Section {
    std::vector<data::Fact> facts;
    std::uint64_t first = 0;
    std::size_t outputs = 0;
    std::vector<double> values;  // of the replicates that are not in the values of the run
    std::uint64_t in_tail = 0;   // so many from the first on

    [[nodiscard]] std::uint64_t count() const { return values.size() / outputs; }
  };

  void load();
  void take(data::TailRecord record);
  /// `most`: how long it may take, about; what does not fit is not written.
  void write(std::chrono::duration<double> most);
  void try_to_write(std::chrono::duration<double> most);
  /// All sections in FILE, or as much of them as so many bytes hold.
  std::uint64_t write_file(std::uint64_t most_bytes);
  /// The next replicates of a section that are not in the tail, as many as a record holds.
  void add_to_tail(const std::string& name, Section& section);
  /// A section lies elsewhere, and is shorter than what the run has made.
  void give_up_rest();
  [[nodiscard]] std::uint64_t count_of(const std::string& name, const Section& section) const;
  [[nodiscard]] bool has_news() const;
  [[nodiscard]] std::uint64_t stored() const;
  /// "12,345 of 100,000 replicates": what is in the file.
  [[nodiscard]] std::string amount() const;

  data::CheckpointFile file_;
  data::CheckpointTail tail_;
  bool tail_used_ = false;
  bool moved_ = false;  // FILE or FILE.previous has a section that begins elsewhere
  std::uint64_t total_;
  std::uint64_t runs_ = 1;
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
