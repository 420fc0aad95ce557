// The sums of a problem in fixed point: how many digits each feature has, and which are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "study/fixed_point.h"
#include "study/problem.h"
#include "study/summary.h"

namespace bootfold::study {

/// An integer of 64 bits that every row has: a feature, or some digits of a wide one.
struct Limb {
  std::uint32_t feature;
  std::uint32_t number;  // within the feature, lowest first
  std::size_t digits;
};

struct FixedSums {
  /// Chooses the digits for means of `rows` rows; `all_digits`: as many as there are. A product
  /// that several statistics fold with equally many digits is folded once.
  FixedSums(const Problem& problem, std::span<const FeatureSummary> summaries, double rows,
            double tolerance, bool all_digits);

  /// Adds a feature behind the others; the problem gets it by itself.
  void append(const FixedFeature& feature);

  /// Whether the sums are good enough for the tolerance.
  [[nodiscard]] bool accurate() const noexcept { return accurate_; }
  [[nodiscard]] std::size_t features() const noexcept { return fixed.size(); }
  /// Digits of all features together.
  [[nodiscard]] std::size_t planes() const noexcept;
  [[nodiscard]] std::size_t most_digits() const noexcept;
  [[nodiscard]] std::size_t fewest_digits() const noexcept;
  /// Bound on the error of a folded mean / its standard error.
  [[nodiscard]] double error() const noexcept;

  /// The means of the features over `rows` rows whose integers, one for each limb, add up to these
  /// sums.
  void find_means(std::span<const __int128> sums, double rows, std::span<double> means) const;

  Problem problem;                    // with these features
  std::vector<FixedFeature> fixed;    // of each
  std::vector<Limb> limbs;            // of all of them, in order: what is added up
  std::vector<std::uint32_t> places;  // where the features of the study are now

 private:
  bool accurate_ = true;
};

}  // namespace bootfold::study
