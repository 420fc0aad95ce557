// What adds up rows that arrive in pieces: the counterpart of an engine for data that are not in
// memory, or not on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "planning/engine.h"
#include "planning/partial_sums.h"

namespace bootfold::planning {

/// Rows that are added together.
struct Piece {
  const DataView& rows;
  std::uint64_t first = 0;  ///< the number of the first row; within strata, in its stratum
  std::size_t stratum = 0;  ///< of all rows, where these are drawn within strata
};

/// Refers to the study and the design that it was prepared for. All functions may be called from
/// several threads at once, with different parts.
class PartEngine {
 public:
  virtual ~PartEngine() = default;

  /// Sums that every replicate has; 0: the path needs no sums.
  [[nodiscard]] virtual std::size_t limbs() const { return 0; }
  /// Whether rows have to be read after the look.
  [[nodiscard]] virtual bool needs_rows() const { return true; }
  /// Windows of values that are collected from the rows.
  [[nodiscard]] virtual std::size_t windows() const { return 0; }

  /// Whether the look was too coarse for the memory: all rows have to be read once more, by
  /// read_again() for each piece, before any is added to a part.
  [[nodiscard]] virtual bool wants_read() const { return false; }
  virtual void read_again(const DataView&, const Execution&) {}
  virtual void end_read() {}

  /// Adds rows to the sums of a part. Progress counts rows x replicates of the piece. Throws
  /// Cancelled.
  virtual void add(const Piece& piece, PartialSums& part, const Execution& execution) const = 0;

  /// The values of the replicates first .. part.last() - 1 of a part that has all rows:
  /// [replicate][output]. Tells what is made where that takes time.
  virtual void finish(const PartialSums& part, std::uint64_t first, std::span<double> values,
                      const Execution& execution, const Made& made = {}) const = 0;

  /// The statistics on the data as they are, if the path finds them by itself.
  [[nodiscard]] virtual std::vector<double> estimates(const PartialSums&) const { return {}; }
};

}  // namespace bootfold::planning
