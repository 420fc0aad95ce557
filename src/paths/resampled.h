// Path `gather` for anything: resamples are drawn out.
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

}  // namespace bootfold::paths::resampled
