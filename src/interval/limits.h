// The methods: each finds two limits, or says why it cannot.
#pragma once

#include <optional>
#include <string>

#include "bootfold/interval.h"
#include "bootstrap/balance.h"
#include "interval/ordered.h"

namespace bootfold::interval {

/// What all methods see of a result.
struct Context {
  Context(const Result& result, const Options& options);

  /// The replicates of the output as Result::rescaled() has them, or, with standard errors,
  /// (replicate - centre) / error.
  [[nodiscard]] Ordered replicates() const;
  [[nodiscard]] Ordered pivots() const;
  /// The same one by one.
  [[nodiscard]] double replicate(std::size_t i) const { return result.rescaled(i, output); }
  [[nodiscard]] double pivot(std::size_t i) const {
    return (result.replicate(i, output) - estimate) /
           result.companions().replicate_errors[i * result.outputs() + output];
  }

  const Result& result;
  const Options& options;
  std::size_t output;
  double estimate;
  Balance balance;
  std::uint64_t defined;      // replicates that are numbers
  std::optional<double> low;  // the probability below it; nothing: -infinity
  std::optional<double> high;
};

struct Found {
  Limit low = {};
  Limit high = {};
  std::string trouble = {};  // why the method cannot serve; empty: it can
  std::string note = {};     // what else to know
};

[[nodiscard]] Found normal_limits(const Context& context);
[[nodiscard]] Found basic_limits(const Context& context);
[[nodiscard]] Found percentile_limits(const Context& context);
[[nodiscard]] Found bca_limits(const Context& context);
[[nodiscard]] Found studentized_limits(const Context& context);
[[nodiscard]] Found abc_limits(const Context& context);

/// Both limits as limit(probability below it); -infinity and infinity where none is asked for.
template <class Function>
[[nodiscard]] Found both(const Context& context, const Function& limit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Found found;
  found.low = context.low ? limit(*context.low) : Limit{-kInfinity, 0, false};
  found.high = context.high ? limit(*context.high) : Limit{kInfinity, 0, false};
  return found;
}

}  // namespace bootfold::interval
