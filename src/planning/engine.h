// What makes replicates: the end of every path.
//
// An engine is prepared once for a run and never changes after that; every thread has a maker of
// its own, with the memory to work in. Anyone who has an engine can make any range of replicates,
// and ranges made anywhere agree to the bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/influence.h"

namespace bootfold::planning {

/// Makes replicates on one thread.
class Maker {
 public:
  virtual ~Maker() = default;

  /// Makes the replicates first .. last - 1, which belong to one group of the engine:
  /// values[replicate - first][output]. Calls worker.check() every few milliseconds and reports
  /// Engine::steps() for each replicate by worker.advance().
  virtual void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
                    const execution::Worker& worker) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::unique_ptr<Maker> maker() const = 0;

  /// Neighbouring replicates that are best made together: numbers are cut at multiples of this.
  [[nodiscard]] virtual std::uint64_t group() const = 0;

  /// The smallest group in which a replicate costs about as much: 1 where they are made one by one.
  [[nodiscard]] virtual std::uint64_t smallest_group() const { return group(); }

  /// Units of progress in a replicate.
  [[nodiscard]] virtual std::uint64_t steps() const = 0;

  /// The statistics on the data as they are, if preparing the engine found them.
  [[nodiscard]] virtual std::optional<std::vector<double>> estimates() const {
    return std::nullopt;
  }

  /// The influences, if the path knows them in closed form (the jackknife's).
  [[nodiscard]] virtual std::optional<std::vector<Influence>> influences() const {
    return std::nullopt;
  }
};

/// Told, on the thread of any worker, that replicates first .. first + made - 1 are in their place.
/// Calls do not overlap, and the number rises.
using Made = std::function<void(std::uint64_t made)>;

/// Makes the replicates first .. first + replicates - 1 on the threads of `execution`:
/// values[replicate - first][output]. Throws Cancelled, and what a user's statistic throws.
void make_replicates(const Engine& engine, std::uint64_t first, std::uint64_t replicates,
                     std::size_t outputs, std::span<double> values, const Execution& execution,
                     const Made& made = {});

}  // namespace bootfold::planning
