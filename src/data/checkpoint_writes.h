// The writes of a checkpoint during a run: when they are due, and what happens if one fails.
#pragma once

#include <string>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "execution/pace.h"
#include "text/concat.h"

namespace bootfold::data {

class CheckpointWrites {
 public:
  /// `run`: "run" or "training", for messages.
  CheckpointWrites(Execution execution, std::string run)
      : execution_(std::move(execution)), run_(std::move(run)) {}

  /// Whether a write now keeps the cost of all writes below 1 % of the time.
  [[nodiscard]] bool due() const { return pace_.due(); }
  /// Whether the last write is so long ago that another is worth its cost.
  [[nodiscard]] bool worth() const { return pace_.worth(); }
  [[nodiscard]] bool stopped() const { return execution_.stop.stop_requested(); }

  /// Calls write(). A DataError of it becomes a note: the run may well end before the checkpoint is
  /// needed, and the disk may have room the next time. `kept`: what is stored, in words; empty if
  /// nothing is.
  template <class Write, class Kept>
  void attempt(const Write& write, const Kept& kept) {
    try {
      pace_.run(write);
      failure_.clear();
    } catch (const DataError& error) {
      const std::string before = kept();
      if (failure_.empty())
        tell(true, text::concat(error.what(), "; the ", run_, " continues without it, ",
                                before.empty() ? "and nothing is stored yet"
                                               : text::concat("and what was stored before, ",
                                                              before, ", is kept")));
      failure_ = error.what();
    }
  }

  /// What to throw if the caller has cancelled. `kept`: as above.
  [[nodiscard]] Cancelled cancelled(const std::string& kept, const std::string& path) const {
    if (kept.empty())
      return Cancelled(failure_.empty() ? "" : text::concat("nothing is stored: ", failure_));
    return Cancelled(
        text::concat(kept, " are in ", path,
                     failure_.empty() ? "" : text::concat(", but not the last: ", failure_)));
  }

  void tell(bool warning, const std::string& text) const {
    if (execution_.note) execution_.note({warning, text});
  }

 private:
  Execution execution_;
  std::string run_;
  execution::Pace pace_;
  std::string failure_;  // why the last write failed
};

}  // namespace bootfold::data
