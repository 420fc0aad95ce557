// Functions of sums without one row, and their derivatives by the weight of a row: two things to
// find in the same read of the rows.
#pragma once

#include <span>
#include <vector>

#include "jackknife/heavy_rows.h"
#include "jackknife/influence.h"
#include "jackknife/shifted_means.h"
#include "numeric/moments.h"

namespace bootfold::jackknife {

/// Among very many rows one changes so little that rounding would show; weight is moved in steps of
/// at least this.
inline constexpr double kLeastStep = 0x1p-20;

/// The values without each row.
class Deletions {
 public:
  explicit Deletions(const Task& task);

  void see(const FeatureTile& tile, std::vector<numeric::Moments>& found) const;
  void conclude(std::span<const numeric::Moments> moments, std::span<Influence> influences) const;

 private:
  const Task& task_;
  double rows_;
  bool exact_;                 // whole rows are deleted, not small shares of them
  double step_;                // the share of all weight that is moved
  std::vector<double> whole_;  // values at the means
  std::vector<double> fewer_;  // values at the same means of one row less
  std::vector<double> near_;   // the same as Folded::relative has them
  HeavyRows heavy_;
};

/// What a read finds for one output.
struct Derivatives {
  numeric::Moments first;
  double second = 0;              // sum of second derivatives
  std::vector<double> direction;  // sum of first derivative times (f_i - m), for each feature

  void merge(const Derivatives& part);
};

/// The derivatives of the values as weight moves to a row.
class Differentiation {
 public:
  explicit Differentiation(const Task& task);

  [[nodiscard]] std::vector<Derivatives> nothing() const;
  void see(const FeatureTile& tile, std::vector<Derivatives>& found) const;
  void conclude(std::span<const Derivatives> all, double draws, std::span<Influence> influences,
                std::span<AbcCurve> curves) const;

 private:
  const Task& task_;
  double rows_;
  std::vector<double> whole_;  // values at the means
  std::vector<double> near_;   // the same as Folded::relative has them
};

}  // namespace bootfold::jackknife
