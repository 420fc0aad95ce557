// Resamples that are drawn out: path `gather` for anything, and path `stream` for functions that
// take their rows in any order.
#pragma once

#include <memory>

#include "paths/entry.h"

namespace bootfold::paths::resampled {

/// Working memory.
struct Bytes {
  std::size_t shared = 0;
  std::size_t thread = 0;

  [[nodiscard]] std::size_t all() const noexcept { return shared + thread; }
};

[[nodiscard]] Bytes bytes(const Question& question);
[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

/// The same by counts: rows stand in the order of the data, each as often as it is drawn.
namespace by_counts {
/// Whether there are functions of the resample, and all of them take rows in any order.
[[nodiscard]] bool suits(const Question& question);
[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);
}  // namespace by_counts

}  // namespace bootfold::paths::resampled
