// What path stream walks over: independent samples of rows, each with its own law of counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/scheme.h"
#include "resample/groups.h"
#include "resample/poisson.h"

namespace bootfold::resample {

/// Neighbouring places in the order of a walk.
struct Stratum {
  std::uint64_t first;  // place
  std::uint64_t rows;   // places
  std::uint64_t draws;  // what the counts add up to
  std::uint64_t seed;
  const Poisson* poisson;  // of the counts, before the top-up
};

/// One stratum, unless the scheme is stratified.
class Strata {
 public:
  /// `scheme` is iid (at most as many draws as rows), poisson or stratified.
  Strata(const Scheme& scheme, std::uint64_t rows, std::uint64_t seed);

  [[nodiscard]] std::span<const Stratum> all() const noexcept { return strata_; }

  /// Do the counts add up to a fixed number?
  [[nodiscard]] bool topped_up() const noexcept { return topped_up_; }

  /// The row at each place; empty: the row's own number.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept {
    return groups_ ? groups_->all() : std::span<const std::uint32_t>();
  }

 private:
  std::optional<Groups> groups_;
  std::vector<std::unique_ptr<Poisson>> laws_;
  std::vector<Stratum> strata_;
  bool topped_up_ = true;
};

}  // namespace bootfold::resample
