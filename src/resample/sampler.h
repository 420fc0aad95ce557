// The rows of a replicate under any scheme that draws rows: what a statistic that must see the
// resample itself needs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace bootfold::resample {

/// Draws replicates; every thread has its own.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// The rows of a replicate in the order of drawing; valid until the next call.
  [[nodiscard]] virtual std::span<const std::uint32_t> draw(std::uint64_t replicate) = 0;
};

/// What the samplers of a run share: tables, groups of rows. Immutable.
class Sampling {
 public:
  virtual ~Sampling() = default;

  [[nodiscard]] virtual std::unique_ptr<Sampler> sampler() const = 0;
};

/// The seed of one of several independent samples (strata) of a run.
[[nodiscard]] std::uint64_t seed_of_stratum(std::uint64_t seed, std::size_t stratum,
                                            std::size_t strata);

}  // namespace bootfold::resample
