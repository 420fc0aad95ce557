// What path stream walks over: independent samples of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/scheme.h"
#include "resample/groups.h"

namespace bootfold::resample {

/// Neighbouring places in the order of a walk.
struct Stratum {
  std::uint64_t first;  // place
  std::uint64_t rows;   // places
  std::uint64_t draws;  // what the counts add up to
  std::uint64_t seed;
};

/// The strata of a run.
class Strata {
 public:
  /// One stratum, of which `draws` rows are drawn, at most as many as there are.
  Strata(std::uint64_t rows, std::uint64_t draws, std::uint64_t seed);
  /// A stratum for each group, from which as many rows are drawn as it has.
  Strata(std::shared_ptr<const Groups> groups, std::uint64_t seed);
  /// One stratum, whose counts are Poisson(1) each, with no fixed sum.
  [[nodiscard]] static Strata poisson(std::uint64_t rows, std::uint64_t seed);

  [[nodiscard]] std::span<const Stratum> all() const noexcept { return strata_; }

  /// Whether the counts add up to a fixed number.
  [[nodiscard]] bool topped_up() const noexcept { return topped_up_; }

  /// The row at each place; empty: the row's own number.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept {
    return groups_ ? groups_->all() : std::span<const std::uint32_t>();
  }

 private:
  std::shared_ptr<const Groups> groups_;
  std::vector<Stratum> strata_;
  bool topped_up_ = true;
};

}  // namespace bootfold::resample
