// A distribution function kept as a Fourier series.
//
// The sum of n draws, wrapped round a circle that is wider than all that is probable of it, has the
// Fourier coefficients phi(u_k)^n. The measure of an arc from the start of the window to y is then
//   (y - start) / period + sum over k of 2 Re c_k (1 - exp(-i u_k (y - start))),
// c_k = phi_k exp(-i u_k start) / (2 pi i k), and on a lattice of M points per turn, where y is
// half way between two of them, 2 i M sin(pi k / M) in place of 2 pi i k.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "exact/law.h"
#include "exact/nodes.h"

namespace bootfold::exact {

/// The circle, in units of the rows (steps, on a lattice).
struct Circle {
  double start = 0;   // on a lattice half a step below the first point
  double period = 0;  // on a lattice the number of points
  bool lattice = false;
};

/// Between sums of rows and values of the statistic. Where values are decimal all is made of whole
/// numbers, so that 28.8625 comes out as it is written; elsewhere the offset keeps large numbers
/// apart.
struct Scaling {
  double offset = 0;
  double base = 0;
  double unit = 1;
  double divisor = 1;

  [[nodiscard]] double value(double sum) const { return offset + (base + unit * sum) / divisor; }
  [[nodiscard]] double sum(double value) const {
    return ((value - offset) * divisor - base) / unit;
  }
};

class Series final : public Law {
 public:
  Series(const Circle& circle, std::span<const Node> nodes, const Scaling& scaling, double mean,
         double deviation);

  [[nodiscard]] double at_most(double x) const override;
  [[nodiscard]] double below(double x) const override;
  [[nodiscard]] double quantile(double p) const override;

 private:
  [[nodiscard]] double arc(double y) const;
  /// The number of lattice points up to x, or before it.
  [[nodiscard]] double points(double x, bool inclusive) const;

  struct Term {
    double number;
    std::complex<double> coefficient;
  };
  Circle circle_;
  Scaling scaling_;
  std::vector<Term> terms_;
};

/// The probabilities of all points of a lattice circle with period 2^m, from the start on.
[[nodiscard]] std::vector<double> lattice_probabilities(const Circle& circle,
                                                        std::span<const Node> nodes);

}  // namespace bootfold::exact
