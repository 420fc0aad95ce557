// What the entries of the paths share: words of refusal and of arithmetic, sizes for costs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "planning/path_entry.h"

namespace bootfold::paths {

using planning::Engine;
using planning::Estimate;
using planning::Maker;
using planning::PathEntry;
using planning::Question;
using planning::Resources;
using planning::Tier;

/// "it does not support scheme 'cluster'".
[[nodiscard]] std::string no_way_for(const resample::Design& design);

/// Whether every statistic is a function of sums or of quantiles, or a trimmed mean: then the
/// counts of the rows say all, and no resample is drawn out.
[[nodiscard]] bool of_counts(const study::Problem& problem);

/// "10,000 rows, 2 features: "; without features "10,000 rows: ".
[[nodiscard]] std::string rows_and_features(const Question& question, std::size_t features);

/// The refusal of paths that keep sums in fixed point.
inline constexpr const char* kNotAccurate =
    "fixed-point sums cannot hold these data to the tolerance";

/// What a plan says of sums in fixed point; nothing if there are none.
void describe_arithmetic(const study::FixedSums& sums, Estimate& estimate);

/// The sizes that costs depend on. Costs decide which path is taken, so they are part of what a
/// replicate is: they never follow the machine. They are nanoseconds of one thread of the reference
/// machine (docs/performance.md), read from the rates that bench/engine_bench prints.
struct Size {
  double rows = 0;
  double draws = 0;
  double features = 0;
  double planes = 0;  // digits of all features
  double columns = 0;
};
/// Before digits are known: four for each feature.
[[nodiscard]] Size size_of(const Question& question);

// Costs of a replicate that several paths compare themselves with.
namespace stream {
[[nodiscard]] double cost(const Size& size);
}
namespace gather {
[[nodiscard]] double cost(const Size& size);
}

/// An engine of shared, constant state and a maker class that is made of it.
template <class Shared, class MakerOf>
class EngineOf final : public Engine {
 public:
  /// `group` and `steps` as Engine says; `smallest` is smallest_group(), or 0 for `group`.
  EngineOf(std::uint64_t group, std::uint64_t steps, std::shared_ptr<const Shared> shared,
           std::uint64_t smallest = 0)
      : group_(group), smallest_(smallest), steps_(steps), shared_(std::move(shared)) {}

  [[nodiscard]] std::unique_ptr<Maker> maker() const override {
    return std::make_unique<MakerOf>(*shared_);
  }
  [[nodiscard]] std::uint64_t group() const override { return group_; }
  [[nodiscard]] std::uint64_t smallest_group() const override {
    return smallest_ > 0 ? smallest_ : group_;
  }
  [[nodiscard]] std::uint64_t steps() const override { return steps_; }

 private:
  std::uint64_t group_;
  std::uint64_t smallest_;
  std::uint64_t steps_;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace bootfold::paths
