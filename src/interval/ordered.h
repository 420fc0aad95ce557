// Quantiles of replicates, and what Monte Carlo leaves open about them.
#pragma once

#include <cstdint>

#include "bootfold/interval.h"
#include "numeric/select.h"

namespace bootfold::interval {

/// A limit on its way.
struct Limit {
  double value = 0;
  double error = 0;
  bool extreme = false;  // among the outermost replicates
};

/// `count` values, NaN not among them, that `scan` shows in any order.
class Ordered {
 public:
  Ordered(numeric::Scan scan, std::uint64_t count, Convention convention)
      : scan_(std::move(scan)), count_(count), convention_(convention) {}

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// The quantile p. Its rank among endless replicates is uncertain by `reach` (a share of all,
  /// one standard deviation); half the way between the quantiles that far below and above is its
  /// error. If that leads beyond the outermost value, the error is that of a tail which falls like
  /// an exponential.
  [[nodiscard]] Limit quantile(double p, double reach) const;

  /// The same with the reach of a quantile of given p: sqrt(p (1 - p) / count).
  [[nodiscard]] Limit quantile(double p) const;

  /// Share of the values below `value`, and of those within `width` of it, which are equal to it
  /// but for rounding.
  struct Share {
    double below = 0;
    double equal = 0;
  };
  [[nodiscard]] Share share_below(double value, double width) const;

 private:
  /// The order statistics number first .. last, sorted.
  [[nodiscard]] std::vector<double> between(std::uint64_t first, std::uint64_t last) const;

  struct Position {
    std::uint64_t low = 1;  // number of the order statistic, from 1
    double weight = 0;      // of the next one
    bool extreme = false;
  };
  [[nodiscard]] Position position(double p) const;

  /// The error of a quantile among the outermost values, from the few farthest out.
  [[nodiscard]] double tail_error(double p, double reach) const;

  numeric::Scan scan_;
  std::uint64_t count_;
  Convention convention_;
};

}  // namespace bootfold::interval
