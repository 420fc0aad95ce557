// What a bootstrap found, shared by several threads of Python.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "bootfold/bootstrap.h"

namespace bootfold::python {

/// Replicates never move or change, so arrays of Python may look at them. What intervals need
/// beside them is added at most once, under the lock.
struct Handle {
  explicit Handle(Result found) : result(std::move(found)) {}

  Result result;
  mutable std::shared_mutex mutex;

  /// What `read(result)` returns, while nothing is added.
  template <class Read>
  auto reading(Read&& read) const {
    const std::shared_lock lock(mutex);
    return read(result);
  }

  void add(std::vector<Influence> influences, std::vector<AbcCurve> curves) {
    const std::unique_lock lock(mutex);
    result.add_influences(std::move(influences), std::move(curves));
  }
};

}  // namespace bootfold::python
