// The methods: each finds the law of one statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "exact/law.h"
#include "study/problem.h"

namespace bootfold::exact {

/// How often the larger of two values is drawn in n draws, of which `ones` rows of n hold it;
/// `value` tells the statistic for such a count.
[[nodiscard]] Found binomial_law(std::uint64_t n, std::uint64_t ones,
                                 const std::function<double(std::uint64_t)>& value);

/// One quantile of one column. `estimate` gets the statistic on the data.
[[nodiscard]] Found order_law(const study::Problem& problem, const Execution& execution,
                              double& estimate);

/// One value of several quantiles of one column, from the joint law of the order statistics they
/// need; possible if these have at most `most` different tuples.
[[nodiscard]] bool ranks_possible(const study::Problem& problem, std::uint64_t most);
[[nodiscard]] Found ranks_law(const study::Problem& problem, const Execution& execution,
                              double& estimate);

/// Every distinct resample of the distinct rows, and how many there are of both.
class Enumeration {
 public:
  Enumeration(const study::Problem& problem, std::uint64_t most);

  /// How many distinct resamples there are; more than `most` counts as endless.
  [[nodiscard]] bool possible() const noexcept { return possible_; }
  [[nodiscard]] std::uint64_t resamples() const noexcept { return resamples_; }
  [[nodiscard]] std::uint64_t distinct_rows() const noexcept { return rows_.size(); }

  [[nodiscard]] Found law(const Execution& execution, double& estimate) const;

 private:
  const study::Problem& problem_;
  std::vector<std::uint64_t> rows_;  // the first of each kind
  std::vector<std::uint64_t> weights_;
  std::uint64_t resamples_ = 0;
  bool possible_ = false;
};

/// Throws Cancelled if the caller asked to stop.
void check(const Execution& execution);

}  // namespace bootfold::exact
