// bench/ensemble_work.h: training and asking ensembles, as work to be timed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/bootfold.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::bench {

/// What is done; the name says it all, to the peers in Python too (bench/peers/networks.py):
///
///     train:2-32-2:full:100        100 steps of Adam, full batches of 100 rows, 100 members
///     train:64-64-10:32:100        bootstrapped batches of 32 out of 1797 rows
///     predict:2-32-2:1e6:100       what 100 members say of a million points
///     train:784-128-10:128:10:6e4  one epoch of 60,000 rows, in batches of 128
///     fold:2-32-2:32:100000        as train, but members predict points and are discarded
struct EnsembleWork {
  enum class Kind { train, predict, fold };
  Kind kind = Kind::train;
  std::vector<std::size_t> layers;
  std::size_t batch = 0;   // rows of a step; 0: all
  std::size_t points = 0;  // to predict at
  std::size_t members = 0;
  std::size_t all_rows = 0;  // of the data; 0: two spirals, or as many as the digits data have

  /// Rows that there are to learn from.
  [[nodiscard]] std::size_t rows() const {
    if (all_rows > 0) return all_rows;
    return layers[0] == 2 ? 100 : 1797;
  }
  /// Steps of the optimizer.
  [[nodiscard]] std::size_t steps() const;
  /// Rows gone through, forwards and, in training, backwards.
  [[nodiscard]] double examples() const;
  /// Multiplications and additions of the dense layers alone: no activations, no optimizer.
  [[nodiscard]] double flops() const;
};

/// Nothing unless `name` is the name of such work. Throws InvalidArgument if it begins like one.
[[nodiscard]] std::optional<EnsembleWork> parse_ensemble_work(const std::string& name);

/// All that must be there before; the call does the work once, with `times` as many steps if it
/// trains.
[[nodiscard]] std::function<void(std::size_t times)> prepare(const EnsembleWork& work,
                                                             const Execution& execution);

}  // namespace bootfold::bench
